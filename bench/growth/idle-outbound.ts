/** What a minute of the sending half costs in which nothing is sent: by endpoints, by messages kept, by paused replay jobs. */

import type { Item } from '#adapters/memory/item-rules.ts';
import type { MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { MINUTE_MS } from '#core/time.ts';
import { DAYS_PER_MONTH, PRICES } from '#operator/cost/prices.ts';
import { answered } from '#test/kit/outbound-world.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';
import { type CountedWorld, countedWorld } from '../billing/counted-world.ts';
import type { Meter } from '../billing/counters.ts';
import { CountingDatabase } from '../billing/counting-database.ts';

/** Of `tend`: what a function has that asks for nothing else (lib/constructs/gateway-function.ts). */
const TEND_GB = 0.5;
/** Runs before those that count, and those: in two hours `tend` does twice what it does once an hour. */
const MINUTES = 2 * 60;
const MINUTES_A_MONTH = DAYS_PER_MONTH * 24 * 60;

export interface Size {
  readonly endpoints: number;
  readonly messages: number;
  readonly jobs: number;
}

export interface IdleMinute {
  /** Of a minute, on average. */
  readonly calls: number;
  readonly readUnits: number;
  /** Of the longest run. */
  readonly seconds: number;
  /** Of a month of such minutes: reads, writes and the waiting of the function. */
  readonly dollars: number;
}

/** The real `tend` over stores that bill by the published rules, from two hours after the last message on. */
export async function idleOutbound({ endpoints, messages, jobs }: Size): Promise<IdleMinute> {
  const { world, meter, publish, app } = await worldOf(endpoints);
  const { clock } = world;
  world.tending = false;
  world.start();
  for (let n = 0; n < messages; n++) await clock.complete(publish(app), MINUTE_MS);
  await clock.advanceBy(MINUTE_MS);
  for (let n = 0; n < jobs; n++) {
    const job = { ...runningReplayJob(app, clock.now()), id: `job_${n}` as never, state: 'paused' as const };
    await startReplayJob(world.store, job);
  }
  let longestMs = 0;
  let tookMs = 0;
  const minute = async (): Promise<void> => {
    const from = clock.now();
    await clock.complete(world.tend(), MINUTE_MS);
    tookMs += clock.now() - from;
    longestMs = Math.max(longestMs, clock.now() - from);
    await clock.advanceBy(Math.max(0, from + MINUTE_MS - clock.now()));
  };
  for (let n = 0; n < MINUTES; n++) await minute();
  const [before, callsBefore] = [structuredClone(meter.counts), meter.calls.length];
  [longestMs, tookMs] = [0, 0];
  for (let n = 0; n < MINUTES; n++) await minute();
  world.stop();
  const reads = meter.counts.readUnits - before.readUnits;
  const writes = meter.counts.writeUnits - before.writeUnits;
  const all =
    (reads * PRICES.dynamoReadMillion.dollars + writes * PRICES.dynamoWriteMillion.dollars) / 1e6 +
    (tookMs / 1_000) * TEND_GB * PRICES.lambdaArmGbSecond.dollars;
  return {
    calls: (meter.calls.length - callsBefore) / MINUTES,
    readUnits: reads / MINUTES,
    seconds: longestMs / 1_000,
    dollars: (all / MINUTES) * MINUTES_A_MONTH,
  };
}

/** Read units of reading all endpoints of an application once: what a publish pays where they are not kept in memory. */
export async function endpointUnits(endpoints: number): Promise<number> {
  const { world, meter, app } = await worldOf(endpoints);
  const before = meter.counts.readUnits;
  await endpointsOf(world.store)(app, { endpointVersion: 1 });
  return meter.counts.readUnits - before;
}

/** Endpoints by the thousand are made in one second of its clock. */
class Unthrottled extends CountingDatabase {
  constructor(options: MemoryDatabaseOptions, meter: Meter) {
    super({ ...options, unitsPerPartition: Number.POSITIVE_INFINITY }, meter);
  }
}

async function worldOf(endpoints: number): Promise<CountedWorld & { readonly app: AppId }> {
  const counted = countedWorld({ database: Unthrottled });
  const app = await counted.world.createApplication();
  const answers = () => answered(200, {}, 'ok');
  const first = await counted.world.createEndpoint(app, answers);
  // The others as copies: each one that is created looks at those that are there.
  const isOfApplication = ({ pk, sk }: Item): boolean => pk === `A#${app}` && sk === 'META';
  const made = counted.database
    .dump('registry')
    .filter(item => JSON.stringify(item).includes(first) && !isOfApplication(item));
  for (let n = 1; n < endpoints; n++) {
    const id = `${first.slice(0, -4)}${n.toString(36).padStart(4, '0')}`;
    // As createEndpoint names it.
    counted.world.receivers.set(`https://${id}.example.com/in`, answers);
    for (const item of made)
      counted.database.write({
        kind: 'put',
        table: 'registry',
        item: JSON.parse(JSON.stringify(item).replaceAll(first, id)),
      });
  }
  return { ...counted, app };
}
