import { expect, test } from 'vitest';
import { allOf, pagesOf } from '#core/outbound/pages.ts';
import type { ItemPage, ItemStore, KeyRange, Placed } from '#core/outbound/ports.ts';

const RANGE: KeyRange<{ readonly n: number }> = { table: 'outbox', partition: 'P', limit: 2 };

/** A store that answers the given pages in turn; the cursor of each is its place. */
function storeOf(pages: readonly (readonly number[])[]) {
  const asked: (string | undefined)[] = [];
  const query = async ({ cursor }: KeyRange): Promise<ItemPage<Placed<{ n: number }>>> => {
    asked.push(cursor);
    const at = Number(cursor ?? 0);
    const items = (pages[at] ?? []).map(n => ({ pk: 'P', sk: String(n), n }));
    return at + 1 < pages.length ? { items, cursor: String(at + 1) } : { items };
  };
  return { asked, store: { query } as unknown as Pick<ItemStore, 'query'> };
}

test('goes on behind an empty page, and ends with the one that has no cursor', async () => {
  const { store, asked } = storeOf([[1, 2], [], [3]]);
  expect((await allOf(store, RANGE)).map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(asked).toEqual([undefined, '1', '2']);
});

test('asks for no page that nobody wants', async () => {
  const { store, asked } = storeOf([[1], [2], [3]]);
  for await (const items of pagesOf(store, RANGE)) if (items.some(({ n }) => n === 2)) break;
  expect(asked).toEqual([undefined, '1']);
});
