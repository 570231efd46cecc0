import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idleSweep } from '#bench/billing/idle-sweep.ts';
import { auditOf } from '#bench/growth/audit.ts';
import type { Design, Load, Times } from '#bench/growth/design.ts';
import { endpointUnits, idleOutbound } from '#bench/growth/idle-outbound.ts';
import { OUTAGE } from '#bench/growth/observations.ts';
import { DEFAULT_QUOTAS, type Quotas } from '#bench/growth/quotas.ts';
import { Growth } from '#bench/growth/simulate.ts';
import { AUDIT_NIGHT } from '#core/config/sweeper-speed.ts';
import { ITEMS_AN_HOUR } from '#core/inbound/protocol/activity.ts';
import { IDLE_ASKED } from '#core/inbound/sweep/sweep.ts';

const TIMES: Times = { acceptMs: 20, handOverMs: 15, batchMs: 35, coldMs: 300 };
const LOAD: Load = { perSecond: 2, burst: 25, sources: 1 };
const OURS: Design = {
  name: 'ours',
  units: { accept: 4, complete: 2, fail: 3 },
  unitsOnOneKey: 1,
  batchSize: 10,
  maxConcurrency: 20,
  keysPerSource: 1,
  waits: { kind: 'outside', sendsPerSecond: 300 },
};
const HIDES: Design = { ...OURS, name: 'hides', waits: { kind: 'visibility', waitSeconds: 60, receives: 50 } };
/** Half of what the burst of 50/s writes. */
const SMALL_TABLE: Quotas = { ...DEFAULT_QUOTAS, tableFirst: 150, tableMost: 150 };

const run = (design: Design, quotas: Quotas = DEFAULT_QUOTAS, load = LOAD) =>
  new Growth(design, load, TIMES, quotas, 1).run();

describe('the nightly audit', () => {
  it('of ten million events a day ends before the next, of twenty million it does not', () => {
    expect(auditOf(1e7)).toMatchObject({ records: 3e8 });
    expect(auditOf(1e7).nights).toBeLessThanOrEqual(1);
    expect(auditOf(2e7).nights).toBeGreaterThan(1);
    expect(auditOf(1e7, 60).nights).toBe(auditOf(2e7).nights);
  });

  it('has the runs that are scheduled', () => {
    const stack = readFileSync(join(import.meta.dirname, '../../lib/stacks/gateway-stack.ts'), 'utf8');
    const [, minutes = '', from, to] = /minute: '([\d,]+)', hour: '(\d+)-(\d+)'/.exec(stack) ?? [];
    expect(minutes.split(',').length * (Number(to) - Number(from) + 1)).toBe(AUDIT_NIGHT.runs);
    expect(stack).toContain(`Duration.minutes(${AUDIT_NIGHT.runSeconds / 60})`);
  });
});

describe('an idle sweeper', () => {
  it('asks 25 sources a run for refusals, and counts the dead letters of those that have any', async () => {
    const [ten, many] = [await idleSweep(10, 0), await idleSweep(500, 0)];
    // Notes of all sources are a few items.
    expect(many.calls - ten.calls).toBeLessThan(ITEMS_AN_HOUR + IDLE_ASKED);
    expect(many.readUnits).toBeLessThan(60 + IDLE_ASKED);
    const five = await idleSweep(10, 5);
    expect(five.calls - ten.calls).toBeCloseTo(5, 5);
    expect(five.deaths).toBe(5);
  });

  it('reads a hundred units a minute more for thirty thousand dead letters, and says how many there are', async () => {
    const [none, many] = [await idleSweep(40, 0), await idleSweep(40, 30_000)];
    expect(many.readUnits - none.readUnits).toBeLessThan(150);
    expect(many.deaths).toBe(30_000);
  });
});

describe('an idle minute of sending', () => {
  it('costs the same with messages kept and with fewer; a paused replay job costs one read', async () => {
    const none = await idleOutbound({ endpoints: 10, messages: 0, jobs: 0 });
    // Whose turn it is in the two hours: a query more or less of the twelve looks.
    const kept = await idleOutbound({ endpoints: 10, messages: 40, jobs: 0 });
    expect(Math.abs(kept.calls - none.calls)).toBeLessThan(0.2);
    expect(Math.abs(kept.readUnits - none.readUnits)).toBeLessThan(0.2);
    const jobs = await idleOutbound({ endpoints: 10, messages: 0, jobs: 10 });
    expect(jobs.readUnits - none.readUnits).toBeCloseTo(10, 5);
  });

  it('reads 10 endpoints in two queries at most where they are not kept', async () => {
    expect(await endpointUnits(10)).toBeLessThanOrEqual(4);
  });
});

