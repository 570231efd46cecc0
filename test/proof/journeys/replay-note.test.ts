import { expect, it } from 'vitest';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { done } from '#core/handler/handler-contract.ts';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import { reportHistory } from '#core/inbound/search/event-report.ts';
import { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

// Holds I4.
it('a replay whose result is large keeps both: who asked and why, and the result', async () => {
  const data = { text: 'x'.repeat(1_000) };
  const world = new MemoryWorld({ handlers: handlerThat(() => Promise.resolve(done({ data }))) });
  await world.post({ id: 'a' });
  world.start();
  await world.settle();
  await world.clock.complete(world.replay('a', { replayId: 'r', by: 'ada', why: 'the total was wrong' }));
  await world.settle();
  world.stop();
  const item = world.item('a');
  if (!item) throw new Error('the event has no record');
  const report = await reportHistory(item, new MemoryPayloadStore(world.database, PAYLOADS));
  expect(report).toMatchObject({
    status: 'completed',
    result: data,
    replays: [{ gen: 2, by: 'ada', why: 'the total was wrong' }],
  });
});

// Holds I4.
it('a replay that came too late does not stand as the one that was carried out', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'a' });
  world.start();
  await world.settle();
  const asRead = world.item('a');
  if (!asRead) throw new Error('the event has no record');
  const ports = world.processPorts(new SimulatedProcess({ clock: world.clock }));
  const replay = (item: typeof asRead, by: string) =>
    world.clock.complete(replayEvent(item, { replayId: `of-${by}`, by, why: `${by} says` }, ports, world.rules));
  expect((await replay(asRead, 'ada')).kind).toBe('replayed');
  expect((await replay(asRead, 'bob')).kind).toBe('refused');
  await world.settle();
  expect((await replay(world.item('a') ?? asRead, 'cy')).kind).toBe('replayed');
  await world.settle();
  world.stop();
  const { replays } = await reportHistory(world.item('a') ?? asRead, new MemoryPayloadStore(world.database, PAYLOADS));
  expect(replays).toEqual([
    { gen: 2, id: 'of-ada', by: 'ada', why: 'ada says', at: expect.any(String) },
    { gen: 3, id: 'of-cy', by: 'cy', why: 'cy says', at: expect.any(String) },
  ]);
});

it('the history of an event has each of its steps, in order', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'a' });
  world.start();
  await world.settle();
  world.stop();
  const item = world.item('a');
  if (!item) throw new Error('the event has no record');
  // As it is when its message went to the queue a second time.
  const sent = { ...item, enqueuedAt: item.receivedAt };
  const { timeline } = await reportHistory(sent, new MemoryPayloadStore(world.database, PAYLOADS));
  expect(timeline.map(({ step }) => step)).toEqual(['accepted', 'queued', 'attempt 1', 'completed']);
  expect(timeline[0]?.note).toBe('signature verified, recorded');
  expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted());
});
