import { type Condition, holds } from '#core/condition.ts';
import type { EpochMs } from '#core/glossary.ts';
import { Heap } from './heap.ts';
import {
  checkItemBytes,
  checkKeyValue,
  copyItem,
  type Item,
  KeyException,
  storedItemBytes,
  ValidationException,
} from './item-rules.ts';
import { type IndexDefinition, type IndexEntry, type IndexQuery, LaggingIndex, units } from './lagging-index.ts';
import { SortedList } from './sorted-list.ts';

export interface TableDefinition {
  readonly name: string;
  readonly partition: string;
  readonly partitionType?: 'string' | 'number';
  readonly sort?: string;
  readonly sortType?: 'string' | 'number';
  readonly indexes?: readonly IndexDefinition[];
  /** Attribute with the epoch seconds after which the item may be deleted. */
  readonly ttlAttribute?: string;
  /** Many items share a partition: its write limit is theirs together. Default: each item has its own. */
  readonly crowded?: boolean;
}

/** Items of one partition, by their sort key; bounds inclusive. */
export interface RangeQuery {
  readonly partition: string;
  readonly from?: string;
  readonly to?: string;
  readonly newestFirst: boolean;
  readonly limit: number;
  /** Sort key of the last item of the page before. */
  readonly after?: string;
  /** Sees the same here, and costs half. */
  readonly read?: 'eventual';
}

/** A write that has been checked but not applied. */
export interface PlannedWrite {
  readonly key: string;
  readonly before: Item | undefined;
  /** Undefined: the item is deleted (or, for a check, left alone). */
  readonly after: Item | undefined;
  readonly units: number;
  readonly indexUnits: number;
  /** Write units by partition, of the table and of its indexes. */
  readonly load: readonly { readonly partition: string; readonly units: number; readonly ofIndex: boolean }[];
}

interface Expiry {
  readonly at: EpochMs;
  readonly key: string;
  readonly ttl: number;
}

const FIVE_YEARS_SECONDS = 5 * 365 * 86_400;

/** One table: items by key, indexes that lag, deletion by TTL hours late. Knows nothing of time but what it is told. */
export class MemoryTable {
  readonly definition: TableDefinition;
  readonly #items = new Map<string, Item>();
  readonly #indexes: readonly LaggingIndex[];
  readonly #expiries = new Heap<Expiry>((a, b) => a.at < b.at);
  /** Sort keys by partition, of a table that has them. */
  readonly #sorted = new Map<string, SortedList<string>>();

  constructor(definition: TableDefinition) {
    this.definition = definition;
    const keys = definition.sort === undefined ? [definition.partition] : [definition.partition, definition.sort];
    this.#indexes = (definition.indexes ?? []).map(index => new LaggingIndex(index, keys));
  }

  get size(): number {
    return this.#items.size;
  }

