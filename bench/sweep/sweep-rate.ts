/**
 * How much CPU the deployed sweeper and the nightly audit take: for each parked event that is sent, each arrival that is read,
 * each record that is audited. The real bundles against a stand-in for AWS in another process.
 * `node bench/sweep/sweep-rate.ts` prints a table (docs/operate/scale.md has it) and compares the sweeper with what the
 * configuration is held against (core/config/sweeper-speed.ts): it fails where one core does less.
 */
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { AUDITED_PER_SECOND, SWEEPER_PER_CORE } from '#core/config/sweeper-speed.ts';
import { buildBundles } from '#test/kit/bundles.ts';
import { loopbackEnvironment } from '../loopback/fake-aws.ts';
import { inFolder } from '../measure/in-folder.ts';
import { runChild } from '../measure/run-child.ts';
import { quantile } from '../measure/statistics.ts';
import { COUNT, NEXT_RUN, startFakeSweepAws, type Work } from './fake-sweep-aws.ts';

/** Runs of each bundle; the first ones only warm it up. */
const RUNS = 12;
const WARM_UPS = 3;
/**
 * CPU of a bare request to the stand-in by node:https on a quiet core of the machine whose figures stand in
 * sweeper-speed.ts. Between two runs, this measures how fast the machine is just now: neighbours may halve it.
 */
const BARE_MICROS = 150;
const BARE_REQUESTS = 2_000;
const BARE_AT_ONCE = 25;
/** Of a constant: less is noise. */
const TOLERANCE = 0.1;

interface Measured {
  /** CPU microseconds of each piece of work, by run. */
  readonly each: readonly number[];
  /** Of each bare request, before each run. */
  readonly bare: readonly number[];
}

async function measure(work: Work, bundle: string): Promise<Measured> {
  const aws = await startFakeSweepAws(work);
  const { told } = await runChild<Measured>([import.meta.filename, bundle, work], loopbackEnvironment(aws.url));
  await aws.stop();
  return told;
}

async function cpuMicros(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

async function runBundle(bundle: string, work: Work): Promise<void> {
  const { handler } = (await import(join(bundle, 'index.mjs'))) as {
    handler: (event: unknown, context: unknown) => Promise<unknown>;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: BARE_AT_ONCE });
  const [each, bare]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const requests = await cpuMicros(() => bareRequests(agent));
    await post(agent, NEXT_RUN);
    const until = Date.now() + 100_000;
    const spent = await cpuMicros(() => handler({}, { getRemainingTimeInMillis: () => until - Date.now() }));
    if (run < WARM_UPS) continue;
    bare.push(requests / BARE_REQUESTS);
    each.push(spent / COUNT[work]);
  }
  await post(agent, NEXT_RUN);
  agent.destroy();
  console.log(JSON.stringify({ each, bare }));
}

async function bareRequests(agent: Agent): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let n = 0; n < BARE_REQUESTS / BARE_AT_ONCE; n++) await post(agent, 'Bench.Bare');
  };
  await Promise.all(Array.from({ length: BARE_AT_ONCE }, lane));
}

const BARE_BODY = JSON.stringify({ MessageBody: 'x'.repeat(500) });

function post(agent: Agent, target: string): Promise<void> {
  const headers = { 'x-amz-target': target, 'content-length': BARE_BODY.length };
  return new Promise((resolve, reject) => {
    const call = request(process.env['AWS_ENDPOINT_URL'] ?? '', { method: 'POST', agent, headers }, answer => {
      answer.resume().once('end', resolve).once('error', reject);
    });
    call.once('error', reject).end(BARE_BODY);
  });
}

async function compare(): Promise<void> {
  const below: string[] = [];
  await inFolder(async folder => {
    console.log('| work | CPU us each | bare request us | bare requests each | a second on one quiet core | planned |');
    console.log('|---|---|---|---|---|---|');
    const bundles = await buildBundles(folder, ['sweep', 'audit'], { sweepSendsPerSecond: 1e9 });
    for (const work of ['sends', 'arrivals', 'records'] as const) {
      const { each, bare } = await measure(work, work === 'records' ? bundles.audit : bundles.sweep);
      // Each run beside the requests before it: a neighbour slows both.
      const ratio = quantile(
        each.map((micros, run) => micros / (bare[run] ?? Number.NaN)),
        0.5,
      );
      const perCore = 1e6 / (ratio * BARE_MICROS);
      const planned = work === 'records' ? AUDITED_PER_SECOND : SWEEPER_PER_CORE[work];
      if (perCore < planned * (1 - TOLERANCE)) below.push(work);
      const cells = [work, Math.min(...each).toFixed(0), Math.min(...bare).toFixed(0), ratio.toFixed(3)];
      console.log(`| ${[...cells, perCore.toFixed(0), planned].join(' | ')} |`);
    }
  });
  if (below.length === 0) return;
  console.error(
    `Less than core/config/sweeper-speed.ts says: ${below.join(', ')}. Lower it there, or make it as fast again.`,
  );
  process.exitCode = 1;
}

const [bundle, work] = process.argv.slice(2);
if (bundle === undefined) await compare();
else await runBundle(bundle, work as Work);
