/** A batch ends before its function does: with less time left than a handler may have, it gets only that. */
import { expect, it } from 'vitest';
import { done } from '#core/handler/handler-contract.ts';
import { processBatch } from '#core/inbound/process/process-batch.ts';
import { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from '../../../proof/journeys/support/handlers.ts';

it.each([5_000, 10_000])('with %i ms left a handler that hangs is given up before', async leftMs => {
  const world: MemoryWorld = new MemoryWorld({
    handlers: handlerThat(() => world.clock.sleep(25_000).then(() => done())),
  });
  await world.post({ id: 'a' });
  const [message] = world.main.receive(1);
  if (message === undefined) throw new Error('nothing was sent');
  const ports = world.processPorts(new SimulatedProcess({ clock: world.clock }));
  const begun = world.clock.now();
  await world.clock.complete(processBatch([message as never], leftMs, ports, world.rules as never));
  expect(world.clock.now() - begun).toBeLessThanOrEqual(leftMs);
});
