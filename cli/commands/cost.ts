/** `holdfast cost`: what a month will cost, by line. Needs no gateway and no account. */
import { type Command, Option } from 'commander';
import { ALTERNATIVES, type Alternative } from '#operator/cost/alternatives.ts';
import { type BilledTimes, totalOf } from '#operator/cost/bill.ts';
import { countedUnits } from '#operator/cost/counted-units.ts';
import { ALARM_LEVELS, type AlarmLevel, fixedCosts } from '#operator/cost/fixed-costs.ts';
import { modelledTimes } from '#operator/cost/modelled-times.ts';
import { batchAt, DAYS_PER_MONTH, monthlyBill } from '#operator/cost/monthly-bill.ts';
import { PRICES_READ_ON } from '#operator/cost/prices.ts';
import { usageError } from '#operator/operator-error.ts';
import { wholeNumber } from '../filter-options.ts';
import { type CommandSet, withExamples } from '../run.ts';

const MOST_EVENTS = 10_000_000_000;
/** What the gateway takes (core/config/defaults.ts). */
const MOST_BYTES = 4_400_000;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

interface CostOptions {
  readonly eventsPerDay: string;
  readonly body: string;
  readonly alarms: AlarmLevel;
}

export function addCost(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('cost')
      .description('Predict the AWS bill of a month, by line, from counted units and list prices')
      .option('--events-per-day <number>', `events a day, 1 to ${MOST_EVENTS}`, '1000000')
      .option('--body <size>', 'mean size of a body in bytes: 800, 5k, 1.5m', '5k')
      .addOption(new Option('--alarms <level>', 'as in gateway.config.ts').choices([...ALARM_LEVELS]).default('all')),
    ['holdfast cost --events-per-day 1000000 --body 5k', 'a million a day of 5 KB'],
    ['holdfast cost --events-per-day 50000 --json | jq .total', 'for a script'],
  ).action(
    set.action(async (run, options: CostOptions) => {
      const eventsPerDay = wholeNumber('events-per-day', options.eventsPerDay, 1, MOST_EVENTS);
      const bodyBytes = readSize(options.body);
      const batch = batchAt(eventsPerDay);
      const times: BilledTimes = modelledTimes(batch);
      const bill = monthlyBill(countedUnits(), times, eventsPerDay, bodyBytes);
      const fixed = fixedCosts(options.alarms);
      const lines = [...Object.entries(bill).map(([item, dollars]) => ({ item, dollars })), ...fixed];
      const shown = lines.filter(it => it.dollars >= 0.005).sort((a, b) => b.dollars - a.dollars);
      const total = lines.reduce((sum, it) => sum + it.dollars, 0);
      const perMillion = (1e6 * totalOf(bill)) / (eventsPerDay * DAYS_PER_MONTH);
      const others = ALTERNATIVES.map(it => costOf(it, eventsPerDay));
      const basis = { eventsPerDay, bodyBytes, batch, times, alarms: options.alarms, pricesReadOn: PRICES_READ_ON };
      run.out.result(
        { predicted: true, basis, lines: shown, total, per_million_events: perMillion, alternatives: others },
        () => [
          `Predicted for a month of ${eventsPerDay.toLocaleString('en')} events a day of ${bodyBytes.toLocaleString('en')} bytes`,
          `us-east-1 list prices of ${PRICES_READ_ON}, no free tier, batches of ${batch}, 30 days kept, no duplicates or retries`,
          'Bodies deflate as those of Stripe, GitHub and Shopify do, which have a dictionary; those of others cost up to a write unit more',
          '',
          ...run.out.table(
            ['DOLLARS', 'LINE'],
            [
              ...shown.map(it => [money(it.dollars), it.item]),
              [
                run.out.paint('bold', money(total)),
                run.out.paint('bold', `together; $${perMillion.toFixed(2)} per million events beside the fixed lines`),
              ],
            ],
          ),
          '',
          ...run.out.table(
            ['DOLLARS', 'ALTERNATIVE (5 KB BODIES)', 'SOURCE'],
            [...others.map(it => [it.dollars === null ? 'not listed' : money(it.dollars), it.name, it.source])],
          ),
        ],
      );
    }),
  );
}

const money = (dollars: number): string => dollars.toFixed(2).padStart(9);

function costOf(it: Alternative, eventsPerDay: number): { name: string; dollars: number | null; source: string } {
  const { name, perMillion, fromEventsPerDay = 0, source } = it;
  const dollars = eventsPerDay < fromEventsPerDay ? null : (perMillion * eventsPerDay * DAYS_PER_MONTH) / 1e6;
  return { name, dollars, source };
}

function readSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([km]?)b?$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (number !== '' && bytes >= 1 && bytes <= MOST_BYTES) return bytes;
  throw usageError(
    `--body: "${text.slice(0, 40)}"`,
    `1 to ${MOST_BYTES} bytes, e.g. 800, 5k, 1.5m`,
    'give the mean size of a webhook body; the gateway refuses larger ones',
  );
}
