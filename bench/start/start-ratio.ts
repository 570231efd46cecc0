/** Benchmark (a): what a cold start costs beside an empty module, and the first event beside bare node:http. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildBundles, type EagerPart, eagerPartOf } from '#test/kit/bundles.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { type FakeAws, LOOPBACK_SECRET, loopbackEnvironment, startFakeAws } from '../loopback/fake-aws.ts';
import { apiEventOf } from '../loopback/requests.ts';
import { inFolder } from '../measure/in-folder.ts';
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
  /** CPU of the whole process, with the calls that prime the clients, over that of an empty module. */
  readonly primed: number;
  /** The start of the minimal handler, with the same calls, over an empty module. */
  readonly minimal: number;
  /** The same as `primed`, of the fastest tenth of both. */
  readonly primedFast: number;
  /** CPU from the import to the answer of the first event, over the same calls by bare node:https. */
  readonly firstEvent: number;
  readonly runs: Readonly<Record<'empty' | 'primed' | 'minimal' | 'firstEvent' | 'rawCalls', Run[]>>;
}

/** The bundle of ingest as deployed, and a minimal handler with the same SDK. */
interface Folders {
  readonly ingest: string;
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
  const [bundle, minimal] = [entry(folders.ingest), entry(folders.minimal)];
  const online = loopbackEnvironment(fake.url);
  const event = (): string => JSON.stringify(apiEventOf(providerEvent(1, Date.now()), LOOPBACK_SECRET, Date.now()));
  await start(bundle, 'first-event', { ...online, EVENT: event() });
  const calls = (await fake.seen()).map(call => ({ ...call, url: fake.url }));
  const empty = join(HERE, 'empty.mjs');
  const runs = await interleave(
    {
      empty: () => start(empty, 'imported', online),
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
  const since = (of: readonly Run[]): number => median(of, run => run.told.since);
  return {
    primed: cpu(runs.primed) / cpu(runs.empty),
    minimal: cpu(runs.minimal) / cpu(runs.empty),
    primedFast: fast(runs.primed) / fast(runs.empty),
    firstEvent: since(runs.firstEvent) / since(runs.rawCalls),
    runs,
  };
}

export const measureStart: Bench = ({ quick, say }): Promise<Section> =>
  inFolder(async folder => {
    const { ingest } = await buildBundles(folder, ['ingest']);
    const minimal = await buildMinimal(join(folder, 'minimal'));
    const rounds = quick ? ROUNDS.quick : ROUNDS.full;
    say(`  ${rounds} rounds of five starts`);
    const ratios = await measureStarts({ ingest, minimal }, rounds);
    return sectionOf(ratios, await eagerPartOf(ingest), rounds);
  });

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
  const cpu = (of: readonly Run[]): string => `${showSpread(spreadOf(of.map(run => run.told.all / 1000)))} ms`;
  const since = (of: readonly Run[]): string => `${showSpread(spreadOf(of.map(run => run.told.since / 1000)))} ms`;
  const sdkBytes = part.modules.reduce(
    (sum, [name, bytes]) => sum + (/^@(?:aws-sdk|smithy)\//.test(name) ? bytes : 0),
    0,
  );
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;
  const figures: Figure[] = [
    {
      name: 'start: TLS, priming calls, six secrets',
      value: `${ratios.primed.toFixed(2)} × an empty module (${cpu(runs.primed)}); fastest tenths ${ratios.primedFast.toFixed(2)} ×`,
      reference: `minimal handler, same SDK and calls: ${ratios.minimal.toFixed(2)} × (${cpu(runs.minimal)})`,
      target: `≤ ${TARGETS.start} ×, under the minimal handler`,
      reached: Math.max(ratios.primed, ratios.primedFast) <= TARGETS.start && ratios.primed < ratios.minimal,
    },
    {
      name: 'import to the answer of the first event',
      value: `${ratios.firstEvent.toFixed(2)} × (${since(runs.firstEvent)})`,
      reference: `the same calls by node:https: ${since(runs.rawCalls)}`,
      target: `≤ ${TARGETS.firstEvent} × (2.5 ×)`,
      reached: ratios.firstEvent <= TARGETS.firstEvent,
    },
    {
      name: 'bytes a cold start reads, raw / gzip',
      value: `${kilobytes(part.raw)} / ${kilobytes(part.gzip)}`,
      reference: `of them the AWS SDK: ${kilobytes(sdkBytes)} raw`,
      target: `${kilobytes(TARGETS.raw)} / ${kilobytes(TARGETS.gzip)} (40 / 12 KB)`,
      reached: part.raw <= TARGETS.raw && part.gzip <= TARGETS.gzip,
    },
  ];
  return {
    id: 'a',
    title: '(a) Cold start of ingest',
    method: `The bundle as deployed by default, in fresh processes that have loaded \`http\` as Lambda's runtime has; ${rounds} rounds. The first event is a verified 5 KB GitHub push through the exported handler. DynamoDB, SQS and Secrets Manager are stand-ins in another process; the reference repeats the same requests, unsigned.`,
    figures,
    notes: [
      'Priming moves the first call of each client to init, where the function has a whole CPU: the start costs more, the first event less.',
      'Node alone takes about 2 × of it: a program that only loads `crypto`, `tls` and `zlib` and opens three connections.',
    ],
    numbers: {
      primed: ratios.primed,
      minimal: ratios.minimal,
      firstEvent: ratios.firstEvent,
      raw: part.raw,
      primedFastMs: quantile(
        runs.primed.map(run => run.told.all / 1000),
        0.1,
      ),
    },
  };
}