  keys(): string[] {
    return [...this.#items.keys()];
  }

  /** The stored item itself: copy before handing it out. */
  peek(key: string): Item | undefined {
    return this.#items.get(key);
  }

  /** The key of an item as one text. Refuses missing, empty, mistyped and overlong key attributes. */
  keyOf(item: Readonly<Item>): string {
    const { partition, partitionType = 'string', sort, sortType = 'string' } = this.definition;
    checkKeyValue(partition, item[partition], 'partition', partitionType);
    if (sort === undefined) return String(item[partition]);
    checkKeyValue(sort, item[sort], 'sort', sortType);
    return `${item[partition]}\u0000${item[sort]}`;
  }

  /** Refuses key values that carry more than the key attributes. */
  checkKeyOnly(key: Readonly<Item>): void {
    for (const name in key) {
      if (!this.isKeyAttribute(name)) {
        throw new KeyException(`The provided key element does not match the schema: ${name}`);
      }
    }
  }

  isKeyAttribute(name: string): boolean {
    return name === this.definition.partition || name === this.definition.sort;
  }

  /** Checks and prices a change of one item. */
  plan(key: string, after: Item | undefined): PlannedWrite {
    const before = this.#items.get(key);
    const beforeBytes = before ? storedItemBytes(before) : 0;
    const afterBytes = after ? checkItemBytes(after) : 0;
    const tableUnits = units(Math.max(beforeBytes, afterBytes));
    const place = this.definition.crowded ? key.slice(0, key.indexOf('\u0000')) : key;
    const load = [{ partition: `${this.definition.name}/${place}`, units: tableUnits, ofIndex: false }];
    let indexUnits = 0;
    for (const index of this.#indexes) {
      if (after) index.check(after);
      const price = index.price(key, after);
      if (price.units === 0) continue;
      indexUnits += price.units;
      load.push({
        partition: `${this.definition.name}/${index.definition.name}/${price.partition}`,
        units: price.units,
        ofIndex: true,
      });
    }
    return { key, before, after, units: tableUnits, indexUnits, load };
  }

  /** Stores what was planned. The item is kept as given: it must already be a copy. */
  apply(key: string, after: Item | undefined, now: EpochMs, draw: { lagMs(): number; ttlDelayMs(): number }): void {
    const before = this.#items.get(key);
    if (after) this.#items.set(key, after);
    else this.#items.delete(key);
    if ((before === undefined) !== (after === undefined)) this.#sort(key, after !== undefined);
    for (const index of this.#indexes) index.change(key, after, now, draw.lagMs());
    const { ttlAttribute } = this.definition;
    if (ttlAttribute === undefined || after === undefined) return;
    const ttl = after[ttlAttribute];
    if (typeof ttl !== 'number' || ttl === before?.[ttlAttribute] || ttl < now / 1000 - FIVE_YEARS_SECONDS) return;
    this.#expiries.push({ at: Math.max(now, ttl * 1000) + draw.ttlDelayMs(), key, ttl });
  }

  /** Deletes what TTL has reached. */
  expire(now: EpochMs, draw: { lagMs(): number; ttlDelayMs(): number }, onDeleted: (before: Item) => void): void {
    for (let due = this.#expiries.peek(); due && due.at <= now; due = this.#expiries.peek()) {
      this.#expiries.pop();
      const before = this.#items.get(due.key);
      if (before === undefined || before[this.definition.ttlAttribute ?? ''] !== due.ttl) continue;
      this.apply(due.key, undefined, now, draw);
      onDeleted(before);
    }
  }

  /** Items of one partition of the table, strongly consistent. The stored items themselves: copy before handing out. */
  range({ partition, from = '', to = '\uffff', newestFirst, limit, after }: RangeQuery): Item[] {
    const list = this.#sorted.get(partition);
    const found: Item[] = [];
    if (list === undefined) return found;
    for (const sort of newestFirst ? list.descending(after ?? to) : list.ascending(after ?? from)) {
      if (newestFirst ? sort < from : sort > to) break;
      if (sort === after) continue;
      found.push(this.#items.get(`${partition}\u0000${sort}`) as Item);
      if (found.length >= limit) break;
    }
    return found;
  }

  #sort(key: string, there: boolean): void {
    if (this.definition.sort === undefined || this.definition.sortType === 'number') return;
    const at = key.indexOf('\u0000');
    const partition = key.slice(0, at);
    let list = this.#sorted.get(partition);
    if (list === undefined) {
      list = new SortedList((a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0));
      this.#sorted.set(partition, list);
    }
    if (there) list.add(key.slice(at + 1));
    else list.remove(key.slice(at + 1));
  }

  query(indexName: string, query: IndexQuery, now: EpochMs): IndexEntry[] {
    return this.#index(indexName).query(query, now);
  }

  /** Entries of all partitions of an index that are visible now, at most `limit`. */
  scanIndex(indexName: string, limit: number, now: EpochMs): Item[] {
    return this.#index(indexName).scan(limit, now);
  }

  #index(name: string): LaggingIndex {
    const index = this.#indexes.find(candidate => candidate.definition.name === name);
    if (index === undefined) throw new ValidationException(`The table does not have the specified index: ${name}`);
    return index;
  }
}

/** Refuses a condition DynamoDB would not parse. */
export function checkCondition(condition: Condition): void {
  if ('all' in condition || 'any' in condition) {
    const parts = 'all' in condition ? condition.all : condition.any;
    if (parts.length === 0) throw new ValidationException('An empty group of conditions cannot be written down');
    for (const part of parts) checkCondition(part);
    return;
  }
  if (condition.attribute === '') throw new ValidationException('A condition names no attribute');
  if (condition.op === 'in' && (condition.values.length === 0 || condition.values.length > 100)) {
    throw new ValidationException(`IN takes 1 to 100 values, not ${condition.values.length}`);
  }
  const ordered = condition.op === 'lt' || condition.op === 'le' || condition.op === 'gt' || condition.op === 'ge';
  if (ordered && typeof condition.value === 'boolean') {
    throw new ValidationException(`Invalid operand type for operator ${condition.op}: BOOL`);
  }
}

/** True when there is no condition or it holds. */
export function accepts(condition: Condition | undefined, item: Item | undefined): boolean {
  return condition === undefined || holds(condition, item);
}

/** The item after an update: a copy of the old one (or a new one with only its key) with the changes applied, which become its own. */
export function updatedItem(
  before: Item | undefined,
  key: Readonly<Item>,
  change: {
    set?: Readonly<Item>;
    add?: Readonly<Record<string, number | undefined>>;
    remove?: readonly string[];
  },
): Item {
  const after = before ? {} : copyItem(key);
  // Left out, not deleted: an object that lost an attribute is slow to read from then on.
  for (const name in before) if (!change.remove?.includes(name)) after[name] = before[name];
  Object.assign(after, change.set);
  for (const [name, value] of Object.entries(change.add ?? {})) {
    const current = after[name] ?? 0;
    if (typeof current !== 'number' || typeof value !== 'number') {
      throw new ValidationException(`An operand in the update expression has an incorrect data type: ADD ${name}`);
    }
    after[name] = current + value;
  }
  return after;
}
