/** `holdfast cost`: what a month will cost, by line. Needs no gateway and no account. */
import { Option } from 'commander';
import { given } from '#core/given.ts';
import { ALARM_LEVELS, type AlarmLevel } from '#operator/cost/fixed-costs.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { COUNTED_FAN_OUTS, type FanOut } from '#operator/cost/predict-deliveries.ts';
import { usageError } from '../cli-error.ts';
import { wholeNumber } from '../filter-options.ts';
import type { RunCommand } from '../run.ts';

const MOST_EVENTS = 10_000_000_000;
/** What the gateway takes (core/config/defaults.ts). */
const MOST_BYTES = 4_400_000;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

interface CostOptions {
  readonly eventsPerDay: string;
  readonly body: string;
  readonly alarms: AlarmLevel;
  readonly sources: string;
  readonly duplicates: string;
  readonly retries: string;
  readonly dead: string;
  readonly searchable: string;
  readonly deliveriesPerDay: string;
  readonly endpoints: string;
}

export function addCost(program: RunCommand): void {
  program
    .command('cost')
    .description('Predict the AWS bill for a month, line by line')
    .option('--events-per-day <number>', `events a day, 1 to ${MOST_EVENTS}`, '1000000')
    .option('--body <size>', 'average size of a body in bytes: 800, 5k, 1.5m', '5k')
    .option('--sources <number>', 'sources that receive events (each has metrics of its own): 1 to 400', '6')
    .option('--duplicates <percent>', 'how many of the events arrive a second time, in percent: 0 to 100', '0')
    .option(
      '--retries <percent>',
      'how many attempts come after the first ones, in percent of the events: 0 to 1400',
      '0',
    )
    .option('--dead <percent>', 'how many of the events end as dead letters, in percent: 0 to 100', '0')
    .option('--searchable <number>', 'how many searchable fields an event has: 0 to 5', '0')
    .option('--deliveries-per-day <number>', `deliveries to customers a day, 0 to ${MOST_EVENTS}`, '0')
    .addOption(
      new Option('--endpoints <number>', 'endpoints that a message goes to, as counted')
        .choices(COUNTED_FAN_OUTS.map(String))
        .default('1'),
    )
    .addOption(
      new Option('--alarms <level>', 'which alarms, as in gateway.config.ts').choices([...ALARM_LEVELS]).default('all'),
    )
    .examples(
      ['holdfast cost --events-per-day 1000000 --body 5k', 'a million a day of 5 KB'],
      ['holdfast cost --duplicates 1 --retries 3 --dead 0.1', 'with what goes wrong on a usual day'],
      ['holdfast cost --deliveries-per-day 20000000 --endpoints 20', 'with 231 deliveries a second'],
      ['holdfast cost --events-per-day 50000 --json | jq .total', 'for a script'],
    )
    .does(async (run, options: CostOptions) => {
      if (program.getOptionValueSource('env') === 'cli')
        throw usageError(
          '--env with cost',
          'the numbers alone: it reads no environment, and its alarms, sources and retention would be taken for those',
          'leave --env out, and give --sources and --alarms as in gateway.config.ts',
        );
      const eventsPerDay = wholeNumber('events-per-day', options.eventsPerDay, 1, MOST_EVENTS);
      const bodyBytes = readSize(options.body);
      const searchable = wholeNumber('searchable', options.searchable, 0, 5);
      const sources = wholeNumber('sources', options.sources, 1, 400);
      const perDay = wholeNumber('deliveries-per-day', options.deliveriesPerDay, 0, MOST_EVENTS);
      const deliveries = perDay === 0 ? undefined : { perDay, fanOut: Number(options.endpoints) as FanOut };
      const shares = {
        duplicates: readShare('duplicates', options.duplicates, 100),
        retries: readShare('retries', options.retries, 1_400),
        dead: readShare('dead', options.dead, 100),
      };
      const predicted = predictCost(eventsPerDay, bodyBytes, options.alarms, {
        sources,
        searchable,
        shares,
        deliveries,
      });
      const { basis, lines, total, perMillion, perMillionDeliveries, alternatives } = predicted;
      const value = {
        predicted: true,
        basis,
        lines,
        total,
        per_million_events: perMillion,
        ...given({ per_million_deliveries: perMillionDeliveries }),
        alternatives,
      };
      run.out.result(value, () => [
        `Predicted for a month of ${eventsPerDay.toLocaleString('en')} events a day of ${bodyBytes.toLocaleString('en')} bytes`,
        `us-east-1 list prices of ${basis.pricesReadOn}, no free tier, batches of ${basis.batch}, 30 days kept, ${options.duplicates} % duplicates, ${options.retries} % retries, ${options.dead} % dead`,
        'Bodies are taken to compress like those of Stripe, GitHub and Shopify, which have a dictionary; others cost up to one write unit more',
        ...(deliveries === undefined || perMillionDeliveries === undefined
          ? []
          : [
              `And ${perDay.toLocaleString('en')} deliveries a day of bodies as counted, each message to ${deliveries.fanOut.toLocaleString('en')}: $${perMillionDeliveries.toFixed(2)} a million; an environment with outbound costs more without a message, too (docs/api/delivery.md)`,
            ]),
        '',
        ...run.out.table(
          ['DOLLARS', 'LINE'],
          [
            ...lines.map(it => [money(it.dollars), it.item]),
            [
              run.out.paint('bold', money(total)),
              run.out.paint('bold', `together; $${perMillion.toFixed(2)} per million events beside the fixed lines`),
            ],
          ],
        ),
        '',
        ...run.out.table(
          ['DOLLARS', 'ALTERNATIVE (5 KB BODIES)', 'SOURCE'],
          [...alternatives.map(it => [it.dollars === null ? 'not listed' : money(it.dollars), it.name, it.source])],
        ),
      ]);
    });
}

const money = (dollars: number): string => dollars.toFixed(2).padStart(9);

function readSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([km]?)b?$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (number !== '' && bytes >= 1 && bytes <= MOST_BYTES) return bytes;
  throw usageError(
    `--body: "${text.slice(0, 40)}"`,
    `1 to ${MOST_BYTES} bytes, e.g. 800, 5k, 1.5m`,
    'give the average size of a webhook body; the gateway refuses larger ones',
  );
}

/** A percentage as a share. */
function readShare(option: string, text: string, most: number): number {
  const percent = /^\d+(?:\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= most) return percent / 100;
  throw usageError(`--${option}: "${text.slice(0, 40)}"`, `0 to ${most} percent`, 'give a number, e.g. 1 or 0.5');
}
