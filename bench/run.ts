/** `npm run bench`: runs benchmarks and prints them; `--write` puts them into bench/RESULTS.md. */
import { readNumbers, writeSections } from './report/page.ts';
import { type Bench, type Section, toMarkdown } from './report/section.ts';

/** One line per benchmark, loaded only when it runs: (f) takes the CPU of (a) and (b), (c) the durations of (f). */
const BENCHES: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Bench> }>> = {
  a: { about: 'cold start of ingest', load: async () => (await import('./start/start-ratio.ts')).measureStart },
  b: {
    about: 'CPU of a warm handler',
    load: async () => (await import('./handlers/measure-handlers.ts')).measureHandlers,
  },
  f: { about: 'latency, as a model', load: async () => (await import('./latency/latency.ts')).modelLatency },
  c: {
    about: 'billed units and dollars per event',
    load: async () => (await import('./billing/units.ts')).measureUnits,
  },
  d: {
    about: 'side by side with Postgres, BullMQ, adnanh/webhook',
    load: async () => (await import('./side-by-side/side-by-side.ts')).measureSideBySide,
  },
  g: {
    about: 'endpoints that hang, and their neighbours',
    load: async () => (await import('./isolation/isolation.ts')).measureIsolation,
  },
  e: { about: 'what breaks first as it grows', load: async () => (await import('./growth/growth.ts')).measureGrowth },
};
const QUICK = ['a', 'b', 'c', 'f'];

interface Wanted {
  readonly ids: readonly string[];
  readonly quick: boolean;
  readonly write: boolean;
}

/** Reads the arguments. Throws RangeError, naming the choices, for one that is none. */
export function readArguments(args: readonly string[], known: readonly string[] = Object.keys(BENCHES)): Wanted {
  const ids = args.filter(arg => !arg.startsWith('--'));
  const options = args.filter(arg => arg.startsWith('--'));
  const wrong = [
    ...ids.filter(id => !known.includes(id)),
    ...options.filter(it => !['--quick', '--write'].includes(it)),
  ];
  if (wrong.length > 0) {
    const choices = known.map(id => `${id} (${BENCHES[id]?.about ?? ''})`).join(', ');
    throw new RangeError(
      `There is no benchmark "${wrong[0]}". Choose among ${choices}; none means all. Options: --quick, --write.`,
    );
  }
  const quick = options.includes('--quick');
  const all = quick ? known.filter(id => QUICK.includes(id)) : known;
  return {
    ids: ids.length > 0 ? known.filter(id => ids.includes(id)) : all,
    quick,
    write: options.includes('--write'),
  };
}

/** Runs what is asked for, each printed and written as it ends. Answers the ids that failed. */
async function main({ ids, quick, write }: Wanted): Promise<readonly string[]> {
  const committed = readNumbers();
  const done: Section[] = [];
  const failed: string[] = [];
  const say = (line: string): void => console.error(line);
  const known = (id: string) => done.find(it => it.id === id)?.numbers ?? committed[id];
  for (const id of ids) {
    const startedAt = performance.now();
    say(`${id}: ${BENCHES[id]?.about}`);
    try {
      const bench = await (BENCHES[id] as (typeof BENCHES)[string]).load();
      const section = await bench({ quick, say, known });
      done.push(section);
      console.log(toMarkdown(section));
      if (write) writeSections([section], new Date(), quick ? 'quick' : 'full');
    } catch (error) {
      failed.push(id);
      console.error(error);
    }
    say(`${id}: ${failed.includes(id) ? 'failed after ' : ''}${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  if (write && done.length > 0) say('wrote bench/RESULTS.md');
  return failed;
}

if (import.meta.main) {
  let wanted: Wanted | undefined;
  try {
    wanted = readArguments(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
  const failed = wanted ? await main(wanted) : [];
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}. What happened stands above; the others ran.`);
    process.exitCode = 1;
  }
}
