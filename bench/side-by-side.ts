/** Benchmark (d): the same load on Holdfast and on what a team would otherwise run, on this machine, one after the other. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Bench, Figure, Section } from './report/section.ts';
import { bullmq } from './side-by-side/bullmq.ts';
import { holdfast } from './side-by-side/holdfast.ts';
import { type Sent, sendAtOnce, sendSteadily } from './side-by-side/load.ts';
import { postgres } from './side-by-side/postgres.ts';
import { cpuSeconds, pinGenerator } from './side-by-side/programs.ts';
import type { Effect, RunningSystem, System } from './side-by-side/system.ts';
import { webhook } from './side-by-side/webhook.ts';

const run = promisify(execFile);
const SYSTEMS: readonly System[] = [holdfast, postgres, bullmq, webhook];
const PEERS = join(import.meta.dirname, 'peers');
const CONNECTIONS = 32;
const DUPLICATES = 0.05;
/** What was accepted must be processed this long after the load at the latest. */
const QUIET_LIMIT_MS = 1_200_000;
/** Of the time, at most, that is spent on looking at the effects: whoever looks must not keep the stores busy. */
const LOOK_SHARE = 0.05;

interface Plan {
  /** Programs on a JVM take more than half a minute of work until they are as fast as they get. */
  readonly warmUpSeconds: number;
  readonly steady: { readonly perSecond: number; readonly seconds: number };
  readonly saturationSeconds: number;
  readonly loss: { readonly perSecond: number; readonly seconds: number; readonly kills: number };
}
const FULL: Plan = {
  warmUpSeconds: 60,
  steady: { perSecond: 290, seconds: 60 },
  saturationSeconds: 15,
  loss: { perSecond: 20, seconds: 60, kills: 20 },
};
const QUICK: Plan = {
  warmUpSeconds: 15,
  steady: { perSecond: 290, seconds: 15 },
  saturationSeconds: 5,
  loss: { perSecond: 20, seconds: 15, kills: 5 },
};

interface Outcome {
  readonly system: System;
  readonly sent: number;
  readonly refused: number;
  readonly acceptMs: Spread;
  readonly doneMs: Spread;
  readonly unprocessed: number;
  readonly perSecond: number;
  /** Of its programs, and of its stores, per accepted event. */
  readonly programMicros: number;
  readonly storeMicros: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
}
interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export const measureSideBySide: Bench = async ({ quick, say }): Promise<Section> => {
  const plan = quick ? QUICK : FULL;
  if (!existsSync(join(PEERS, 'node_modules'))) await run('npm', ['ci', '--ignore-scripts'], { cwd: PEERS });
  pinGenerator();
  const outcomes: Outcome[] = [];
  const skipped: string[] = [];
  for (const system of SYSTEMS) {
    try {
      const outcome = await measure(system, plan, say);
      outcomes.push(outcome);
      say(`  ${JSON.stringify({ ...outcome, system: system.name })}`);
    } catch (error) {
      skipped.push(`${system.name} was skipped: ${error instanceof Error ? error.message : String(error)}`);
      say(`  ${skipped.at(-1)}`);
    }
  }
  return report(outcomes, skipped, plan);
};

