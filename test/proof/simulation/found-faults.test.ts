/** Faults that runs of the simulation found, each as its shortest story. */
import { expect, it } from 'vitest';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import { MINUTE_MS } from '#core/time.ts';
import { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { Ledger } from './ledger.ts';

const REQUEST = { by: 'a person', why: 'test' };

// Holds I6.
it('a replay of an event that completed since it was read is refused: the finished run would lend it its key', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1' });
  const asRead = world.item('evt_1');
  if (!asRead) throw new Error('the event was not recorded');
  world.start();
  await world.settle();
  expect(world.item('evt_1')?.status).toBe('completed');
  const ports = world.processPorts(new SimulatedProcess({ clock: world.clock }));
  const replay = (item: typeof asRead, replayId: string) =>
    world.clock.complete(replayEvent(item, { ...REQUEST, replayId }, ports, world.rules));

  expect(await replay(asRead, 'replay-1')).toEqual({ kind: 'refused', reason: 'changed' });
  const now = world.item('evt_1');
  expect(now).toMatchObject({ gen: 1, run: 1 });
  expect((await replay(now ?? asRead, 'replay-2')).kind).toBe('replayed');
  await world.settle();
  expect(world.outside.map(({ key }) => key)).toEqual(['default:evt_1:1', 'default:evt_1:2']);
  expect(world.effects('evt_1')).toBe(2);
});

// Holds I3.
it('a request that froze before its write, and was never acknowledged, is found by the audit', async () => {
  let stalls = 0;
  let sendFails = false;
  const world = new MemoryWorld({
    planOf: role => call => {
      if (role !== 'ingest') return undefined;
      if (call.name === 'store.insert' && stalls++ === 0) return 'stall';
      return call.name === 'queue.send' && sendFails ? 'error' : undefined;
    },
    process: { stallMs: 15 * MINUTE_MS },
  });
  world.start();
  expect(await world.post({ id: 'evt_1' })).toBeUndefined();
  // A source that is busy: the cursor moves on while that request stands still.
  await world.post({ id: 'evt_2' });
  await world.clock.advanceBy(10 * MINUTE_MS);
  // The message that should stand in for the record fails as well.
  sendFails = true;
  await world.clock.advanceBy(20 * MINUTE_MS);
  const late = world.item('evt_1');
  expect(late?.status).toBe('pending');
  expect(late).not.toHaveProperty('watchAt');
  await world.clock.advanceBy(40 * MINUTE_MS);
  expect(world.item('evt_1')?.status).toBe('completed');
  const found = world.telemetry.lines.filter(({ line }) => line['cause'] === 'owed_but_not_watched');
  expect(found.map(({ line }) => line['pk'])).toEqual(['default#evt_1']);
  world.stop();
});

interface Found {
  readonly writtenAfterMs: number;
  readonly acknowledged?: boolean;
  readonly sent?: boolean;
  readonly times?: number;
  readonly cause?: string;
}
it.each<[string, number, Found]>([
  ['accepts a record written later than the sweeper waits', 0, { writtenAfterMs: 3 * MINUTE_MS }],
  [
    'and where it was acknowledged, one with a message',
    0,
    { writtenAfterMs: 3 * MINUTE_MS, acknowledged: true, sent: true },
  ],
  ['complains where it was written in time', 1, { writtenAfterMs: 1.5 * MINUTE_MS }],
  ['complains where it was acknowledged and never sent', 1, { writtenAfterMs: 3 * MINUTE_MS, acknowledged: true }],
  ['complains where it is found twice', 1, { writtenAfterMs: 3 * MINUTE_MS, times: 2 }],
  ['complains of every other mistake', 1, { writtenAfterMs: 3 * MINUTE_MS, cause: 'watch_overdue' }],
])('of what the audit finds, the ledger %s', (_, wrong, found) => {
  const { writtenAfterMs, acknowledged, sent, times = 1, cause = 'owed_but_not_watched' } = found;
  let now = 0;
  const ledger = new Ledger({ now: () => now, skewMs: 3_000, retentionDays: 30, deadRetentionDays: 90 });
  const pk = 'github#evt_1';
  ledger.announce(pk, { finals: ['completed'], effect: false, budget: 15 });
  ledger.delivered(pk, 'sha');
  ledger.payloadChanged({ before: undefined, after: { pk, sk: 'B#sha' }, by: 'write' });
  now = writtenAfterMs;
  const record = { pk, status: 'pending', gen: 1, run: 1, attempts: 0, bodySha: 'sha', receivedAt: 0 };
  ledger.eventChanged({ before: undefined, after: record, by: 'write' });
  if (acknowledged) ledger.promised(pk);
  if (sent) ledger.sent('main', JSON.stringify({ v: 1, pk, gen: 1 }));
  expect(ledger.complaints).toEqual([]);
  for (let n = 0; n < times; n++) ledger.reported({ stage: 'audit', pk, cause });
  expect(ledger.wrong).toBe(wrong);
});
