/** Faults that runs of the simulation found, each as its shortest story. */
import { expect, it } from 'vitest';
import { SimulatedProcess } from '#adapters/memory/simulated-process.ts';
import { replayEvent } from '#core/inbound/replay-event.ts';
import { MemoryWorld } from '#test/support/memory-world.ts';

const REQUEST = { by: 'a person', why: 'test' };

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