async function measure(system: System, plan: Plan, say: (line: string) => void): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'side-by-side-'));
  let running: RunningSystem | undefined;
  try {
    say(`  ${system.name}: start`);
    running = await system.start(folder);
    await warmUp(running, plan.warmUpSeconds);
    say(`  ${system.name}: ${CONNECTIONS} connections for ${plan.saturationSeconds} s`);
    const saturated = await saturate(running, plan.saturationSeconds);
    await untilIdle(running);
    say(`  ${system.name}: ${plan.steady.perSecond}/s for ${plan.steady.seconds} s`);
    const steady = await hold(running, plan.steady);
    say(`  ${system.name}: ${plan.loss.kills} kills in ${plan.loss.seconds} s`);
    const loss = await storm(running, plan.loss);
    return { system, ...saturated, ...steady, ...loss };
  } finally {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** JIT compilers, connection pools and files get their first work unmeasured. */
async function warmUp(system: RunningSystem, seconds: number): Promise<void> {
  await sendAtOnce(system.url, 4, seconds);
  await untilIdle(system);
}

async function saturate(system: RunningSystem, seconds: number) {
  const { programs, stores } = system.pids();
  const before = { programs: cpuSeconds(programs), stores: cpuSeconds(stores) };
  const { accepted } = await sendAtOnce(system.url, CONNECTIONS, seconds);
  await untilIdle(system);
  const perEvent = (seconds: number): number => (seconds * 1e6) / Math.max(1, accepted);
  return {
    perSecond: accepted / seconds,
    programMicros: perEvent(cpuSeconds(programs) - before.programs),
    storeMicros: perEvent(cpuSeconds(stores) - before.stores),
  };
}

async function hold(system: RunningSystem, { perSecond, seconds }: Plan['steady']) {
  const events = await sendSteadily(system.url, { perSecond, seconds, duplicates: DUPLICATES, retryForMs: 0 });
  const accepted = events.filter(it => it.acceptedAt !== undefined);
  const effects = await untilProcessed(system, accepted);
  const done = accepted.flatMap(({ id, dueAt }) => {
    const at = effects.get(id)?.at;
    return at === undefined ? [] : [at - dueAt];
  });
  return {
    sent: events.length,
    refused: events.length - accepted.length,
    acceptMs: spread(accepted.map(it => (it.acceptedAt ?? 0) - it.dueAt)),
    doneMs: spread(done),
    unprocessed: accepted.filter(it => !effects.has(it.id)).length,
  };
}

/** SIGKILL of one program after the other at random instants, under load from a sender that retries. */
async function storm(system: RunningSystem, { perSecond, seconds, kills }: Plan['loss']) {
  const load = sendSteadily(system.url, { perSecond, seconds, duplicates: DUPLICATES, retryForMs: 120_000 });
  for (let n = 0; n < kills; n += 1) {
    await sleep(Math.random() * ((2_000 * seconds) / kills) * 0.9);
    await system.kill(system.roles[n % system.roles.length] ?? '');
  }
  const acknowledged = (await load).filter(it => it.acceptedAt !== undefined);
  const effects = await untilProcessed(system, acknowledged);
  return {
    kills,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(it => !effects.has(it.id)).length,
    doubled: acknowledged.filter(it => (effects.get(it.id)?.times ?? 0) > 1).length,
  };
}

/** The effects once all of these have theirs, or when nothing happened for long enough. */
async function untilProcessed(system: RunningSystem, events: readonly Sent[]): Promise<ReadonlyMap<string, Effect>> {
  const deadline = Date.now() + QUIET_LIMIT_MS;
  for (let last = -1, since = Date.now(); ; ) {
    const began = Date.now();
    const effects = await system.effects();
    const looked = Date.now() - began;
    const found = events.filter(it => effects.has(it.id)).length;
    if (found !== last) [last, since] = [found, Date.now()];
    // Ours looks again at what a killed process held after its lease, BullMQ after its lock: both within 75 s.
    if (found === events.length || Date.now() - since > 75_000 || Date.now() > deadline) {
      await sleep(2_000);
      return system.effects();
    }
    await sleep(Math.max(500, looked / LOOK_SHARE));
  }
}

/** Until the number of effects stands still: the next phase starts with an empty queue. */
async function untilIdle(system: RunningSystem): Promise<void> {
  const deadline = Date.now() + QUIET_LIMIT_MS;
  for (let last = -1; Date.now() < deadline; ) {
    const began = Date.now();
    const { size } = await system.effects();
    if (size === last) return;
    last = size;
    await sleep(Math.max(2_500, (Date.now() - began) / LOOK_SHARE));
  }
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function onWarmth({ sent, refused, acceptMs }: Outcome, { steady }: Plan): string {
  const accepted = sent - refused;
  const rate = accepted / (steady.seconds + acceptMs.p99 / 1_000);
  return `Saturation comes before the steady phase: the stand-ins of ours have met some hundreds of events by then, and their JVMs still compile. In the steady phase ours accepted ${accepted} events, about ${rate.toFixed(0)} a second until the last answer.`;
}

function report(outcomes: readonly Outcome[], skipped: readonly string[], plan: Plan): Section {
  const ours = outcomes.find(it => it.system === holdfast);
  const durable = outcomes.filter(it => it.system.durable && it.system !== holdfast);
  const hook = outcomes.find(it => it.system === webhook);
  const best = Math.min(...durable.map(it => it.acceptMs.p99));
  const ratio = (a: number | undefined, b: number | undefined): number => (a ?? Number.NaN) / (b ?? Number.NaN);
  const figures: Figure[] = [
    {
      name: 'accept p99 beside the best durable peer',
      value: `${ratio(ours?.acceptMs.p99, best).toFixed(2)}×`,
      reference: 'the same load on the peer, in this run',
      target: '≤ 2×',
      moonshot: '≤ 1×',
      reached: ratio(ours?.acceptMs.p99, best) <= 2,
    },
    {
      name: 'accepted per second at saturation, beside adnanh/webhook',
      value: `${ratio(ours?.perSecond, hook?.perSecond).toFixed(2)}×`,
      reference: 'adnanh/webhook, which keeps nothing',
      target: 'reported',
      moonshot: '≥ 1× while durable',
    },
    {
      name: `lost, and effects twice, in ${plan.loss.kills} kills`,
      value: `${ours?.lost} and ${ours?.doubled}`,
      reference: outcomes
        .filter(it => it !== ours)
        .map(it => `${it.system.name}: ${it.lost} and ${it.doubled}`)
        .join('; '),
      target: '0 and 0',
      reached: ours?.lost === 0 && ours.doubled === 0,
    },
  ];
  const ms = (value: number): string => (Number.isNaN(value) ? '–' : `${Math.round(value)}`);
  return {
    id: 'd',
    title: '(d) Side by side',
    method: `One system after the other on the same machine: their programs and stores on one core, the generator on the other. Events of 5 KB, unique ids, ${DUPLICATES * 100} % sent twice, HMAC-SHA256 verified by all. After ${plan.warmUpSeconds} s of unmeasured work, ${CONNECTIONS} connections as fast as they are answered, then ${plan.steady.perSecond}/s for ${plan.steady.seconds} s whatever the answers (open loop, timed from when each event was due), then ${plan.loss.perSecond}/s from a sender that retries while each program but the stores is killed (SIGKILL) and started again, ${plan.loss.kills} times in all. Ours are the real handlers in their bundles, over stand-ins for DynamoDB and SQS that are JVM programs made for tests: their speed is theirs, not AWS's. What each keeps on disk when it answers 200 stands in the table.`,
    figures,
    tables: [
      {
        title: 'Each system',
        head: [
          'system',
          'on disk at the 200',
          'accepted/s at saturation',
          'CPU µs per accepted event: programs + stores',
          `refused of ${outcomes[0]?.sent ?? 0} at ${plan.steady.perSecond}/s`,
          'accept p50 / p99 ms',
          'due → processed p50 / p99 ms',
          'accepted, never processed',
          'kills: acknowledged / lost / twice',
        ],
        rows: outcomes.map(it => [
          it.system.name,
          it.system.synced,
          it.perSecond.toFixed(0),
          `${it.programMicros.toFixed(0)} + ${it.storeMicros.toFixed(0)}`,
          String(it.refused),
          `${ms(it.acceptMs.p50)} / ${ms(it.acceptMs.p99)}`,
          `${ms(it.doneMs.p50)} / ${ms(it.doneMs.p99)}`,
          String(it.unprocessed),
          `${it.acknowledged} / ${it.lost} / ${it.doubled}`,
        ]),
      },
    ],
    notes: [...skipped, ...(ours ? [onWarmth(ours, plan)] : [])],
    numbers: {
      acceptRatio: ratio(ours?.acceptMs.p99, best),
      saturationRatio: ratio(ours?.perSecond, hook?.perSecond),
      lost: ours?.lost ?? Number.NaN,
      doubled: ours?.doubled ?? Number.NaN,
    },
  };
}
