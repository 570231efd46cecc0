/** A range that is longer than one page. */
import { given } from '#core/given.ts';
import { everyPage } from '#core/pages.ts';
import type { ItemStore, KeyRange, Placed } from './ports.ts';

type Store = Pick<ItemStore, 'query'>;

/** Page by page, each asked for when it is wanted: whoever has enough stops. */
export async function* pagesOf<T>(store: Store, range: KeyRange<T>): AsyncGenerator<readonly Placed<T>[]> {
  for await (const { items } of everyPage(cursor => store.query({ ...range, ...given({ cursor }) }))) yield items;
}

/** All of it at once. */
export async function allOf<T>(store: Store, range: KeyRange<T>): Promise<readonly Placed<T>[]> {
  const all: Placed<T>[] = [];
  for await (const items of pagesOf(store, range)) all.push(...items);
  return all;
}