describe('growth', () => {
  it('breaks nothing that is large enough', () => {
    expect(run(OURS)).toMatchObject({ refused: 0, spilled: 0, breaches: [], deadLettered: 0 });
  });

  it('accepts by the message what a full table refuses, and processes it when there is room', () => {
    const ours = run(OURS, SMALL_TABLE);
    expect(ours).toMatchObject({ refused: 0, deadLettered: 0 });
    expect(ours.spilled).toBeGreaterThan(100);
    expect(ours.breaches[0]?.quota).toBe('write units of the table');
    expect(ours.drainSeconds).toBeDefined();
    const hides = run(HIDES, SMALL_TABLE);
    expect(hides.spilled).toBe(0);
    expect(hides.refused).toBeGreaterThan(100);
  });

  it('holds nothing in flight that waits: the other design holds all of it', () => {
    expect(run(OURS).inFlight).toBeLessThanOrEqual(OURS.maxConcurrency * OURS.batchSize);
    expect(run(HIDES).inFlight).toBeGreaterThan(50);
    expect(run(HIDES, { ...DEFAULT_QUOTAS, inFlight: 50 }).breaches.map(it => it.quota)).toContain(
      'SQS messages in flight',
    );
  });

  it('refuses what is above the throttle of the routes, and no more with a route for each half', () => {
    const throttled = { ...OURS, throttle: { rate: 25, burst: 25 } };
    const one = run(throttled);
    expect(one.breaches.map(it => it.quota)).toEqual(['throttle of a route']);
    expect(one.refused).toBeGreaterThan(500);
    expect(run(throttled, DEFAULT_QUOTAS, { ...LOAD, sources: 4 }).refused).toBe(0);
  });

  it('has a throughput of its own for each index and for the table of bodies: raising `events` raises none of them', () => {
    const besides = { 'the table payloads': 1.67, 'the index timeline': 1 };
    const small = { ...DEFAULT_QUOTAS, otherFirst: 40, tableMost: 4_000 };
    const bodies = run({ ...OURS, besides }, small);
    expect(bodies.breaches.map(it => it.quota)).toContain('write units of the table payloads');
    expect(bodies).toMatchObject({ refused: 0, deadLettered: 0 });
    expect(run({ ...OURS, besides }).breaches).toEqual([]);
  });

  it('counts the calls that starts make for their secrets: a quota that nobody can raise', () => {
    const rush = { perSecond: 40, burst: 25, sources: 1 };
    const named = run(OURS, { ...DEFAULT_QUOTAS, secretBatchesPerSecond: 5 }, rush).breaches.map(it => it.quota);
    expect(named).toContain('BatchGetSecretValue calls per second');
  });

  it('tries again what the target of a route refuses: a burst above its quota costs time, and no event', () => {
    const burst = { perSecond: 20, burst: 40, sources: 1 };
    const handled = run({ ...OURS, maxConcurrency: 100 }, DEFAULT_QUOTAS, burst);
    for (const target of ['StartExecution', 'PutEvents', 'FIFO'] as const) {
      const routed = run({ ...OURS, maxConcurrency: 100, target }, DEFAULT_QUOTAS, burst);
      expect(routed.breaches.map(it => it.quota)).toContain(`${target} calls per second`);
      expect(routed.drainSeconds ?? 0, target).toBeGreaterThan(handled.drainSeconds ?? 0);
      expect(routed, target).toMatchObject({ refused: 0, deadLettered: 0, drainSeconds: expect.any(Number) });
      // Within half of each quota nothing is refused, until what an outage left is sent at the sweeper's rate.
      const calm = run({ ...OURS, maxConcurrency: 100, target }, DEFAULT_QUOTAS, { ...burst, burst: 3 });
      expect(calm.breaches.filter(it => it.at < OUTAGE.from)).toEqual([]);
    }
  });

  it('takes as much on one source as its index keys do', () => {
    const key = { ...DEFAULT_QUOTAS, indexKeyUnits: 25 };
    expect(run(OURS, key).breaches.map(it => it.quota)).toEqual(['write units of one index key']);
    expect(run({ ...OURS, keysPerSource: 4 }, key).breaches).toEqual([]);
  });
});
