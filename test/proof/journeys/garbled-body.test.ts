/** A store that gives other bytes than the record names: the handler never sees them, and the event waits for the right ones. */
import { expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';

// Holds I13, I14.
it('runs an event with the bytes its record names, or not yet', async () => {
  const world = new MemoryWorld({ queue: { duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  world.main.purge();
  const [stored] = world.database.dump(PAYLOADS);
  const { pk, sk, bytes } = stored as { pk: string; sk: string; bytes: Uint8Array };
  const write = (set: object) =>
    world.database.write({ kind: 'update', table: PAYLOADS, key: { pk, sk }, set: set as Record<string, unknown> });
  write({ bytes: nodeCodec.deflate(Buffer.from('{"event_id":"another"}')) });
  world.start();
  await world.clock.advanceBy(10 * MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'deferred', attempts: 0 });
  expect(world.outside).toEqual([]);
  write({ bytes });
  expect(await world.settle()).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
});
