/** What counts as the time from an event's arrival to its end: only time that nobody asked it to wait. In virtual time. */
import { expect, it } from 'vitest';
import { HOUR_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

async function world() {
  const made = new MemoryWorld();
  await made.post({ id: 'a' });
  made.start();
  await made.settle();
  const times = () =>
    made.telemetry.measures.filter(({ metric }) => metric === 'ProcessingLatency').map(it => it.value);
  return { made, times };
}

it('is that of the first run: a replay waited for a person', async () => {
  const { made, times } = await world();
  expect(times()).toEqual([expect.any(Number)]);
  await made.clock.advanceBy(HOUR_MS);
  await made.clock.complete(made.replay('a', { replayId: 'r', by: 'ada', why: 'once more' }));
  await made.settle();
  made.stop();
  expect(made.item('a')).toMatchObject({ gen: 2, status: 'completed' });
  expect(times()).toHaveLength(1);
});
