/** Clocks that are minutes off, a send and a note that are lost: the sweeper finds the event, the nightly audit is not needed. */
import { expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import type { Role } from '#test/kit/memory-world.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

it.each([
  ['the ingest clock is five minutes late', 'ingest', -5],
  ['the ingest clock is five minutes early', 'ingest', 5],
  ['the sweeper clock is five minutes early', 'sweep', 5],
  ['the sweeper clock is five minutes late', 'sweep', -5],
] as const)('%s', async (_name, role: Role, minutes) => {
  const lost = new Set(['queue.send', 'store.update']);
  let failing = true;
  const world = new MemoryWorld({
    queue: { duplicateRate: 0 },
    planOf: it => call => (it === 'ingest' && failing && lost.has(call.name) ? 'error' : undefined),
    clockOf: (clock, it) => (it === role ? { now: () => clock.now() + minutes * MINUTE_MS } : clock),
  });
  world.start();
  await world.clock.advanceBy(10 * MINUTE_MS);
  // Others came through just before, so the cursor is as far as it may be.
  failing = false;
  for (let n = 0; n < 10; n++) {
    await world.post({ id: `before-${n}` });
    await world.clock.advanceBy(MINUTE_MS);
  }
  failing = true;
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
  failing = false;
  for (let n = 0; n < 20; n++) {
    await world.post({ id: `after-${n}` });
    await world.clock.advanceBy(MINUTE_MS);
  }
  // Before the audit of the hour.
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
});
