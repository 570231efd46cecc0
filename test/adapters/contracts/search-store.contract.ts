import { describe, expect, test } from 'vitest';
import type { SearchStore } from '#core/inbound/ports.ts';
import type { SearchItem } from '#core/inbound/protocol/event-item.ts';

let partitions = 0;

export function searchStoreContract(subject: () => { readonly search: SearchStore }): void {
  const search = (): SearchStore => subject().search;
  const partition = (): SearchItem['pk'] =>
    `_search#contract-${Date.now().toString(36)}-${++partitions}#order#${'a'.repeat(64)}`;
  const itemAt = (pk: SearchItem['pk'], at: number, key: string): SearchItem => ({
    ...{ pk, sk: `${String(at).padStart(13, '0')}#${key}`, expiresAt: 4_000_000_000 },
  });

  describe('SearchStore', () => {
    test('finds the items of a value in a window, newest first, as many as are asked for', async () => {
      const [pk, other] = [partition(), partition()];
      const items = [5, 4, 3, 2, 1].map(at => itemAt(pk, at, `k${at}`));
      for (const item of [...items, itemAt(other, 3, 'x')]) await search().put(item);
      const all = { from: '0', before: '9'.repeat(13), limit: 10 };
      expect(await search().find(pk, all)).toEqual(items);
      expect(await search().find(pk, { ...all, limit: 2 })).toEqual(items.slice(0, 2));
      // From is in the window, before is not: a page goes on behind its last item.
      const window = { from: items[3]?.sk ?? '', before: items[1]?.sk ?? '', limit: 10 };
      expect(await search().find(pk, window)).toEqual(items.slice(2, 4));
      expect(await search().find(partition(), all)).toEqual([]);
    });

    test('has an item once, however often it is put', async () => {
      const pk = partition();
      for (const expiresAt of [4_000_000_000, 4_000_000_009]) await search().put({ ...itemAt(pk, 7, 'k'), expiresAt });
      const found = await search().find(pk, { from: '0', before: '9', limit: 5 });
      expect(found).toEqual([{ ...itemAt(pk, 7, 'k'), expiresAt: 4_000_000_009 }]);
    });
  });
}
