/** Benchmark (a): what a cold start costs beside an empty module, and the first event beside bare node:http. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildBundles, type EagerPart, eagerPartOf } from '#test/kit/bundles.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { type FakeAws, LOOPBACK_SECRET, loopbackEnvironment, startFakeAws } from '../loopback/fake-aws.ts';
import { apiEventOf } from '../loopback/requests.ts';
import { interleave } from '../measure/rounds.ts';
import { type ChildRun, runChild } from '../measure/run-child.ts';
import { quantile, showSpread, spreadOf } from '../measure/statistics.ts';
import type { Bench, Figure, Section } from '../report/section.ts';

const HERE = import.meta.dirname;
const TARGETS = { start: 3.8, firstEvent: 8, raw: 308_000, gzip: 101_000 } as const;
const ROUNDS = { quick: 21, full: 61 } as const;

/** CPU microseconds: since the import began, and of the whole process. */
interface Told {
  readonly since: number;
  readonly all: number;
}
type Run = ChildRun<Told>;

/** One start of a module. `step`: what it does after the import. */
function start(module: string, step: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return runChild<Told>([join(HERE, 'start.mjs')], { MODULE: `file://${module}`, STEP: step, ...env });
}

interface StartRatios {
  /** CPU of the whole process until the first call is signed, over that of an empty module. */
  readonly start: number;
  readonly startWall: number;
  /** CPU of the start as deployed, over that without the source maps beside the code. */
  readonly mapped: number;
  /** The same with the calls that prime the clients. */
  readonly primed: number;
  /** The start of the minimal handler, with the same calls, over an empty module. */
  readonly minimal: number;
  /** The same as `primed`, of the fastest tenth of both. */
  readonly primedFast: number;
  /** CPU from the import to the answer of the first event, over the same calls by bare node:https. */
  readonly firstEvent: number;
  readonly runs: Readonly<
    Record<'empty' | 'start' | 'startUnmapped' | 'primed' | 'minimal' | 'firstEvent' | 'rawCalls', Run[]>
  >;
}

/** The fastest start over the fastest of an empty module: little of the machine's other work is in either. */
function fastRatio(runs: Readonly<Record<'empty' | 'start', readonly Run[]>>): number {
  const fastest = (of: readonly Run[]): number => Math.min(...of.map(run => run.told.all));
  return fastest(runs.start) / fastest(runs.empty);
}

/** The start ratio alone (fastest over fastest, CPU), in few rounds: for the gate in the tests. */
export async function measureFastRatio(ingestFolder: string, rounds: number): Promise<number> {
  // Nothing answers there, and nothing is asked: a start ends before its first call.
  const env = loopbackEnvironment('http://127.0.0.1:1');
  const runs = await interleave(
    {
      empty: () => start(join(HERE, 'empty.mjs'), 'imported', env),
      start: () => start(join(ingestFolder, 'index.mjs'), 'constructed', env),
    },
    rounds,
  );
  return fastRatio(runs);
}

/** The bundle of ingest as deployed and without the source maps beside it, and a minimal handler with the same SDK. */
interface Folders {
  readonly ingest: string;
  readonly unmapped: string;
  readonly minimal: string;
}

/** Measures starts of a bundle in interleaved rounds. */
async function measureStarts(folders: Folders, rounds: number): Promise<StartRatios> {
  const fake = await startFakeAws();
  try {
    return await measureWith(fake, folders, rounds);
  } finally {
    fake.stop();
  }
}

async function measureWith(fake: FakeAws, folders: Folders, rounds: number): Promise<StartRatios> {
  const entry = (folder: string): string => join(folder, 'index.mjs');
  const [bundle, unmapped, minimal] = [entry(folders.ingest), entry(folders.unmapped), entry(folders.minimal)];
  const online = loopbackEnvironment(fake.url);
  const event = (): string => JSON.stringify(apiEventOf(providerEvent(1, Date.now()), LOOPBACK_SECRET, Date.now()));
  await start(bundle, 'first-event', { ...online, EVENT: event() });
  const calls = (await fake.seen()).map(call => ({ ...call, url: fake.url }));
  const empty = join(HERE, 'empty.mjs');
  const runs = await interleave(
    {
      empty: () => start(empty, 'imported', online),
      start: () => start(bundle, 'constructed', online),
      startUnmapped: () => start(unmapped, 'constructed', online),
      primed: () => start(bundle, 'imported', online),
      minimal: () => start(minimal, 'imported', online),
      firstEvent: () => start(bundle, 'first-event', { ...online, EVENT: event() }),
      rawCalls: () =>
        start(join(HERE, '../loopback/raw-http.mjs'), 'first-calls', { ...online, CALLS: JSON.stringify(calls) }),
    },
    rounds,
  );
  const median = (of: readonly Run[], value: (run: Run) => number): number => spreadOf(of.map(value)).median;
  const cpu = (of: readonly Run[]): number => median(of, run => run.told.all);
  const fast = (of: readonly Run[]): number =>
    quantile(
      of.map(run => run.told.all),
      0.1,
    );
  const wall = (of: readonly Run[]): number => median(of, run => run.wallMs);
  const since = (of: readonly Run[]): number => median(of, run => run.told.since);
  return {
    start: cpu(runs.start) / cpu(runs.empty),
    startWall: wall(runs.start) / wall(runs.empty),
    mapped: cpu(runs.start) / cpu(runs.startUnmapped),
    primed: cpu(runs.primed) / cpu(runs.empty),
    minimal: cpu(runs.minimal) / cpu(runs.empty),
    primedFast: fast(runs.primed) / fast(runs.empty),
    firstEvent: since(runs.firstEvent) / since(runs.rawCalls),
    runs,
  };
}

