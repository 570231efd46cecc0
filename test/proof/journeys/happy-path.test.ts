import { expect, it } from 'vitest';
import { recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';

it('accepts, records, sends and processes an event once, with five calls to AWS and no read', async () => {
  const calls: string[] = [];
  const world = new MemoryWorld({ plan: recordCalls(calls) });
  const answer = await world.post({ id: 'evt_1' });
  expect(answer).toEqual({ status: 200, body: '{"status":"accepted","event_id":"evt_1"}' });
  expect(calls).toEqual(['secrets.fetch', 'store.note', 'payloads.putBody', 'store.insert', 'queue.send']);
  world.start();
  expect(await world.settle()).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1, gen: 1, actionTaken: 'counted' });
  expect(world.effects('evt_1')).toBe(1);
  expect(complaintsAbout(world)).toEqual([]);
});

it('answers a repeated delivery as already processed, without a second copy', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1' });
  const again = await world.post({ id: 'evt_1' });
  expect(again).toEqual({ status: 200, body: '{"status":"already_processed","event_id":"evt_1"}' });
  expect(world.main.sent).toBe(1);
  world.start();
  await world.settle();
  expect(world.effects('evt_1')).toBe(1);
});

it('gives the handler the exact bytes of the wire', async () => {
  const world = new MemoryWorld();
  const rawBody = ' {"event_id":"evt_1", "n": 9007199254740993, "s":"\\u00e9\\/ é" }\r\n';
  await world.post({ id: 'evt_1', rawBody });
  world.start();
  await world.settle();
  expect(Buffer.from(world.outside[0]?.bytes ?? []).toString()).toBe(rawBody);
});
