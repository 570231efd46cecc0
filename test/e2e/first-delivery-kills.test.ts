/**
 * Kills (SIGKILL) under load of a gateway whose handlers only transact (docs/decisions/what-needs-no-claim.md): the real bundles as processes over
 * DynamoDB Local and ElasticMQ. The queue is impatient, so that many messages are received a second time while their first
 * run, which holds no claim, goes on.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { LOCAL_RETRY } from '#core/config/defaults.ts';
import { javaMissing } from '#test/adapters/contracts/java-services.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { untilProcessed } from '#test/kit/processes/effects.ts';
import { post, sendSteadily } from '#test/kit/processes/load.ts';
import { type EventRecord, type RunningHoldfast, startHoldfast } from '#test/kit/processes/start-holdfast.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';

const PROJECT = join(import.meta.dirname, '../fixtures/transacting');
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 7);
const KILLS = 15;
/** Shorter than the slow handler of the project takes. */
const VISIBILITY_SECONDS = 3;
const LOAD = { perSecond: 20, seconds: 60, duplicates: 0.2, retryForMs: 120_000 };
const VICTIMS = ['process', 'process', 'ingest', 'process', 'sweep'] as const;
const POISON_LIMIT_MS = 240_000;

/** The programs are pinned to a core with `taskset`. */
const canRun = isLongRun() && process.platform === 'linux' && (await javaMissing()) === undefined;

describe.skipIf(!canRun)('a gateway whose handlers only transact', () => {
  const folder = mkdtempSync(join(tmpdir(), 'first-delivery-kills-'));
  const runsFile = join(folder, 'runs');
  let gateway: RunningHoldfast;

  beforeAll(async () => {
    const env = { RUNS_FILE: runsFile };
    gateway = await startHoldfast(folder, { project: PROJECT, visibilitySeconds: VISIBILITY_SECONDS, env });
  }, 120_000);
  afterAll(async () => {
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`loses nothing and applies nothing twice in ${KILLS} kills`, async () => {
    const over = new AbortController();
    const watching = watchFirstRuns(over.signal);
    const sending = sendSteadily(gateway.url, LOAD);
    await killAtRandom(new SeededRandom(SEED));
    const acknowledged = (await sending).filter(it => it.acceptedAt !== undefined);
    const effects = await untilProcessed(gateway, acknowledged);
    over.abort();
    const unclaimed = await watching;
    const records = await untilFinal(acknowledged.map(it => it.id));
    const runs = countRuns();

    const lost = acknowledged.filter(it => !effects.has(it.id) || records.get(it.id)?.status !== 'completed');
    const doubled = [...effects].filter(([, { times }]) => times !== 1);
    const ranAgain = acknowledged.filter(it => (runs.get(it.id) ?? 0) > 1).length;
    console.log(
      `Kills of first deliveries (seed ${SEED}): ${KILLS} kills, ${acknowledged.length} acknowledged, ` +
        `${unclaimed.size} seen running without a claim, ${ranAgain} ran more than once, lost ${lost.length}, doubled ${doubled.length}`,
    );
    recordRun(['I1', 'I2', 'I5'], 'first-delivery-kills', acknowledged.length, lost.length + doubled.length);
    expect(lost.map(it => [it.id, records.get(it.id)])).toEqual([]);
    expect(doubled).toEqual([]);
    // It was what it is about.
    expect(acknowledged.length).toBeGreaterThan(LOAD.perSecond * LOAD.seconds * 0.9);
    expect(unclaimed.size).toBeGreaterThan(10);
    expect(ranAgain).toBeGreaterThan(20);
  }, 600_000);

  it(
    'ends an event that kills each process that runs it: the second delivery is claimed, and attempts are counted',
    async () => {
      const id = `poison_${process.pid}`;
      const deadline = Date.now() + POISON_LIMIT_MS;
      // As a provider: the first requests may meet stores that are just starting.
      while ((await post(gateway.url, id)) !== 200 && Date.now() < deadline) await wait(1_000);
      while ((await gateway.records()).get(id)?.status !== 'dead_letter' && Date.now() < deadline) {
        await wait(500);
        // It stands for Lambda, which starts another.
        if (!isAlive(pidOf('process'))) await gateway.kill('process');
      }
      expect((await gateway.records()).get(id)?.status).toBe('dead_letter');
      // Once without a claim, then by claims.
      expect(countRuns().get(id)).toBe(1 + LOCAL_RETRY.attempts);
      expect((await gateway.effects()).has(id)).toBe(false);
    },
    POISON_LIMIT_MS + 60_000,
  );

  async function killAtRandom(random: SeededRandom): Promise<void> {
    for (let n = 0; n < KILLS; n++) {
      await wait(1_000 + random.int(4_000));
      await gateway.kill(VICTIMS[n % VICTIMS.length] as (typeof VICTIMS)[number]);
    }
  }

  /** Events that have begun to run while their record says that nobody has begun. */
  async function watchFirstRuns(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const seen = new Set<string>();
    while (!signal.aborted) {
      const begun = countRuns();
      for (const [id, { status }] of await gateway.records()) if (status === 'pending' && begun.has(id)) seen.add(id);
      await wait(1_000);
    }
    return seen;
  }

  /** An effect is there before its message is gone: records end within a lease. */
  async function untilFinal(ids: readonly string[]): Promise<ReadonlyMap<string, EventRecord>> {
    for (const deadline = Date.now() + 60_000; ; ) {
      const records = await gateway.records();
      if (ids.every(id => records.get(id)?.status === 'completed') || Date.now() > deadline) return records;
      await wait(1_000);
    }
  }

  function countRuns(): ReadonlyMap<string, number> {
    const runs = new Map<string, number>();
    const lines = existsSync(runsFile) ? readFileSync(runsFile, 'utf8').trim().split('\n') : [];
    for (const id of lines) runs.set(id, (runs.get(id) ?? 0) + 1);
    return runs;
  }

  function pidOf(role: string): number {
    return gateway.pids().programs[gateway.roles.indexOf(role)] ?? 0;
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
