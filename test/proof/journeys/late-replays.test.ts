/** Bodies too large for an item outlive their records, however late a replay: the bucket deletes an object 97 days after its put. */
import { describe, expect, it } from 'vitest';
import { blobKeyOf } from '#core/inbound/protocol/event-item.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

const large = { inlineLimitBytes: 100, queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 } };
const data = { text: Array.from({ length: 100 }, (_, n) => `${n * 7_919}`).join(' ') };

async function workOff(world: MemoryWorld): Promise<void> {
  world.start();
  expect(await world.settle()).toBe(true);
  world.stop();
}
const daysLater = (world: MemoryWorld, days: number) => world.clock.advanceTo(world.clock.now() + days * DAY_MS);
const ask = (world: MemoryWorld, replayId: string) =>
  world.clock.complete(world.replay('evt_1', { replayId, by: 'test', why: 'later' }));

describe('a large body', () => {
  it('is there for each replay of a dead letter, each of which dies again weeks later', async () => {
    let broken = true;
    const handlers = handlerThat(() => (broken ? Promise.reject(new Error('down')) : undefined));
    const world = new MemoryWorld({ ...large, handlers, retry: { attempts: 2, baseSeconds: 60, capSeconds: 60 } });
    await world.post({ id: 'evt_1', data });
    await workOff(world);
    for (const replayId of ['r1', 'r2', 'r3']) {
      expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'handler_error' });
      await daysLater(world, 80);
      expect(await ask(world, replayId)).toMatchObject({ kind: 'replayed' });
      await workOff(world);
    }
    await daysLater(world, 80);
    broken = false;
    await ask(world, 'r4');
    await workOff(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', gen: 5 });
  });

  it('is there when a pause ends after half a year', async () => {
    const world = new MemoryWorld(large);
    await world.pause('default', true);
    await world.clock.advanceBy(10_000);
    await world.post({ id: 'evt_1', data });
    world.start();
    await world.clock.advanceBy(5 * MINUTE_MS);
    world.stop();
    expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true });
    for (let days = 0; days < 180; days += 9) {
      await daysLater(world, 9);
      await world.clock.complete(world.auditor.invoke({}));
    }
    await world.pause('default', false);
    await workOff(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
    const key = blobKeyOf(world.item('evt_1')!.pk, world.item('evt_1')!.bodySha);
    expect(await world.blobs.get(key)).toBeDefined();
  });

  it('is there when a late replay finds its source paused, and the pause ends weeks later', async () => {
    let broken = true;
    const handlers = handlerThat(() => (broken ? Promise.reject(new Error('down')) : undefined));
    const world = new MemoryWorld({ ...large, handlers, retry: { attempts: 1, baseSeconds: 60, capSeconds: 60 } });
    await world.post({ id: 'evt_1', data });
    await workOff(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter' });
    await daysLater(world, 88);
    await world.pause('default', true);
    await world.clock.advanceBy(10_000);
    await ask(world, 'r1');
    world.start();
    await world.clock.advanceBy(5 * MINUTE_MS);
    world.stop();
    expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true });
    for (let days = 0; days < 25; days++) {
      await daysLater(world, 1);
      await world.clock.complete(world.auditor.invoke({}));
    }
    broken = false;
    await world.pause('default', false);
    await workOff(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', gen: 2 });
  });

  it('is not put again by attempts of its first day', async () => {
    const handlers = handlerThat(() => Promise.reject(new Error('down')));
    const world = new MemoryWorld({ ...large, handlers, retry: { attempts: 3, baseSeconds: 60, capSeconds: 60 } });
    let puts = 0;
    const put = world.blobs.put.bind(world.blobs);
    world.blobs.put = (...args) => {
      puts += 1;
      return put(...args);
    };
    await world.post({ id: 'evt_1', data });
    await workOff(world);
    expect(puts).toBe(1);
    await daysLater(world, 2);
    await ask(world, 'r1');
    await workOff(world);
    expect(puts).toBe(1 + 3);
  });
});
