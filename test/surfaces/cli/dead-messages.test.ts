import { expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { toSourceId } from '#core/glossary.ts';
import { HOUR_MS } from '#core/time.ts';
import { movableMessages } from '#operator/deaths/dead-messages.ts';
import { MemoryDeadQueue, MemoryQueueGauge } from '#test/kit/memory/queue/memory-queue-ports.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';

it('an accepted event that was never recorded comes back from the DLQ by a redrive, and is never purged', async () => {
  let down = true;
  const plan = ({ dependency }: { readonly dependency: string }) =>
    dependency === 'dynamodb' && down ? ('error' as const) : undefined;
  const world = new MemoryWorld({ plan, timings: { messageMaxAgeMs: HOUR_MS } });
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
  world.start();
  await world.clock.advanceBy(3 * HOUR_MS);
  expect(world.dead.dump()).toHaveLength(1);
  down = false;

  const gateway = {
    dead: new MemoryDeadQueue(world.dead),
    store: new MemoryEventStore(world.database, EVENTS),
    gauge: new MemoryQueueGauge(world.main, world.dead),
    deployment: { sources: [{}] } as never,
    timer: { sleep: (ms: number) => world.clock.advanceBy(ms), limit: () => Promise.reject(new Error('not needed')) },
  };
  const wantedBy = async (verb: 'redrive' | 'purge') => {
    const wanted: string[] = [];
    for await (const message of movableMessages(gateway, verb, { sources: [toSourceId('default')] }, true)) {
      if (message.wanted) wanted.push(message.body);
    }
    return wanted;
  };
  world.stop();
  await world.clock.advanceBy(HOUR_MS);
  expect(await wantedBy('purge')).toEqual([]);
  await world.clock.advanceBy(HOUR_MS);
  const [body = ''] = await wantedBy('redrive');
  world.main.send(body);
  world.start();
  expect(await world.settle()).toBe(true);
  world.stop();
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
  expect(world.effects('evt_1')).toBe(1);
});
