/** While a breaker parks what the sweeper brings back, the sweeper brings it back at half its rate. */
import { expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { breakerPark, park } from '#core/inbound/protocol/event-writes.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';

const PARKED = 900;
/** Of the memory world. */
const SENDS_PER_SECOND = 300;

/** Sends per second in the first run of the sweeper, over events that were parked an hour ago and are due. */
async function rateOver(newlyParked: boolean): Promise<number> {
  const world = new MemoryWorld({ queue: { duplicateRate: 0 }, database: { indexLagMs: () => 0 } });
  const store = new MemoryEventStore(world.database, EVENTS);
  const sweepAt = world.clock.now() + MINUTE_MS;
  const parkOne = async (key: string, at: number): Promise<void> => {
    const item = makeEventItem('default', key);
    await store.insert(item);
    await store.update(park(item.pk, 1, breakerPark(at, at + 15 * SECOND_MS, 'default:*')));
  };
  for (let n = 0; n < PARKED; n++) await parkOne(`old-${n}`, sweepAt - HOUR_MS);
  for (let n = 0; n < 40 && newlyParked; n++) await parkOne(`new-${n}`, sweepAt - 5 * SECOND_MS);
  const sentAt: number[] = [];
  world.main.onSent = () => sentAt.push(world.clock.now());
  world.start();
  world.mapping.disable();
  await world.clock.advanceTo(sweepAt + 50 * SECOND_MS);
  world.stop();
  expect(sentAt.length).toBeGreaterThanOrEqual(PARKED);
  return (sentAt.length * SECOND_MS) / (Math.max(...sentAt) - Math.min(...sentAt));
}

// Holds I12.
it('is its whole rate when nothing was parked just now: the backlog of a breaker that closed again', async () => {
  expect(await rateOver(false)).toBeGreaterThan(0.9 * SENDS_PER_SECOND);
});

// Holds I12.
it('is half of it while a breaker goes on parking', async () => {
  const rate = await rateOver(true);
  expect(rate).toBeGreaterThan(0.4 * SENDS_PER_SECOND);
  expect(rate).toBeLessThan(0.6 * SENDS_PER_SECOND);
});
