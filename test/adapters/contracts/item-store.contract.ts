import { expect, test } from 'vitest';
import { eq, missing } from '#core/condition.ts';
import { given } from '#core/given.ts';
import type { Item, ItemStore, KeyRange, Placed, TableKey } from '#core/outbound/ports.ts';

export interface ItemStoreSubject {
  readonly items: ItemStore;
  /** Lets the indexes catch up. */
  settle(): Promise<void>;
}

let run = 0;
/** A partition nobody else uses. */
const fresh = (name: string): string => `contract-${++run}-${name}`;
const key = (pk: string, sk = 'META', table: 'registry' | 'outbox' = 'outbox'): TableKey<Item> => ({ table, pk, sk });
const put = (at: TableKey<Item>, item: Item) => ({ kind: 'put' as const, key: at, item });

export function itemStoreContract(subject: () => ItemStoreSubject): void {
  const store = (): ItemStore => subject().items;

  test('a plain put goes over what is there; a conditional one says what is there', async () => {
    const at = key(fresh('put'));
    expect(await store().put(put(at, { a: 1 }))).toMatchObject({ kind: 'applied', item: { a: 1 } });
    expect(await store().put(put(at, { b: 2 }))).toMatchObject({ kind: 'applied' });
    expect(await store().get(at, 'consistent')).toEqual({ pk: at.pk, sk: at.sk, b: 2 });
    const refused = await store().put({ ...put(at, { c: 3 }), condition: missing('pk') });
    expect(refused).toEqual({ kind: 'refused', item: { pk: at.pk, sk: at.sk, b: 2 } });
  });

  test('bytes, lists and maps come back as they were', async () => {
    const at = key(fresh('types'));
    const item = { bytes: Uint8Array.of(0, 1, 255), list: ['a', 1, true], map: { deep: { er: [] } }, nothing: null };
    await store().put(put(at, item));
    expect(await store().get(at, 'consistent')).toEqual({ ...item, pk: at.pk, sk: at.sk });
  });

  test('an update answers with the item after it, a refused one with what is there, or with nothing', async () => {
    const at = key(fresh('update'));
    const update = (condition = missing('pk') as ReturnType<typeof missing>) => ({
      kind: 'update' as const,
      key: at,
      condition,
      set: { gate: 'open' },
      add: { n: 2 },
    });
    const none = await store().update({ ...update(eq('gate', 'open')), remove: ['x'] });
    expect(none).toEqual({ kind: 'refused', item: undefined });
    expect(await store().update(update())).toEqual({
      kind: 'applied',
      item: { pk: at.pk, sk: at.sk, gate: 'open', n: 2 },
    });
    expect(await store().update(update())).toMatchObject({ kind: 'refused', item: { gate: 'open', n: 2 } });
    const again = await store().update({ ...update(eq('gate', 'open')), set: {}, remove: ['gate'] });
    expect(again).toEqual({ kind: 'applied', item: { pk: at.pk, sk: at.sk, n: 4 } });
  });

  test('a delete of nothing is no error', async () => {
    const at = key(fresh('delete'));
    await store().delete(at);
    await store().put(put(at, { a: 1 }));
    await store().delete(at);
    expect(await store().get(at, 'consistent')).toBeUndefined();
  });

  test('puts 60 items at once, over some that are there', async () => {
    const pk = fresh('many');
    await store().put(put(key(pk, 'R#00'), { old: true }));
    const items = Array.from(
      { length: 60 },
      (_, n): Placed<Item> => ({ pk, sk: `R#${String(n).padStart(2, '0')}`, n }),
    );
    await store().putMany('outbox', items);
    const page = await store().query<Item>({ table: 'outbox', partition: pk, limit: 1_000 });
    expect(page.items).toEqual(items);
    await store().putMany('outbox', []);
  });

  test('reads many keys of both tables in the order asked, with gaps and repetitions', async () => {
    const pk = fresh('get');
    const [a, b, c] = [key(pk, 'A'), key(pk, 'B', 'registry'), key(pk, 'C')];
    await store().put(put(a, { is: 'a' }));
    await store().put(put(b, { is: 'b' }));
    const found = await store().getMany([c, b, a, b]);
    expect(found.map(item => item?.['is'])).toEqual([undefined, 'b', 'a', 'b']);
    expect(await store().getMany([])).toEqual([]);
    const many = Array.from({ length: 130 }, (_, n) => key(pk, `N#${n}`));
    expect(await store().getMany([...many, a])).toHaveLength(131);
  });

  test('a range has inclusive bounds, goes both ways, and pages', async () => {
    const pk = fresh('range');
    const sks = ['A#1', 'A#2', 'B#0000000000001#r', 'B#0000000000002#p', 'B#0000000000003#r'];
    await store().putMany(
      'outbox',
      sks.map(sk => ({ pk, sk })),
    );
    const query = async (range: Partial<KeyRange<Item>>) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? {} : { cursor };
        const page = await store().query<Item>({ table: 'outbox', partition: pk, ...range, ...from });
        found.push(...page.items.map(({ sk }) => sk));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return found;
    };
    expect(await query({})).toEqual(sks);
    expect(await query({ newestFirst: true })).toEqual(sks.toReversed());
    expect(await query({ limit: 2 })).toEqual(sks);
    expect(await query({ limit: 1, newestFirst: true })).toEqual(sks.toReversed());
    // Everything due: live rows, and those for later up to now, whatever follows their time.
    expect(await query({ from: 'A', to: 'B#0000000000003' })).toEqual(sks.slice(0, 4));
    expect(await query({ from: 'B#0000000000003', to: 'B~' })).toEqual(sks.slice(4));
    expect(await query({ from: 'A#2', to: 'A#2' })).toEqual(['A#2']);
    expect(await query({ from: 'B', to: 'A' })).toEqual([]);
    expect(await query({ partition: fresh('empty') })).toEqual([]);
  });

  test('the index lists what has its two attributes, and nothing else', async () => {
    const pk = fresh('listed');
    const [gone, plain, listed] = [key(pk, 'gone'), key(pk, 'plain'), key(pk, 'listed')];
    const gpk = `list-${pk}`;
    await store().put(put(gone, { gpk, gsk: '1', type: 'x', more: 1 }));
    await store().put(put(plain, { more: 1 }));
    await store().put(put(listed, { gpk, gsk: '2', type: 'y', more: 1 }));
    await store().update({
      kind: 'update',
      key: gone,
      condition: eq('more', 1),
      set: { more: 2 },
      remove: ['gpk', 'gsk'],
    });
    await subject().settle();
    const page = await store().query<Item>({ table: 'outbox', index: 'listed', partition: gpk });
    expect(page.items).toEqual([{ pk, sk: 'listed', gpk, gsk: '2', type: 'y' }]);
    const upTo = await store().query<Item>({ table: 'outbox', index: 'listed', partition: gpk, to: '1~' });
    expect(upTo.items).toEqual([]);
  });

  test('a scan in two parts meets every item once', async () => {
    const pk = fresh('scan');
    const sks = Array.from({ length: 30 }, (_, n) => `S#${n}`);
    for (const sk of sks) await store().put(put(key(`${pk}-${sk}`, sk, 'registry'), { scanned: pk }));
    const found: unknown[] = [];
    for (const segment of [0, 1]) {
      let cursor: string | undefined;
      do {
        const page = await store().scan('registry', { segment, of: 2, ...given({ cursor }) });
        found.push(...page.items.filter(item => item['scanned'] === pk).map(({ sk }) => sk));
        cursor = page.cursor;
      } while (cursor !== undefined);
    }
    expect(found.toSorted()).toEqual(sks.toSorted());
  });

  test('a transaction is all or nothing, and names the write that was refused', async () => {
    const pk = fresh('transact');
    const [a, b] = [key(pk, 'A'), key(pk, 'B', 'registry')];
    const token = `${Date.now()}-${run}`;
    const first = [{ ...put(a, { n: 1 }), condition: missing('pk') }, put(b, { n: 1 })];
    expect(await store().transact(first, token)).toEqual({ kind: 'applied' });
    expect(await store().transact(first, token), 'the same token is the same request').toEqual({ kind: 'applied' });
    const second = [put(b, { n: 2 }), { ...put(a, { n: 2 }), condition: missing('pk') }];
    expect(await store().transact(second, `${token}-2`)).toEqual({ kind: 'refused', index: 1 });
    expect(await store().get(b, 'consistent')).toMatchObject({ n: 1 });
    const removal = [
      { kind: 'delete' as const, key: a },
      { kind: 'check' as const, key: b, condition: eq('n', 1) },
    ];
    expect(await store().transact(removal, `${token}-3`)).toEqual({ kind: 'applied' });
    expect(await store().get(a, 'eventual')).toBeUndefined();
  });
}
