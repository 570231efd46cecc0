/** One source sends more than the table takes of it; another one must not notice. Scaled down by default. */
import { afterEach, expect, it } from 'vitest';
import { recordRun } from '#test/kit/proof-ledger.ts';
import { hotSource } from './hot-source.ts';

const LONG = process.env['HOLDFAST_LONG'] === '1';
const MINUTE = 60_000;

afterEach(({ task }) => {
  recordRun(['I1', 'I2', 'I5', 'I7', 'I12'], 'hot source', 1, task.result?.state === 'fail' ? 1 : 0);
});

it(
  'three times what its partition takes: nothing is lost, places in flight stay free, a quiet source keeps its latency',
  async () => {
    const result = await hotSource({ scale: LONG ? 10 : 500, perSecond: 3_000, lastsMs: (LONG ? 10 : 2) * MINUTE });
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
  30 * MINUTE,
);
