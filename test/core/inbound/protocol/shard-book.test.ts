/** Claims: what was ever spread is remembered, and a source that is spread further is looked at again. */
import { expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { toSourceId } from '#core/glossary.ts';
import { ARRIVALS_CONTROL, lookAgainFrom, readArrivals, SECOND_LOOK_CONTROL } from '#core/inbound/protocol/arrivals.ts';
import { pendingItem } from '#core/inbound/protocol/event-writes.ts';
import { growShards, shardBook } from '#core/inbound/protocol/shard-book.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';

const SOURCE = toSourceId('default');

it('notes what grew, keeps what shrank, and is read once a minute', async () => {
  const world = new MemoryWorld();
  const control = new MemoryControlStore(world.database, EVENTS);
  let reads = 0;
  const counted = {
    read: (name: string) => {
      reads += 1;
      return control.read(name);
    },
  };
  const grown: string[][] = [];
  const grow = (shards: Record<string, number>) =>
    growShards(shards, control, async sources => void grown.push([...sources]));
  await grow({});
  await grow({ default: 4, other: 2 });
  await grow({ default: 3, other: 5 });
  await grow({ other: 5 });
  expect(grown).toEqual([['default', 'other'], ['other']]);
  const shardsOf = shardBook(counted, () => world.clock.now(), { fresh: 6 });
  expect(await Promise.all(['default', 'other', 'fresh', 'unknown'].map(it => shardsOf(toSourceId(it))))).toEqual([
    4, 5, 6, 1,
  ]);
  expect(reads).toBe(1);
  await world.clock.advanceBy(MINUTE_MS);
  await shardsOf(SOURCE);
  expect(reads).toBe(2);
});

it('counts what is configured while it cannot be read', async () => {
  const broken = { read: () => Promise.reject(new Error('away')) };
  const shardsOf = shardBook(broken, () => 0, { default: 3 });
  expect(await shardsOf(SOURCE)).toBe(3);
});

it('an event that ingest put under a new key before the sweeper knew of it is found', async () => {
  const world = new MemoryWorld();
  const { clock, database } = world;
  const table = new MemoryEventStore(database, EVENTS);
  const control = new MemoryControlStore(database, EVENTS);
  world.start();
  await clock.advanceBy(5 * MINUTE_MS);
  // A request that died before its send, by an ingest that spreads; the sweeper is of the deploy before.
  const event = { gen: 1, provider: 'generic', eventType: 't', ingestId: 'i', bodySha: 'a'.repeat(64), size: 1 };
  const spread = new SpreadStore(
    table,
    () => 10,
    () => 10,
  );
  const pk = `${SOURCE}#evt_lost7` as never;
  const receivedAt = clock.now();
  await spread.insert(pendingItem({ ...event, pk, receivedAt }, receivedAt, DEFAULT_TIMINGS, true));
  expect((await table.get(pk))?.timelineHour).toMatch(/#\d$/);
  await clock.advanceBy(MINUTE_MS);
  await world.post({ id: 'later' });
  await clock.advanceBy(10 * MINUTE_MS);
  expect((await readArrivals(control))[SOURCE]).toBeGreaterThan(receivedAt);
  expect((await table.get(pk))?.watchAt).toBeUndefined();
  await growShards({ [SOURCE]: 10 }, control, grown => lookAgainFrom(clock.now() - 60 * MINUTE_MS, grown, control));
  expect((await readArrivals(control))[SOURCE]).toBeLessThan(receivedAt);
  world.stop();
});

it('moves back both cursors of a source that is spread further, each to where it is not before already', async () => {
  const control = new MemoryControlStore(new MemoryWorld().database, EVENTS);
  await control.write(ARRIVALS_CONTROL, '{"default":900,"other":900}', 0);
  await control.write(SECOND_LOOK_CONTROL, '{"default":400,"other":100}', 0);
  await lookAgainFrom(300 as never, [SOURCE], control);
  const read = async (name: string) => JSON.parse((await control.read(name))?.value ?? '{}');
  expect(await read(ARRIVALS_CONTROL)).toEqual({ default: 300, other: 900 });
  expect(await read(SECOND_LOOK_CONTROL)).toEqual({ default: 300, other: 100 });
});
