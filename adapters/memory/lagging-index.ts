import type { EpochMs } from '#core/glossary.ts';
import { Heap } from './heap.ts';
import { checkKeyValue, type Item, storedItemBytes } from './item-rules.ts';
import { SortedList } from './sorted-list.ts';

export interface IndexDefinition {
  readonly name: string;
  readonly partition: string;
  readonly sort: string;
  readonly sortType: 'string' | 'number';
  /** Attributes copied into the index besides the keys. */
  readonly project: readonly string[];
}

export interface IndexEntry {
  readonly partition: string;
  readonly sort: string | number;
  readonly baseKey: string;
  /** Keys of the table and of the index, and the projected attributes. */
  readonly item: Item;
}

export interface IndexQuery {
  readonly partition: string;
  /** Inclusive bounds of the sort key. */
  readonly from?: string | number;
  readonly to?: string | number;
  readonly newestFirst: boolean;
  readonly limit: number;
  /** Last entry of the page before. */
  readonly after?: { readonly sort: string | number; readonly baseKey: string };
}

interface PendingChange {
  readonly at: EpochMs;
  readonly order: number;
  readonly baseKey: string;
  readonly entry: IndexEntry | undefined;
}

const byPlace = (a: IndexEntry, b: IndexEntry): number => {
  if (a.sort !== b.sort) return a.sort < b.sort ? -1 : 1;
  if (a.baseKey === b.baseKey) return 0;
  return a.baseKey < b.baseKey ? -1 : 1;
};

/**
 * A global secondary index. A change of the table is charged at once, but a query sees it only after a delay; changes
 * of one item are seen in their order, those of different items are not.
 */
export class LaggingIndex {
  readonly definition: IndexDefinition;
  /** What an entry carries: keys of the table and of the index, and what is projected. */
  readonly #attributes: readonly string[];
  readonly #current = new Map<string, IndexEntry>();
  readonly #visible = new Map<string, IndexEntry>();
  readonly #partitions = new Map<string, SortedList<IndexEntry>>();
  readonly #lastChangeAt = new Map<string, EpochMs>();
  readonly #pending = new Heap<PendingChange>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #order = 0;

  constructor(definition: IndexDefinition, tableKeys: readonly string[]) {
    this.definition = definition;
    this.#attributes = [...tableKeys, definition.partition, definition.sort, ...definition.project];
  }

  /** Refuses an item whose index keys have the wrong type or length (AWS fails the write to the table). */
  check(item: Item): void {
    const { partition, sort, sortType } = this.definition;
    if (item[partition] !== undefined) checkKeyValue(partition, item[partition], 'partition', 'string');
    if (item[sort] !== undefined) checkKeyValue(sort, item[sort], 'sort', sortType);
  }

  /** The write units a change of the table would cost here, and the index partition that would bear them. */
  price(baseKey: string, item: Item | undefined): { units: number; partition: string } {
    const before = this.#current.get(baseKey);
    if (this.#shows(before, item)) return { units: 0, partition: '' };
    const after = item === undefined ? undefined : this.#entryOf(baseKey, item);
    return { units: unitsOfChange(before, after), partition: (after ?? before)?.partition ?? '' };
  }

  /** Takes over a change of the table, to be seen after `lagMs`. */
  change(baseKey: string, item: Item | undefined, now: EpochMs, lagMs: number): void {
    const before = this.#current.get(baseKey);
    if (this.#shows(before, item)) return;
    const after = item === undefined ? undefined : this.#entryOf(baseKey, item);
    if (unitsOfChange(before, after) === 0) return;
    if (after) this.#current.set(baseKey, after);
    else this.#current.delete(baseKey);
    const at = Math.max(now + lagMs, this.#lastChangeAt.get(baseKey) ?? 0);
    this.#lastChangeAt.set(baseKey, at);
    this.#pending.push({ at, order: this.#order++, baseKey, entry: after });
  }

  query(query: IndexQuery, now: EpochMs): IndexEntry[] {
    this.#catchUp(now);
    const list = this.#partitions.get(query.partition);
    if (list === undefined) return [];
    const found: IndexEntry[] = [];
    for (const entry of this.#walk(list, query)) {
      if (query.newestFirst ? query.from !== undefined && entry.sort < query.from : isAfter(entry.sort, query.to))
        break;
      if (query.after && entry.sort === query.after.sort && entry.baseKey === query.after.baseKey) continue;
      found.push(entry);
      if (found.length >= query.limit) break;
    }
    return found;
  }

  scan(limit: number, now: EpochMs): Item[] {
    this.#catchUp(now);
    return [...this.#visible.values()].slice(0, limit).map(entry => entry.item);
  }

  #walk(list: SortedList<IndexEntry>, query: IndexQuery): Generator<IndexEntry> {
    const isNumber = this.definition.sortType === 'number';
    if (query.newestFirst) {
      const from = query.after ?? { sort: query.to ?? (isNumber ? Infinity : '\uffff'), baseKey: '\uffff' };
      return list.descending({ ...from, partition: query.partition, item: {} });
    }
    const from = query.after ?? { sort: query.from ?? (isNumber ? -Infinity : ''), baseKey: '' };
    return list.ascending({ ...from, partition: query.partition, item: {} });
  }

  /** The entry is what the item would make of it: the common case, and cheaper to see than to build. */
  #shows(entry: IndexEntry | undefined, item: Item | undefined): boolean {
    if (entry === undefined) return item === undefined || item[this.definition.partition] === undefined;
    if (item === undefined) return false;
    return this.#attributes.every(name => entry.item[name] === item[name]);
  }

  #entryOf(baseKey: string, item: Item): IndexEntry | undefined {
    const partition = item[this.definition.partition];
    const sort = item[this.definition.sort];
    if (typeof partition !== 'string' || (typeof sort !== 'string' && typeof sort !== 'number')) return undefined;
    const projected: Item = {};
    for (const name of this.#attributes) {
      if (item[name] !== undefined) projected[name] = item[name];
    }
    return { partition, sort, baseKey, item: projected };
  }

  #catchUp(now: EpochMs): void {
    for (let change = this.#pending.peek(); change && change.at <= now; change = this.#pending.peek()) {
      this.#pending.pop();
      const { baseKey, entry } = change;
      if (this.#lastChangeAt.get(baseKey) === change.at) this.#lastChangeAt.delete(baseKey);
      const before = this.#visible.get(baseKey);
      if (before) this.#partitions.get(before.partition)?.remove(before);
      if (entry === undefined) {
        this.#visible.delete(baseKey);
        continue;
      }
      this.#visible.set(baseKey, entry);
      let list = this.#partitions.get(entry.partition);
      if (list === undefined) {
        list = new SortedList(byPlace);
        this.#partitions.set(entry.partition, list);
      }
      list.add(entry);
    }
  }
}

function isAfter(sort: string | number, to: string | number | undefined): boolean {
  return to !== undefined && sort > to;
}

/** A new, changed or removed entry costs its size in units; an entry whose key moves is deleted and written again. */
function unitsOfChange(before: IndexEntry | undefined, after: IndexEntry | undefined): number {
  if (!before && !after) return 0;
  if (!before || !after) return units(storedItemBytes((before ?? after)?.item ?? {}));
  if (before.partition !== after.partition || before.sort !== after.sort) {
    return units(storedItemBytes(before.item)) + units(storedItemBytes(after.item));
  }
  return sameProjection(before.item, after.item)
    ? 0
    : units(Math.max(storedItemBytes(before.item), storedItemBytes(after.item)));
}

function sameProjection(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name]);
}

/** Write units of this number of bytes: one per started KB. */
export function units(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}
