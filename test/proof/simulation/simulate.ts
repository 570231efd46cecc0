/** `npm run simulate -- --days 30 --seed 7`: one run, its report, and exit 1 when the ledger complains. */
import { parseArgs } from 'node:util';
import { commandOf, printReport } from './report.ts';
import { type SimulationOptions, simulate } from './run-simulation.ts';
import { shrink } from './shrink.ts';
import { TROUBLES, type Trouble } from './weather.ts';

const HELP = `Simulates days of webhooks through the whole product, with faults, and judges the result.

  npm run simulate -- [--days 3] [--seed <random>] [--events-per-day 2000] [--faults all] [--shrink]

  --faults   all, none, or some of: ${TROUBLES.join(', ')}
  --shrink   after a failure, leave out one kind of fault after the other, then days and events, while it still fails`;

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new RangeError(`--${name} is "${text}"; it must be a number above 0`);
}

function readTroubles(text: string): ReadonlySet<Trouble> {
  if (text === 'all') return new Set(TROUBLES);
  if (text === 'none') return new Set();
  const names = text.split(',');
  const unknown = names.filter(name => !(TROUBLES as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new RangeError(`--faults names ${unknown.join(', ')}; known are all, none and ${TROUBLES.join(', ')}`);
  }
  return new Set(names as Trouble[]);
}

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    'events-per-day': { type: 'string', default: '2000' },
    faults: { type: 'string', default: 'all' },
    shrink: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const options: SimulationOptions = {
    seed: readNumber('seed', values.seed),
    days: readNumber('days', values.days),
    eventsPerDay: readNumber('events-per-day', values['events-per-day']),
    troubles: readTroubles(values.faults),
  };
  const report = await simulate(options);
  console.log(printReport(report));
  if (report.wrong === 0) return 0;
  if (values.shrink) {
    const smallest = await shrink(options, async smaller => {
      const failed = (await simulate(smaller)).wrong > 0;
      console.log(`  ${failed ? 'still fails' : 'passes'}: ${commandOf(smaller)}`);
      return failed;
    });
    console.log(`The smallest that fails: ${commandOf(smallest)}`);
    console.log(printReport(await simulate(smallest)));
  }
  return 1;
}

process.exitCode = await main();
