import { expect, it } from 'vitest';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { reportHistory } from '#core/inbound/event-report.ts';
import { done } from '#core/inbound/handler-contract.ts';
import { MemoryWorld, PAYLOADS } from '#test/support/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

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
