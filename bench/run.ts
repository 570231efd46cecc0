/**
 * `npm run bench`: runs benchmarks and prints them; `--write` puts them into bench/RESULTS.md. `npm run bench -- judge` says
 * of each published figure whether this machine measures it, too.
 */
import { type JudgedSection, judge, verdictText } from './judge/judge.ts';
import { othersWork } from './judge/others.ts';
import { readNumbers, writeSections } from './report/page.ts';
import { type Bench, type Section, toMarkdown } from './report/section.ts';

interface Entry {
  readonly about: string;
  readonly load: () => Promise<Bench>;
}

/** One line per benchmark, loaded only when it runs: (f) takes the CPU of (a) and (b), (c) the durations of (f). */
const BENCHES = {
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
  h: { about: 'sizing of deliveries', load: async () => (await import('./sizing/sizing.ts')).measureSizing },
  j: { about: 'what screens and lists read', load: async () => (await import('./screens/screens.ts')).measureScreens },
  e: { about: 'what breaks first as it grows', load: async () => (await import('./growth/growth.ts')).measureGrowth },
} satisfies Readonly<Record<string, Entry>>;
const ENTRIES: Readonly<Record<string, Entry>> = BENCHES;
const QUICK = ['a', 'b', 'c', 'f'];

const JUDGE = 'judge';

interface Wanted {
  readonly ids: readonly string[];
  readonly quick: boolean;
  readonly write: boolean;
}

/** Reads the arguments. Throws RangeError, naming the choices, for one that is none. */
export function readArguments(args: readonly string[], known: readonly string[] = Object.keys(ENTRIES)): Wanted {
  const ids = args.filter(arg => !arg.startsWith('--'));
  const options = args.filter(arg => arg.startsWith('--'));
  const wrong = [
    ...ids.filter(id => !known.includes(id)),
    ...options.filter(it => !['--quick', '--write'].includes(it)),
  ];
  if (wrong.length > 0) {
    const choices = known.map(id => `${id} (${ENTRIES[id]?.about ?? ''})`).join(', ');
    throw new RangeError(
      `There is no benchmark "${wrong[0]}". Choose among ${choices}; none means all. Options: --quick, --write. Or judge alone: what is published beside what this machine measures.`,
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

/** Judges every claim. Answers whether none is broken. */
async function judgeAll(): Promise<boolean> {
  const published = readNumbers();
  const say = (line: string): void => console.error(line);
  const known = (id: string) => published[id];
  const numbersOf = async (id: 'a' | 'b' | 'c') =>
    (await (await BENCHES[id].load())({ quick: true, say, known })).numbers ?? {};
  // The peers last: they put this process on one core.
  const sections: Readonly<Record<string, JudgedSection>> = {
    a: { timed: true, measure: () => numbersOf('a') },
    b: { timed: true, measure: () => numbersOf('b') },
    c: { timed: false, measure: () => numbersOf('c') },
    g: { timed: false, measure: async () => (await import('./isolation/isolation.ts')).measureTenHang() },
    d: { timed: true, measure: async () => (await import('./side-by-side/side-by-side.ts')).measurePeers(say) },
  };
  const rows = await judge({ published, sections, othersWork, say });
  console.log(verdictText(rows));
  return rows.every(it => it.verdict !== 'not kept');
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
    say(`${id}: ${ENTRIES[id]?.about}`);
    try {
      const bench = await (ENTRIES[id] as Entry).load();
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
  const args = process.argv.slice(2);
  const isJudge = args.length === 1 && args[0] === JUDGE;
  let wanted: Wanted | undefined;
  try {
    if (!isJudge) wanted = readArguments(args);
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
  if (isJudge && !(await judgeAll())) process.exitCode = 1;
}
