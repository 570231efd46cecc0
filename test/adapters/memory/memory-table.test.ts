import { describe, expect, test } from 'vitest';
import { MemoryDatabase, type MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { all, any, eq, exists, gt, isIn, lt, missing } from '#core/condition.ts';
import type { EventPk } from '#core/glossary.ts';
import { DAY_MS } from '#core/time.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { MemoryItemStore, outboundTable } from '#test/kit/memory/memory-item-store.ts';

function build(options: Partial<MemoryDatabaseOptions> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(11);
  const database = new MemoryDatabase({ clock, random, indexLagMs: () => 0, ttlDelayMs: () => 0, ...options });
  database.define(eventsTable('events'));
  database.define({ name: 'ledger', partition: 'id' });
  const unitsOf = (call: () => unknown): { write: number; index: number } => {
    const usage = database.usage.get('events');
    const before = { write: usage?.writeUnits ?? 0, index: usage?.indexUnits ?? 0 };
    call();
    return { write: (usage?.writeUnits ?? 0) - before.write, index: (usage?.indexUnits ?? 0) - before.index };
  };
  return { clock, random, database, unitsOf, store: new MemoryEventStore(database, 'events') };
}

const put = (item: Record<string, unknown>) => ({ kind: 'put' as const, table: 'events', item });

describe('a table in memory', () => {
  test('shares no reference with its callers', async () => {
    const { store } = build();
    const item = makeEventItem('stripe', 'evt_1', { recentAttempts: [{ n: 1, at: 1, ms: 2, cause: 'error' }] });
    await store.insert(item);
    Object.assign(item.recentAttempts?.[0] ?? {}, { n: 99 });
    const read = await store.get(item.pk);
    expect(read?.recentAttempts?.[0]?.n).toBe(1);
    Object.assign(read?.recentAttempts?.[0] ?? {}, { n: 77 });
    expect((await store.get(item.pk))?.recentAttempts?.[0]?.n).toBe(1);
  });

  test.each([
    ['undefined', { pk: 'a', x: undefined }],
    ['NaN', { pk: 'a', x: Number.NaN }],
    ['a Date', { pk: 'a', x: new Date(0) }],
    ['a whole number beyond 2^53', { pk: 'a', x: 2 ** 60 }],
    ['an empty key', { pk: '' }],
    ['a missing key', { x: 1 }],
    ['a key over 2,048 bytes', { pk: 'k'.repeat(2_049) }],
    ['an index sort key over 1,024 bytes', { pk: 'a', timelineHour: 'h', timelineAt: 'k'.repeat(1_025) }],
    ['an empty index key', { pk: 'a', timelineHour: '' }],
    ['an index key of the wrong type', { pk: 'a', watchShard: 's', watchAt: 'soon' }],
    ['an item over 400 KB', { pk: 'a', x: 'x'.repeat(409_600) }],
  ])('refuses %s, and stores nothing', (_name, item) => {
    const { database } = build();
    expect(() => database.write(put(item))).toThrow(expect.objectContaining({ outcome: 'not_applied' }));
    expect(database.dump('events')).toEqual([]);
  });

  test('takes an empty text and an item of just 400 KB', () => {
    const { database } = build();
    database.write(put({ pk: 'a', x: '' }));
    database.write(put({ pk: 'b', x: 'x'.repeat(409_600 - 'pkbx'.length) }));
    expect(database.dump('events')).toHaveLength(2);
  });

  test('creates the item when the condition of an update holds for a missing one', () => {
    const { database } = build();
    const write = {
      kind: 'update' as const,
      table: 'events',
      key: { pk: 'a' },
      set: { x: 1 },
      condition: missing('y'),
    };
    expect(database.write(write)).toEqual({ kind: 'applied', before: undefined, after: { pk: 'a', x: 1 } });
  });

  test.each([
    ['an attribute set and removed', { set: { x: 1 }, remove: ['x'] }],
    ['an attribute set and added to', { set: { x: 1 }, add: { x: 1 } }],
    ['a key attribute', { set: { pk: 'b' } }],
    ['adding to a text', { add: { text: 1 } }],
  ])('refuses an update of %s', (_name, change) => {
    const { database } = build();
    database.write(put({ pk: 'a', text: 't' }));
    expect(() => database.write({ kind: 'update', table: 'events', key: { pk: 'a' }, ...change })).toThrow();
  });

  test.each([
    ['an empty group', { all: [] }],
    ['an empty list', isIn('x', [])],
    ['an order of booleans', gt('x', true)],
    ['an empty name', exists('')],
  ])('refuses a condition with %s', (_name, condition) => {
    const { database } = build();
    expect(() => database.write({ ...put({ pk: 'a' }), condition })).toThrow();
  });

  test('counts one unit per KB of the larger item, and two for an index key that moves', () => {
    const { database, unitsOf } = build();
    const update = (set: Record<string, unknown>, remove: string[] = []) =>
      unitsOf(() => database.write({ kind: 'update', table: 'events', key: { pk: 'a' }, set, remove }));
    expect(unitsOf(() => database.write(put({ pk: 'a', x: 'small' })))).toEqual({ write: 1, index: 0 });
    expect(update({ x: 'x'.repeat(2_500) })).toEqual({ write: 3, index: 0 });
    expect(update({ x: 'small again' })).toEqual({ write: 3, index: 0 });
    expect(update({ watchShard: 's#0', watchAt: 5 })).toEqual({ write: 1, index: 1 });
    expect(update({ x: 'unprojected' })).toEqual({ write: 1, index: 0 });
    expect(update({ watchAt: 6 })).toEqual({ write: 1, index: 2 });
    expect(update({ status: 'completed' }, ['watchAt', 'watchShard'])).toEqual({ write: 1, index: 1 });
    const refused = { ...put({ pk: 'a' }), condition: missing('pk') };
    expect(unitsOf(() => database.write(refused))).toEqual({ write: 1, index: 0 });
  });

  test('shows a change in an index only after its lag, and in the item at once', async () => {
    const { clock, store } = build({ indexLagMs: () => 500 });
    const item = makeEventItem('stripe', 'evt_1', { watchShard: 'stripe#0', watchAt: 1_000 });
    await store.insert(item);
    const due = () => store.watchDue('stripe#0', { before: 2_000 });
    expect((await due()).items).toEqual([]);
    expect(await store.get(item.pk)).toEqual(item);
    await clock.advanceBy(500);
    expect((await due()).items).toEqual([{ pk: item.pk, watchShard: 'stripe#0', watchAt: 1_000 }]);
    await store.update({ pk: item.pk, condition: exists('pk'), set: {}, remove: ['watchShard', 'watchAt'] });
    expect((await due()).items).toHaveLength(1);
    await clock.advanceBy(500);
    expect((await due()).items).toEqual([]);
  });

  test('pages through an index of a thousand entries without losing or repeating one', async () => {
    const { clock, store, random } = build({ indexLagMs: r => r.int(1_000) });
    for (let n = 0; n < 1_000; n++) {
      const watch = { watchShard: 's#0', watchAt: random.int(300) };
      await store.insert(makeEventItem('s', `e${n}`, watch));
    }
    await clock.advanceBy(1_000);
    const seen: { pk: EventPk; watchAt: number }[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.watchDue('s#0', { before: 300 }, cursor);
      seen.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(seen.map(entry => entry.pk)).size).toBe(1_000);
    expect(seen).toHaveLength(1_000);
    expect(seen.map(entry => entry.watchAt)).toEqual(seen.map(entry => entry.watchAt).toSorted((a, b) => a - b));
    const some = await store.watchDue('s#0', { from: 100, before: 102 });
    expect(some.items.every(entry => entry.watchAt === 100 || entry.watchAt === 101)).toBe(true);
  });

  test.each([0, -1, 1.5, Number.NaN])('takes no page of %s rows, of an index or of the table', async limit => {
    const { store, database } = build();
    database.define(outboundTable('registry'));
    const items = new MemoryItemStore(database);
    await expect(store.timeline('stripe#2026-01-01T00', { newestFirst: true, limit })).rejects.toThrow('Limit');
    const range = { table: 'registry', partition: 'a', limit } as const;
    await expect(items.query(range)).rejects.toThrow('Limit');
    await expect(items.query({ ...range, index: 'listed' })).rejects.toThrow('Limit');
  });

  test('deletes by TTL up to 48 hours late, never early, and not when the time was moved', async () => {
    const { clock, database } = build({ ttlDelayMs: () => 2 * DAY_MS });
    const expiresAt = Math.floor(clock.now() / 1000) + 60;
    database.write(put({ pk: 'a', expiresAt }));
    database.write(put({ pk: 'b', expiresAt }));
    database.write(put({ pk: 'c', expiresAt: clock.now() + 60_000 }));
    database.write({ kind: 'update', table: 'events', key: { pk: 'b' }, remove: ['expiresAt'] });
    await clock.advanceBy(2 * DAY_MS);
    expect(database.dump('events').map(item => item['pk'])).toEqual(['a', 'b', 'c']);
    await clock.advanceBy(60_000);
    expect(database.dump('events').map(item => item['pk'])).toEqual(['b', 'c']);
    await clock.advanceBy(400 * DAY_MS);
    expect(database.dump('events').map(item => item['pk'])).toEqual(['b', 'c']);
  });

  test('throttles a partition that is written too fast, of the table or of an index', async () => {
    const { clock, database } = build({ unitsPerPartition: 10 });
    const write = (n: number) => database.write(put({ pk: `p${n}`, timelineHour: 'hot', timelineAt: `${n}` }));
    for (let n = 0; n < 10; n++) write(n);
    expect(() => write(10)).toThrow('throttled');
    database.write(put({ pk: 'p10', timelineHour: 'cold', timelineAt: '1' }));
    await clock.advanceBy(1_000);
    write(11);
  });
});

describe('a transaction in memory', () => {
  const events = (set: Record<string, unknown>, condition = exists('pk')) => ({
    pk: 's#e' as EventPk,
    condition,
    set,
  });
  const ledger = (id: string, condition = missing('id')) => ({
    kind: 'put' as const,
    table: 'ledger',
    item: { id },
    condition,
  });

  test('applies everything or nothing, and says whose condition failed', async () => {
    const { store, database } = build();
    await store.insert(makeEventItem('s', 'e'));
    expect(await store.transact(events({ result: 'a' }), [ledger('1'), ledger('2')], 't1')).toEqual({
      kind: 'applied',
    });
    expect(await store.transact(events({ result: 'b' }), [ledger('3'), ledger('2')], 't2')).toEqual({
      kind: 'effect_refused',
      index: 1,
    });
    expect(await store.transact(events({ result: 'b' }, eq('owner', 'x')), [ledger('2')], 't3')).toEqual({
      kind: 'refused',
    });
    expect((await store.get('s#e' as EventPk))?.result).toBe('a');
    expect(database.dump('ledger').map(item => item['id'])).toEqual(['1', '2']);
  });

  test('answers the same token and request without applying it again, for 10 minutes', async () => {
    const { clock, store, database } = build();
    await store.insert(makeEventItem('s', 'e', { resends: 0 }));
    const once = { ...events({}), add: { resends: 1 } };
    await store.transact(once, [ledger('1')], 'token');
    expect(await store.transact(once, [ledger('1')], 'token')).toEqual({ kind: 'applied' });
    expect((await store.get('s#e' as EventPk))?.resends).toBe(1);
    await expect(store.transact(once, [ledger('9')], 'token')).rejects.toThrow('IdempotentParameterMismatch');
    await clock.advanceBy(600_000);
    expect(await store.transact(once, [ledger('1')], 'token')).toEqual({ kind: 'effect_refused', index: 0 });
    expect(database.dump('ledger')).toHaveLength(1);
  });

  test('refuses two writes of one item and more than 100 writes', async () => {
    const { store } = build();
    await store.insert(makeEventItem('s', 'e'));
    await expect(store.transact(events({}), [ledger('1'), ledger('1')], 't')).rejects.toThrow('two writes of one item');
    const many = Array.from({ length: 100 }, (_, n) => ledger(`${n}`));
    await expect(store.transact(events({}), many, 't')).rejects.toThrow('1 to 100 writes, not 101');
  });

  test('is canceled by a conflict at its rate, with nothing applied', async () => {
    const { store, database } = build({ conflictRate: 1 });
    await store.insert(makeEventItem('s', 'e'));
    expect(await store.transact(events({}), [ledger('1')], 't')).toEqual({ kind: 'conflict' });
    expect(database.dump('ledger')).toEqual([]);
  });
});

test('conditions combine as written', () => {
  const { database } = build();
  database.write(put({ pk: 'a', status: 'failed', nextAttemptAt: 50 }));
  const attempt = (now: number) =>
    database.write({
      kind: 'update',
      table: 'events',
      key: { pk: 'a' },
      condition: all(isIn('status', ['pending', 'failed']), any(missing('nextAttemptAt'), lt('nextAttemptAt', now))),
      set: { claimed: now },
    });
  expect(attempt(50)).toMatchObject({ kind: 'refused', item: { nextAttemptAt: 50 } });
  expect(attempt(51)).toMatchObject({ kind: 'applied', after: { claimed: 51 } });
});
