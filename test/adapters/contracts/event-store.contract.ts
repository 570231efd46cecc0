import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { all, any, type Condition, eq, exists, gt, isIn, lt, missing } from '#core/condition.ts';
import { CONTROL_PREFIX, type EventPk, TTL_ATTRIBUTE, toSourceId } from '#core/glossary.ts';
import type { EventStore, EventUpdate, Page } from '#core/inbound/ports.ts';
import { noteKey } from '#core/inbound/protocol/activity.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { EffectWrite } from '#core/ports.ts';
import { makeEventItem, mixed } from './event-item-fixture.ts';

export interface EventStoreSubject {
  readonly store: EventStore;
  readonly eventsTable: string;
  /** A user's table with partition key `id`. */
  readonly effectsTable: string;
  readEffect(id: string): Promise<Record<string, unknown> | undefined>;
  /** Waits until the indexes show what was written. */
  settle(): Promise<void>;
}

let sources = 0;
/** A source of the test's own, so that tests share one table. */
const freshSource = (): string => `contract-${Date.now().toString(36)}-${++sources}`;

async function pages<T>(read: (cursor?: string) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<T> = await read(cursor);
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

const notApplied = expect.objectContaining({ name: 'DependencyError', outcome: 'not_applied' });

/** `gaps`: refusals this implementation is known to lack; each is expected to fail, so that a repaired one shows. */
export function eventStoreContract(subject: () => EventStoreSubject, gaps: readonly string[] = []): void {
  const refusal = (name: string) => (gaps.includes(name) ? test.fails : test);
  const store = (): EventStore => subject().store;

  describe('EventStore: writes', () => {
    test('inserts once; later inserts get the item that is there', async () => {
      const item = makeEventItem(freshSource(), 'e1', {
        eventAt: 1_767_571_100_000,
        recentAttempts: [{ n: 1, at: 5, ms: 20, cause: 'error' }],
        parked: false,
        result: '',
        watchShard: 'w#0',
        watchAt: 7,
      });
      expect(await store().insert(item)).toEqual({ kind: 'applied', item });
      const again = { ...item, ingestId: 'another', bodySha: 'b'.repeat(64) };
      expect(await store().insert(again)).toEqual({ kind: 'refused', item });
      expect(await store().get(item.pk)).toEqual(item);
    });

    test('lets exactly one of twenty concurrent inserts through', async () => {
      const source = freshSource();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store().insert(makeEventItem(source, 'e', { ingestId: `${n}` }))),
      );
      const winner = results.find(result => result.kind === 'applied')?.item;
      expect(results.filter(result => result.kind === 'applied')).toHaveLength(1);
      for (const result of results) expect(result.item).toEqual(winner);
    });

    test('updates when the condition holds and returns the item after it', async () => {
      const item = makeEventItem(freshSource(), 'e', { leaseUntil: 5, nextAttemptAt: 100, owner: 'a' });
      await store().insert(item);
      const update: EventUpdate = {
        pk: item.pk,
        condition: all(
          eq('gen', 1),
          any(isIn('status', ['failed']), all(eq('status', 'pending'), lt('nextAttemptAt', 101))),
        ),
        set: mixed({ status: 'processing', owner: 'b', size: 3, result: 'r', cause: 'c' }),
        add: { attempts: 1, run: 2 },
        remove: ['nextAttemptAt', 'deadAt'],
      };
      const { nextAttemptAt: _gone, ...rest } = item;
      const expected = {
        ...rest,
        status: 'processing',
        owner: 'b',
        size: 3,
        result: 'r',
        cause: 'c',
        attempts: 1,
        run: 3,
      };
      expect(await store().update(update)).toEqual({ kind: 'applied', item: expected });
      expect(await store().update(update)).toEqual({ kind: 'refused', item: expected });
      expect(await store().get(item.pk)).toEqual(expected);
    });

    test('refuses an update of a missing item, or creates it when the condition holds even then', async () => {
      const source = freshSource();
      const pk = `${source}#none` as EventPk;
      expect(await store().update({ pk, condition: exists('pk'), set: { gen: 2 } })).toEqual({
        kind: 'refused',
        item: undefined,
      });
      expect(await store().update({ pk, condition: missing('gen'), set: {}, add: { gen: 2 } })).toEqual({
        kind: 'applied',
        // No event: parse-event-item.ts says so of whatever lacks a status.
        item: { pk, gen: 2, resends: 0, status: 'unknown', storedStatus: 'undefined' },
      });
    });

    test('orders texts by their bytes in UTF-8', async () => {
      const item = makeEventItem(freshSource(), 'e', { result: '\u{10000}' });
      await store().insert(item);
      const check = (condition: Condition) => store().update({ pk: item.pk, condition, set: {} });
      expect((await check(gt('result', '\ufffd'))).kind).toBe('applied');
      expect((await check(lt('result', '\ufffd'))).kind).toBe('refused');
      expect((await check(gt('result', 'Z'))).kind).toBe('applied');
    });

    test('an update that changes nothing is a check', async () => {
      const item = makeEventItem(freshSource(), 'e');
      await store().insert(item);
      expect(await store().update({ pk: item.pk, condition: exists('pk'), set: {} })).toEqual({
        kind: 'applied',
        item,
      });
    });

    const wrongItems: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      'an undefined attribute': { eventAt: undefined },
      NaN: { eventAt: Number.NaN },
      'an item over 400 KB': { result: 'x'.repeat(410_000) },
      'an index key of the wrong type': { watchShard: 'w', watchAt: 'soon' },
      'an empty index key': { attentionSource: '', attentionAt: 'x' },
      'an index key over 1,024 bytes': { attentionSource: 'a', attentionAt: 'x'.repeat(1_025) },
      'a key over 2,048 bytes': { pk: `s#${'x'.repeat(2_050)}` },
      'an empty key': { pk: '' },
    };
    for (const [name, wrong] of Object.entries(wrongItems)) {
      refusal(name)(`refuses ${name} with an error that says nothing was applied`, async () => {
        const item = { ...makeEventItem(freshSource(), 'e'), ...wrong } as unknown as EventItem;
        await expect(store().insert(item)).rejects.toEqual(notApplied);
      });
    }

    const wrongUpdates: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      'an empty group of conditions': { condition: all() },
      'an empty list of values': { condition: isIn('status', []) },
      'an order of booleans': { condition: gt('parked', true) },
      'one attribute set and removed': { set: { gen: 2 }, remove: ['gen'] },
      'one attribute set and added to': { set: { gen: 2 }, add: { gen: 1 } },
      'adding to a text': { add: { owner: 1 } },
      'the key': { set: { pk: 'other' } },
    };
    for (const [name, wrong] of Object.entries(wrongUpdates)) {
      refusal(name)(`refuses an update of ${name}`, async () => {
        const item = makeEventItem(freshSource(), 'e', { owner: 'text' });
        await store().insert(item);
        const update = { pk: item.pk, condition: exists('pk'), set: {}, ...wrong } as unknown as EventUpdate;
        await expect(store().update(update)).rejects.toEqual(notApplied);
        expect(await store().get(item.pk)).toEqual(item);
      });
    }
  });

  describe('EventStore: transactions', () => {
    const put = (id: string, more: Record<string, unknown> = {}): EffectWrite => ({
      kind: 'put',
      table: subject().effectsTable,
      item: { id, ...more },
      condition: missing('id'),
    });
    const completing = async (): Promise<{ item: EventItem; update: EventUpdate }> => {
      const item = makeEventItem(freshSource(), 'e', { status: 'processing', owner: 'mine' });
      await store().insert(item);
      const condition = all(eq('owner', 'mine'), eq('status', 'processing'));
      return {
        item,
        update: { pk: item.pk, condition, set: mixed({ status: 'completed', completedAt: 7 }), remove: ['owner'] },
      };
    };

    test('commits the update and every kind of effect together', async () => {
      const { item, update } = await completing();
      const table = subject().effectsTable;
      const id = item.pk;
      await store().transact(
        { ...update, set: { updatedAt: 1 }, remove: [] },
        [put(`${id}a`, { n: 1 }), put(`${id}b`)],
        randomUUID(),
      );
      const effects: EffectWrite[] = [
        { kind: 'update', table, key: { id: `${id}a` }, set: { s: 'x' }, add: { n: 4 }, condition: eq('n', 1) },
        { kind: 'delete', table, key: { id: `${id}b` }, condition: exists('id') },
        { kind: 'check', table, key: { id: `${id}c` }, condition: missing('id') },
        put(`${id}d`, { bytes: Uint8Array.of(0, 255), list: [1, 'a', null], map: { deep: { n: 1.5 } } }),
      ];
      expect(await store().transact(update, effects, `${id}`.slice(-30))).toEqual({ kind: 'applied' });
      expect((await store().get(item.pk))?.status).toBe('completed');
      expect(await subject().readEffect(`${id}a`)).toEqual({ id: `${id}a`, n: 5, s: 'x' });
      expect(await subject().readEffect(`${id}b`)).toBeUndefined();
      expect(await subject().readEffect(`${id}d`)).toEqual({
        id: `${id}d`,
        bytes: Uint8Array.of(0, 255),
        list: [1, 'a', null],
        map: { deep: { n: 1.5 } },
      });
    });

    test('applies nothing when a condition fails, and says which', async () => {
      const { item, update } = await completing();
      const id = item.pk;
      await store().transact({ ...update, set: { updatedAt: 1 }, remove: [] }, [put(`${id}taken`)], randomUUID());
      expect(await store().transact(update, [put(`${id}x`), put(`${id}taken`)], randomUUID())).toEqual({
        kind: 'effect_refused',
        index: 1,
      });
      const lost = { ...update, condition: eq('owner', 'theirs') };
      expect(await store().transact(lost, [put(`${id}x`), put(`${id}taken`)], randomUUID())).toEqual({
        kind: 'refused',
      });
      expect(await subject().readEffect(`${id}x`)).toBeUndefined();
      expect((await store().get(item.pk))?.status).toBe('processing');
    });

    test('the same token and request again is answered as applied and changes nothing', async () => {
      const { item, update } = await completing();
      const token = `token-${item.pk}`.slice(-36);
      const effects = [put(`${item.pk}once`)];
      expect(await store().transact({ ...update, add: { attempts: 1 } }, effects, token)).toEqual({ kind: 'applied' });
      expect(await store().transact({ ...update, add: { attempts: 1 } }, effects, token)).toEqual({ kind: 'applied' });
      expect((await store().get(item.pk))?.attempts).toBe(1);
    });

    test.each([
      ['more than 100 writes', (id: string) => Array.from({ length: 100 }, (_, n) => put(`${id}${n}`))],
      ['a table that does not exist', (id: string) => [{ ...put(id), table: 'no-such-table' } as EffectWrite]],
      ['a value that cannot be stored', (id: string) => [put(id, { wrong: undefined })]],
    ])('refuses %s as a whole', async (_name, effects) => {
      const { item, update } = await completing();
      await expect(store().transact(update, effects(`${item.pk}!`), randomUUID())).rejects.toEqual(notApplied);
      expect((await store().get(item.pk))?.status).toBe('processing');
    });

    const rows: Readonly<Record<string, readonly [Readonly<Record<string, unknown>>, boolean]>> = {
      'a put with an empty key': [{ id: '' }, true],
      'a put without its key': [{ name: 'a' }, true],
      'a put with a key of another type': [{ id: 5 }, true],
      'a put with a key over 2,048 bytes': [{ id: 'x'.repeat(2_049) }, true],
      'a put over 400 KB': [{ id: 'x', text: 'x'.repeat(420_000) }, false],
    };
    for (const [name, [row, isBadKey]] of Object.entries(rows)) {
      refusal(name)(`refuses ${name}, and says whether it is for the key`, async () => {
        const { update } = await completing();
        const effect: EffectWrite = { kind: 'put', table: subject().effectsTable, item: row };
        const refused = store().transact(update, [effect], randomUUID());
        await expect(refused).rejects.toMatchObject({ outcome: 'not_applied', isBadKey });
      });
    }

    test('an update that changes nothing is a check here too', async () => {
      const { item, update } = await completing();
      const check = { pk: item.pk, condition: update.condition, set: {} };
      expect(await store().transact(check, [put(`${item.pk}y`)], randomUUID())).toEqual({ kind: 'applied' });
      expect(await store().get(item.pk)).toEqual(item);
    });
  });

  describe('EventStore: reads', () => {
    test('gets many at once, leaves out the missing, and takes a repeated key once', async () => {
      const source = freshSource();
      const items = Array.from({ length: 99 }, (_, n) => makeEventItem(source, `e${n}`, { size: n }));
      await Promise.all(items.map(item => store().insert(item)));
      const pks = [...items.map(item => item.pk), `${source}#missing` as EventPk];
      const found = await store().getMany([...pks, pks[0] as EventPk]);
      expect(found.toSorted((a, b) => a.size - b.size)).toEqual(items);
      expect(await store().getMany([])).toEqual([]);
    });

    test('reads one item of a user’s table by its key', async () => {
      const item = makeEventItem(freshSource(), 'e');
      await store().insert(item);
      const table = subject().effectsTable;
      const id = `${item.pk}read`;
      const effect: EffectWrite = { kind: 'put', table, item: { id, n: 1, deep: { list: ['a'] } } };
      await store().transact({ pk: item.pk, condition: exists('pk'), set: {} }, [effect], `r${item.pk}`.slice(-36));
      expect(await store().readItem(table, { id })).toEqual({ id, n: 1, deep: { list: ['a'] } });
      expect(await store().readItem(table, { id: 'none' })).toBeUndefined();
      await expect(store().readItem('no-such-table', { id })).rejects.toEqual(notApplied);
    });

    test('lists what is due in a watch shard, oldest first, within from <= watchAt < before, over pages', async () => {
      const source = freshSource();
      const shard = `${source}#0`;
      for (let n = 0; n < 120; n++) {
        await store().insert(makeEventItem(source, `e${n}`, { watchShard: shard, watchAt: 1_000 + (n % 60) }));
      }
      await store().insert(makeEventItem(source, 'other', { watchShard: `${source}#1`, watchAt: 1_000 }));
      await store().insert(makeEventItem(source, 'unwatched'));
      await subject().settle();
      const due = await pages(cursor => store().watchDue(shard, { before: 1_050 }, cursor));
      expect(due.map(entry => entry.watchAt)).toEqual(Array.from({ length: 100 }, (_, n) => 1_000 + Math.floor(n / 2)));
      expect(new Set(due.map(entry => entry.pk)).size).toBe(100);
      const some = await pages(cursor => store().watchDue(shard, { from: 1_010, before: 1_012 }, cursor));
      expect(some.map(entry => entry.watchAt)).toEqual([1_010, 1_010, 1_011, 1_011]);
      expect(await store().watchDue(shard, { from: 1_050, before: 1_050 })).toEqual({ items: [] });
    });

    test('leaves the watch when its attributes are removed', async () => {
      const source = freshSource();
      const item = makeEventItem(source, 'e', { watchShard: `${source}#0`, watchAt: 5 });
      await store().insert(item);
      await store().update({ pk: item.pk, condition: exists('pk'), set: {}, remove: ['watchShard', 'watchAt'] });
      await subject().settle();
      expect((await store().watchDue(`${source}#0`, { before: 10 })).items).toEqual([]);
    });

    test('walks the timeline of an hour both ways, between bounds, with a limit', async () => {
      const source = freshSource();
      const hour = `${source}#2026-01-05T00`;
      for (let n = 10; n < 30; n++) {
        await store().insert(
          makeEventItem(source, `e${n}`, { timelineHour: hour, timelineAt: `${n}#e${n}`, eventType: `t${n}` }),
        );
      }
      await subject().settle();
      const walk = (range: { from?: string; to?: string; newestFirst: boolean; limit?: number }) =>
        pages(cursor => store().timeline(hour, cursor === undefined ? range : { ...range, cursor }));
      const up = Array.from({ length: 20 }, (_, n) => `${n + 10}#e${n + 10}`);
      expect((await walk({ newestFirst: false, limit: 7 })).map(entry => entry.timelineAt)).toEqual(up);
      expect((await walk({ newestFirst: true, limit: 7 })).map(entry => entry.timelineAt)).toEqual(up.toReversed());
      expect((await walk({ newestFirst: false, from: '12', to: '14~' })).map(entry => entry.eventType)).toEqual([
        't12',
        't13',
        't14',
      ]);
      expect((await walk({ newestFirst: true, from: '12', to: '14~' })).map(entry => entry.eventType)).toEqual([
        't14',
        't13',
        't12',
      ]);
      const first = await store().timeline(hour, { newestFirst: true, limit: 1 });
      expect(first.items).toEqual([
        expect.objectContaining({ pk: `${source}#e29`, eventType: 't29', timelineAt: '29#e29' }),
      ]);
    });

    test('lists the dead of a source, newest first', async () => {
      const source = toSourceId(freshSource());
      for (let n = 0; n < 3; n++) {
        await store().insert(
          makeEventItem(source, `e${n}`, { attentionSource: source, attentionAt: `10${n}#attempts` }),
        );
      }
      await subject().settle();
      const dead = await pages(cursor => store().attention(source, cursor));
      expect(dead.map(entry => entry.attentionAt)).toEqual(['102#attempts', '101#attempts', '100#attempts']);
    });

    test('names the partitions of a sparse index that have entries, and no others', async () => {
      const source = toSourceId(freshSource());
      const watched = makeEventItem(source, 'a', { watchShard: `${source}#2`, watchAt: 1_000 });
      await store().insert(watched);
      await store().insert(makeEventItem(source, 'b', { watchShard: `${source}#2`, watchAt: 1_001 }));
      await store().insert(makeEventItem(source, 'c', { attentionSource: source, attentionAt: '100#c' }));
      await store().insert(makeEventItem(source, 'd'));
      await subject().settle();
      const of = async (index: 'watch' | 'attention') =>
        [...((await store().occupied(index)) ?? [])].filter(it => it.startsWith(source));
      expect(await of('watch')).toEqual([`${source}#2`]);
      expect(await of('attention')).toEqual([source]);
    });

    test('keeps the notes of active sources by hour, beside each other, and makes each once', async () => {
      const source = toSourceId(freshSource());
      const at = Date.parse('2026-01-05T12:00:00Z');
      const key = noteKey(source, at);
      const other = Array.from({ length: 9_999 }, (_, n) => toSourceId(`${source}-${n}`)).find(
        it => noteKey(it, at) === key,
      );
      if (other === undefined) throw new Error('no other source has its notes in this item');
      const notes = async () => [...(await store().noted([key]))].filter(name => name.startsWith(`a:${source}`));
      const expiry = async () =>
        (await store().readItem(subject().eventsTable, { pk: CONTROL_PREFIX + key }))?.[TTL_ATTRIBUTE];
      await store().note(source, at);
      const first = await expiry();
      expect(first).toBeGreaterThan(at / 1_000);
      // Written again, it would last longer.
      await store().note(source, at + 60_000);
      expect(await expiry()).toBe(first);
      expect(await notes()).toEqual([`a:${source}`]);
      await store().note(other, at);
      expect((await notes()).toSorted()).toEqual([`a:${source}`, `a:${other}`]);
      expect((await store().noted([noteKey(source, at + 3_600_000)])).has(`a:${source}`)).toBe(false);
    });

    test('scans every state item and nothing else', async () => {
      const source = freshSource();
      for (let n = 0; n < 150; n++) await store().insert(makeEventItem(source, `e${n}`));
      const items = await pages(cursor => store().scan(cursor));
      const ours = items.filter(item => item.pk.startsWith(`${source}#`));
      expect(new Set(ours.map(item => item.pk)).size).toBe(150);
      expect(ours).toHaveLength(150);
      expect(items.filter(item => item.pk.startsWith('_'))).toEqual([]);
    });
  });
}
