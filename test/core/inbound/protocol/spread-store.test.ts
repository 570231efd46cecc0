/** Claims: a source over several keys reads as one with one key; what was stored before it was spread is found. */
import { expect, it } from 'vitest';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { exists } from '#core/condition.ts';
import { given } from '#core/given.ts';
import type { EventStore, Page } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { watchShardOf } from '#core/inbound/protocol/event-writes.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

const HOUR = 'stripe#2026-01-05T00';
const START = 1_767_571_200_000;

function makeStore(): EventStore {
  const clock = new VirtualClock();
  const database = new MemoryDatabase({
    clock,
    random: new SeededRandom(4),
    indexLagMs: () => 0,
    unitsPerPartition: 1e9,
  });
  database.define(eventsTable('events'));
  return new MemoryEventStore(database, 'events');
}

async function fill(store: EventStore, count: number, from = 0): Promise<void> {
  const random = new SeededRandom(count + from);
  for (let n = from; n < from + count; n++) {
    const at = START + random.int(3_000);
    const item = makeEventItem('stripe', `e${n}`, { watchAt: 1_000 + random.int(50) });
    await store.insert({
      ...item,
      watchShard: watchShardOf(item.pk),
      timelineHour: HOUR,
      timelineAt: `${at}#e${n}`,
    } as EventItem);
  }
}

async function walk<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<T> = await read(cursor);
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

it('reads the timeline in order, page by page, forwards and backwards, within bounds, whatever the page', async () => {
  const plain = makeStore();
  const spread = new SpreadStore(
    makeStore(),
    () => 7,
    () => 7,
  );
  for (const store of [plain, spread]) await fill(store, 300);
  for (const newestFirst of [false, true]) {
    for (const bounds of [{}, { from: `${START + 700}`, to: `${START + 2_000}` }, { from: `${START + 2_999}` }]) {
      for (const limit of [1, 25, 100, 500]) {
        const read = (store: EventStore) =>
          walk(cursor => store.timeline(HOUR, { ...bounds, newestFirst, limit, ...given({ cursor }) }));
        const [wanted, got] = [await read(plain), await read(spread)];
        expect(got.map(it => it.timelineAt)).toEqual(wanted.map(it => it.timelineAt));
        expect(got[0]?.eventType).toBe(wanted[0]?.eventType);
      }
    }
  }
});

it('a page is about as long as it was asked for', async () => {
  const spread = new SpreadStore(
    makeStore(),
    () => 10,
    () => 10,
  );
  await fill(spread, 1_000);
  const page = await spread.timeline(HOUR, { newestFirst: false, limit: 500 });
  expect(page.items.length).toBeGreaterThan(250);
  expect(page.items.length).toBeLessThanOrEqual(600);
});

it('finds what was stored before the source was spread, and what is stored under fewer keys again', async () => {
  const table = makeStore();
  await fill(table, 60);
  const wide = new SpreadStore(
    table,
    () => 10,
    () => 10,
  );
  await fill(wide, 60, 1_000);
  // A lower throttle: fewer keys are written, all are read.
  const narrow = new SpreadStore(
    table,
    () => 2,
    () => 10,
  );
  await fill(narrow, 60, 2_000);
  const entries = await walk(cursor => narrow.timeline(HOUR, { newestFirst: false, ...given({ cursor }) }));
  expect(new Set(entries.map(it => it.pk)).size).toBe(180);
  const watched = await Promise.all(
    [0, 1, 2, 3].map(part => walk(cursor => narrow.watchDue(`stripe#${part}`, { before: 9_999 }, cursor))),
  );
  expect(new Set(watched.flat().map(it => it.pk)).size).toBe(180);
  expect(watched.flat()).toHaveLength(180);
});

it('goes on with a page that began before the source was spread', async () => {
  const table = makeStore();
  await fill(table, 60);
  let shards = 1;
  const store = new SpreadStore(
    table,
    () => shards,
    () => shards,
  );
  const first = await store.timeline(HOUR, { newestFirst: false, limit: 20 });
  shards = 5;
  const rest = await walk(cursor =>
    store.timeline(HOUR, { newestFirst: false, limit: 20, cursor: cursor ?? first.cursor ?? '' }),
  );
  expect(new Set([...first.items, ...rest].map(it => it.pk)).size).toBe(60);
});

it('reads the watch of each part, oldest first within a page, and moves an event with its next write', async () => {
  const table = makeStore();
  await fill(table, 40);
  const store = new SpreadStore(
    table,
    () => 10,
    () => 10,
  );
  const page = await store.watchDue('stripe#0', { before: 9_999 });
  const times = page.items.map(it => it.watchAt);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const pk = page.items[0]?.pk as EventItem['pk'];
  const moved = await store.update({
    pk,
    condition: exists('pk'),
    set: { watchShard: watchShardOf(pk), watchAt: 1_500 },
  });
  expect(moved.item?.watchShard).toMatch(/^stripe#(0|4|8|12|16)$/);
  const again = await store.watchDue('stripe#0', { before: 9_999 });
  expect(again.items.map(it => it.pk).sort()).toEqual(page.items.map(it => it.pk).sort());
});
