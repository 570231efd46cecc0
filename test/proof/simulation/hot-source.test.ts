/** One source sends more than the table takes of it; another one must not notice. Scaled down by default. */
import { afterEach, expect, it } from 'vitest';
import { shardsFor } from '#core/inbound/protocol/spread.ts';
import { MINUTE_MS } from '#core/time.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { hotSource } from './hot-source.ts';

const LONG = process.env['HOLDFAST_LONG'] === '1';

afterEach(({ task }) => {
  recordRun(['I1', 'I2', 'I5', 'I7', 'I12'], 'hot source', 1, task.result?.state === 'fail' ? 1 : 0);
});

it(
  'three times what its partition takes: nothing is lost, places in flight stay free, a quiet source keeps its latency',
  async () => {
    const result = await hotSource({ scale: LONG ? 10 : 200, perSecond: 3_000, lastsMs: (LONG ? 10 : 1) * MINUTE_MS });
    if (LONG) console.log(result);
    expect(result.complaints).toEqual([]);
    expect(result.lost).toBe(0);
    expect(result.completed).toBe(result.events);
    // It is real: the table refused writes, and most of what came still waits at the end.
    expect(result.refused).toBeGreaterThan(result.events / 2);
    expect(result.backlog).toBeGreaterThan(result.events / 4);
    expect(result.mostInFlight).toBeLessThan(0.2 * result.inFlightLimit);
    expect(result.quietDuringMs).toBeLessThan(2 * result.quietBeforeMs);
    expect(result.sendsPerEvent).toBeLessThan(LONG ? 8 : 5);
    expect(result.drainedAfterMinutes).toBeLessThan(LONG ? 120 : 45);
  },
  30 * MINUTE_MS,
);

it(
  'a source of ten keys at 10,000 a second: nothing is lost, and what had to wait is done soon after',
  async () => {
    const result = await hotSource({
      scale: LONG ? 20 : 200,
      perSecond: 10_000,
      lastsMs: (LONG ? 10 : 0.4) * MINUTE_MS,
      shards: shardsFor(10_000),
    });
    if (LONG) console.log(result);
    expect(result.complaints).toEqual([]);
    expect(result.lost).toBe(0);
    expect(result.completed).toBe(result.events);
    // One key more than its share in some seconds: no tenth of the writes of ingest.
    expect(result.backlog).toBeLessThan(0.1 * result.events);
    expect(result.mostInFlight).toBeLessThan(0.2 * result.inFlightLimit);
    expect(result.quietDuringMs).toBeLessThan(2 * result.quietBeforeMs);
    expect(result.drainedAfterMinutes).toBeLessThanOrEqual(LONG ? 20 : 5);
  },
  30 * MINUTE_MS,
);
