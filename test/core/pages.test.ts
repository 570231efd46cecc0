import { describe, expect, it } from 'vitest';
import { everyPage } from '#core/pages.ts';

const PAGES: Readonly<Record<string, { readonly items: readonly number[]; readonly cursor?: string | null }>> = {
  first: { items: [1, 2], cursor: 'b' },
  b: { items: [], cursor: 'c' },
  c: { items: [3], cursor: null },
};

function readerOf() {
  const asked: (string | undefined)[] = [];
  const read = async (cursor: string | undefined) => {
    asked.push(cursor);
    return PAGES[cursor ?? 'first'] ?? { items: [] };
  };
  return { asked, read };
}

describe('pages of a list', () => {
  it('are all of them, an empty one among them, up to the one without a cursor', async () => {
    const { asked, read } = readerOf();
    const found: number[] = [];
    for await (const { items } of everyPage(read)) found.push(...items);
    expect(found).toEqual([1, 2, 3]);
    expect(asked).toEqual([undefined, 'b', 'c']);
  });

  it('are asked for only while they are wanted', async () => {
    const { asked, read } = readerOf();
    for await (const { items } of everyPage(read)) if (items.includes(2)) break;
    expect(asked).toEqual([undefined]);
  });
});
