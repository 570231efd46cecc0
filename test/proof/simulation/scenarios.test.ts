/** The named scenarios, scaled down by default and in full size with `HOLDFAST_LONG=1`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { downstreamOutage, type OutageResult } from './outage.ts';
import { brokenDeploy, type Ending, emptiedTable, monthOfRetention, purgedQueue, twoSweepers } from './scenarios.ts';

const LONG = process.env['HOLDFAST_LONG'] === '1';
const MINUTES = 60_000;
const OUTAGE_HEAP_MB = 12_000;

let last: readonly string[] = [];
afterEach(({ task }) => {
  recordRun(last, 'scenarios', 1, task.result?.state === 'fail' ? 1 : 0);
});

/** Nothing lost, nothing twice, nothing the ledger complains about. */
function expectAllRight({ world, totals }: Ending, ...invariants: string[]): void {
  last = invariants;
  expect(world.region.ledger.complaints).toEqual([]);
  expect(totals.lost).toBe(0);
}

it(
  'a table emptied while messages are queued: every one of them ends in a final state',
  async () => {
    const count = LONG ? 50_000 : 1_000;
    const ending = await emptiedTable(count);
    expect(ending.queued).toBe(count);
    expect(ending.left).toBe(0);
    expectAllRight(ending, 'I2', 'I5', 'I14');
    expect(ending.totals.recorded).toBe(ending.totals.announced);
  },
  30 * MINUTES,
);

it('twelve hours of a deploy that cannot start: nothing in the DLQ, everything completed after the rollback', async () => {
  const ending = await brokenDeploy(12, LONG ? 400 : 100);
  const { atRollback, totals, world } = ending;
  expect(atRollback.completed).toBe(0);
  expect(atRollback.received).toBeGreaterThan(200);
  expect(atRollback.inDeadQueue).toBe(0);
  expectAllRight(ending, 'I2', 'I9');
  expect(world.region.ledger.counts.nativeRedrives).toBe(0);
  expect(world.region.ledger.deadCauses.get('unclaimable')).toBeUndefined();
  expect(totals.finals['completed']).toBeGreaterThan(0.9 * totals.announced);
});

it(
  'the downstream of one source away, for an hour in the long run: in flight stays below the limit, others hardly notice, the backlog drains',
  async () => {
    last = ['I2', 'I5', 'I12'];
    const scale = LONG ? 1 : 290;
    const minutes = LONG ? 60 : 15;
    const result = LONG ? await inOwnProcess(scale) : await downstreamOutage(scale, minutes * MINUTES);
    if (LONG) console.log(result);
    const { events, completed, inFlightLimit, mostInFlight, othersBeforeMs, othersDuringMs, backlog } = result;
    expect(result.complaints).toEqual([]);
    expect(events).toBeGreaterThan((290 * 60 * minutes) / scale);
    expect(backlog).toBeGreaterThan(0.9 * ((290 * 60 * minutes) / scale));
    expect(result.lost).toBe(0);
    expect(completed).toBe(events);
    expect(mostInFlight).toBeLessThan(0.5 * inFlightLimit);
    // The hot source's slow attempts share the processor: a moment, not minutes.
    expect(othersDuringMs).toBeLessThan(othersBeforeMs + 2_000);
    expect(result.drainedAfterMinutes).toBeLessThan(120);
  },
  180 * MINUTES,
);

it('the queue purged once, before anything was processed: the sweeper sends everything again', async () => {
  const ending = await purgedQueue(200);
  expect(ending.purged).toBe(200);
  expectAllRight(ending, 'I2');
  expect(ending.totals.purged).toBe(0);
  const sentAgain = [...ending.world.region.ledger.accounts.values()].filter(({ copies }) => copies > 1);
  expect(sentAgain.length).toBeGreaterThanOrEqual(200);
});

it.each(LONG ? [1, 2, 3, 4, 5, 6, 7, 8] : [1])(
  'two sweepers at once, in all the trouble there is, seed %i',
  async seed => {
    expectAllRight(await twoSweepers(seed, LONG ? 5 : 0.5, LONG ? 4_000 : 150), 'I2', 'I4', 'I8', 'I12');
  },
  30 * MINUTES,
);

it(
  'two months of retention: deletion by TTL, repetitions long after it, a source paused for six weeks, late replays',
  async () => {
    const ending = await monthOfRetention(1, LONG ? 400 : 8);
    expectAllRight(ending, 'I2', 'I5', 'I8', 'I14');
    expect(ending.world.region.ledger.counts.deletedByTtl).toBeGreaterThan(300);
    expect(ending.tooOld).toBeGreaterThan(0);
    expect(ending.longestPauseDays).toBeGreaterThan(40);
    expect(ending.world.people.counts.replays).toBeGreaterThan(50);
  },
  60 * MINUTES,
);

/** The full size wants a heap that no test worker has. */
async function inOwnProcess(scale: number): Promise<OutageResult> {
  const program = join(import.meta.dirname, 'outage.ts');
  const args = [`--max-old-space-size=${OUTAGE_HEAP_MB}`, program, String(scale)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1_048_576 });
  return JSON.parse(stdout) as OutageResult;
}
