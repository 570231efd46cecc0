/**
 * regression: a service that answers `Retry-After: 0` used up fifteen attempts in a second, and the event died.
 * Claims: 1. a hint never shortens the schedule's own wait. 2. A hint of a year is a day. 3. A wait that the handler
 * chose itself is kept as it is, and costs no attempt.
 */
import { describe, expect, it } from 'vitest';
import { busy, type Outcome, retryAfter } from '#core/handler/handler-contract.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

/** Milliseconds from the end of the first attempt to the next one. */
async function waitAfter(outcome: Outcome, seed: number, isFree = false): Promise<number> {
  const world = new MemoryWorld({ handlers: handlerThat(() => Promise.resolve(outcome)), seed });
  await world.post({ id: 'evt_1' });
  world.start();
  await world.clock.advanceBy(900);
  world.stop();
  const item = world.item('evt_1');
  expect(item).toMatchObject(isFree ? { status: 'deferred', attempts: 0 } : { status: 'failed', attempts: 1 });
  return (item?.nextAttemptAt ?? 0) - (item?.updatedAt ?? 0);
}

describe.each([1, 2, 3])('with seed %i', seed => {
  it.each([0, undefined, Number.NaN, -1])('a hint of %s waits as the schedule does', async seconds => {
    const own = await waitAfter(busy(undefined, 'busy'), seed);
    expect(own).toBeGreaterThanOrEqual(1_000);
    expect(await waitAfter(busy(seconds, 'busy'), seed)).toBe(own);
  });

  it('a hint of an hour waits an hour, one of a year a day', async () => {
    expect(await waitAfter(busy(3_600, 'busy'), seed)).toBe(HOUR_MS);
    expect(await waitAfter(busy(365 * 86_400, 'busy'), seed)).toBe(DAY_MS);
  });

  it('a wait of the handler itself is kept, and costs no attempt', async () => {
    expect(await waitAfter(retryAfter(1), seed, true)).toBe(1_000);
  });
});
