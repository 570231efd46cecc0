/** How long a handler may wait is counted from its own first `defer()`, not from a failure of ours before it. */
import { expect, it } from 'vitest';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { defer } from '#core/handler/handler-contract.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { faultWhile } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';

// Holds I12.
it('a dependency that failed for fifty minutes leaves a first defer() its whole hour', async () => {
  let down = true;
  const seen: (number | undefined)[] = [];
  const plan = faultWhile('payloads.getBody', 'error', () => down);
  const world = new MemoryWorld({
    timings: LOCAL_TIMINGS,
    queue: { duplicateRate: 0 },
    planOf: role => (role === 'process' ? plan : () => undefined),
    handlers: handlerThat(({ world: it }, _event, context) => {
      seen.push(context.deferredSince);
      // What it waits for comes fifty minutes after it began to wait.
      return seen.length <= 6 ? Promise.resolve(defer(it.clock.now() + 9 * MINUTE_MS, 'the invoice')) : undefined;
    }),
  });
  await world.post({ id: 'evt_1' });
  world.main.purge();
  world.start();
  await world.clock.advanceBy(50 * MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'deferred', attempts: 0 });
  expect(seen).toEqual([]);
  down = false;
  expect(await world.settle()).toBe(true);
  expect(seen[0]).toBeUndefined();
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
});