export const measureStart: Bench = async ({ quick, say }): Promise<Section> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    const { ingest } = await buildBundles(folder, ['ingest']);
    const minimal = await buildMinimal(join(folder, 'minimal'));
    const unmapped = join(folder, 'unmapped');
    await cp(ingest, unmapped, { recursive: true, filter: path => !path.endsWith('.map') });
    const rounds = quick ? ROUNDS.quick : ROUNDS.full;
    say(`  ${rounds} rounds of seven starts`);
    const ratios = await measureStarts({ ingest, unmapped, minimal }, rounds);
    return sectionOf(ratios, await eagerPartOf(ingest), rounds);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The minimal handler, bundled as most people bundle: minified, nothing left out. */
async function buildMinimal(folder: string): Promise<string> {
  await build({
    entryPoints: [join(HERE, 'minimal-sdk.mjs')],
    outfile: join(folder, 'index.mjs'),
    ...{ bundle: true, minify: true, platform: 'node', target: 'node24', format: 'esm', logLevel: 'error' },
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire('/');" },
  });
  return folder;
}

function sectionOf(ratios: StartRatios, part: EagerPart, rounds: number): Section {
  const { runs } = ratios;
  const cpu = (of: readonly Run[]): string => `${showSpread(spreadOf(of.map(run => run.told.all / 1000)))} ms CPU`;
  const since = (of: readonly Run[]): string => `${showSpread(spreadOf(of.map(run => run.told.since / 1000)))} ms CPU`;
  const sdkBytes = part.modules.reduce(
    (sum, [name, bytes]) => sum + (/^@(?:aws-sdk|smithy)\//.test(name) ? bytes : 0),
    0,
  );
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;
  const figures: Figure[] = [
    {
      name: 'start of ingest, clients constructed (CPU)',
      value: `${ratios.start.toFixed(2)} × (${cpu(runs.start)})`,
      reference: `empty module: ${cpu(runs.empty)}`,
    },
    {
      name: 'the same, wall clock',
      value: `${ratios.startWall.toFixed(2)} ×`,
      reference: `empty module: ${showSpread(spreadOf(runs.empty.map(run => run.wallMs)))} ms`,
    },
    {
      name: 'as deployed, with its source maps, over the same without the maps (CPU)',
      value: `${ratios.mapped.toFixed(2)} × (${cpu(runs.start)})`,
      reference: `no maps: ${cpu(runs.startUnmapped)}`,
    },
    {
      name: 'start as deployed, over TLS, with its priming calls and six secrets (CPU)',
      value: `${ratios.primed.toFixed(2)} ×, of the fastest tenths ${ratios.primedFast.toFixed(2)} × (${cpu(runs.primed)})`,
      reference: `empty module, as above; a minimal handler with the same SDK and calls: ${ratios.minimal.toFixed(2)} × (${cpu(runs.minimal)})`,
      target: `≤ ${TARGETS.start} ×, and under the minimal handler`,
      reached: Math.max(ratios.primed, ratios.primedFast) <= TARGETS.start && ratios.primed < ratios.minimal,
    },
    {
      name: 'import to the answer of the first event (CPU)',
      value: `${ratios.firstEvent.toFixed(2)} × (${since(runs.firstEvent)})`,
      reference: `the same calls by bare node:https: ${since(runs.rawCalls)}`,
      target: `≤ ${TARGETS.firstEvent} ×`,
      moonshot: '2.5 ×',
      reached: ratios.firstEvent <= TARGETS.firstEvent,
    },
    {
      name: 'bytes a cold start reads, raw / gzip',
      value: `${kilobytes(part.raw)} / ${kilobytes(part.gzip)}`,
      reference: `${part.modules.length} modules in ${part.files.length} files`,
      target: `${kilobytes(TARGETS.raw)} / ${kilobytes(TARGETS.gzip)}`,
      moonshot: '40 / 12 KB',
      reached: part.raw <= TARGETS.raw && part.gzip <= TARGETS.gzip,
    },
  ];
  return {
    id: 'a',
    title: '(a) Cold start of ingest',
    method: `The bundle as deployed by default, in a fresh process that has loaded \`http\` as Lambda's runtime has. ${rounds} interleaved rounds. The first event is a verified 5 KB GitHub push through the exported handler against stand-ins for DynamoDB, SQS and Secrets Manager in another process; its reference repeats the very same requests, unsigned, by bare node:https.`,
    figures,
    notes: [
      `${kilobytes(sdkBytes)} of the ${kilobytes(part.raw)} come from the AWS SDK, as it is published but for one package (docs/decisions/the-aws-sdk-is-the-one-client.md).`,
      'Priming moves the first call of each client to init, where the function has a whole CPU. The start costs more and the first event less.',
      'Of the start as deployed, Node alone takes about 2 ×: that is a program that only loads `crypto`, `tls` and `zlib` and opens three connections (measured separately). It parses its root certificates, loads its modules and shakes hands. The rest is mostly to compile the SDK and to make its clients. A compile cache would help, too, but only the same build of Node can make it, so it cannot be shipped for Lambda.',
    ],
    tables: [
      {
        title: 'Largest modules',
        head: ['bytes', 'module'],
        rows: part.modules.slice(0, 10).map(([module, bytes]) => [String(bytes), module]),
      },
    ],
    numbers: {
      start: ratios.start,
      startWall: ratios.startWall,
      startFast: fastRatio(runs),
      primed: ratios.primed,
      minimal: ratios.minimal,
      primedFast: ratios.primedFast,
      firstEvent: ratios.firstEvent,
      raw: part.raw,
      gzip: part.gzip,
      emptyCpuMs: spreadOf(runs.empty.map(run => run.told.all / 1000)).median,
      primedFastMs: quantile(
        runs.primed.map(run => run.told.all / 1000),
        0.1,
      ),
    },
  };
}
