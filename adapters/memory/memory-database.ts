import { DependencyError } from '#core/errors.ts';
import type { EffectWrite } from '#core/ports.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import {
  copyItem,
  copyValue,
  type Item,
  itemBytes,
  KeyException,
  storedItemBytes,
  ValidationException,
} from './item-rules.ts';
import { type IndexQuery, units } from './lagging-index.ts';
import {
  accepts,
  checkCondition,
  MemoryTable,
  type PlannedWrite,
  type RangeQuery,
  type TableDefinition,
  updatedItem,
} from './memory-table.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { VirtualClock } from './virtual-clock.ts';

const TOKEN_LIFETIME_MS = 10 * MINUTE_MS;
const TRANSACTION_LIMIT = 100;
const TRANSACTION_BYTES = 4 * 1024 * 1024;

export interface MemoryDatabaseOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  /** How far the indexes are behind. Default: mostly under 30 ms, 1 in 20 up to 1 s, 1 in 200 up to 10 s. */
  readonly indexLagMs?: (random: SeededRandom) => number;
  /** How late TTL deletes. Default: evenly spread over 0 to 48 h. */
  readonly ttlDelayMs?: (random: SeededRandom) => number;
  /** Share of transactions canceled because another one touched an item. Default 0. */
  readonly conflictRate?: number;
  /** Write units one partition takes in a second before it throttles. Default 1,000. */
  readonly unitsPerPartition?: number;
  /** The same for one key of an index. Default: as above. */
  readonly unitsPerIndexKey?: number;
  /** Told of every change, deletion by TTL included; for oracles. Items are live: do not change or keep them. */
  readonly onChange?: (change: DatabaseChange) => void;
}

export interface DatabaseChange {
  readonly table: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly by: 'write' | 'transaction' | 'ttl';
}

export interface Usage {
  calls: number;
  writeUnits: number;
  indexUnits: number;
  readUnits: number;
}

export type WriteOutcome =
  | { readonly kind: 'applied'; readonly before: Item | undefined; readonly after: Item | undefined }
  | { readonly kind: 'refused'; readonly item: Item | undefined };

type CancellationReason = 'none' | 'condition_failed' | 'conflict';
export type TransactionOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'canceled'; readonly reasons: readonly CancellationReason[] };

/**
 * DynamoDB in memory: the region's side of the wire. It outlives the simulated processes that call it. Rules follow the
 * Developer Guide: conditional writes, transactions, capacity, eventually consistent indexes, TTL; nothing is kinder.
 */
export class MemoryDatabase {
  /** Units by table name. */
  readonly usage = new Map<string, Usage>();
  readonly #options: MemoryDatabaseOptions;
  readonly #tables = new Map<string, MemoryTable>();
  readonly #tokens = new Map<string, { fingerprint: string; at: number }>();
  readonly #draw: { lagMs(): number; ttlDelayMs(): number };
  #loadSecond = 0;
  readonly #load = new Map<string, number>();

  constructor(options: MemoryDatabaseOptions) {
    this.#options = options;
    const { indexLagMs = defaultIndexLag, ttlDelayMs = random => random.int(48 * HOUR_MS), random } = options;
    this.#draw = { lagMs: () => indexLagMs(random), ttlDelayMs: () => ttlDelayMs(random) };
  }

  define(definition: TableDefinition): void {
    this.#tables.set(definition.name, new MemoryTable(definition));
    this.usage.set(definition.name, { calls: 0, writeUnits: 0, indexUnits: 0, readUnits: 0 });
  }

  /** One conditional write. */
  write(write: EffectWrite): WriteOutcome {
    return this.#answer(() => {
      const table = this.#table(write.table);
      const plan = this.#plan(write, table);
      if ('refused' in plan) {
        this.#charge(write.table, units(plan.refused ? storedItemBytes(plan.refused) : 0), 0);
        return { kind: 'refused', item: plan.refused && copyItem(plan.refused) };
      }
      this.#admit([plan]);
      this.#charge(write.table, plan.units, plan.indexUnits);
      this.#apply(table, plan, write.kind, 'write');
      // Copied for those who look: a stored item is replaced, never changed.
      return {
        kind: 'applied',
        get before() {
          return plan.before && copyItem(plan.before);
        },
        get after() {
          return plan.after && copyItem(plan.after);
        },
      };
    });
  }

  /** All writes or none. The same token within 10 minutes means the same request. */
  transact(writes: readonly EffectWrite[], token: string): TransactionOutcome {
    return this.#answer(() => {
      const { clock, random, conflictRate = 0 } = this.#options;
      if (writes.length === 0 || writes.length > TRANSACTION_LIMIT) {
        throw new ValidationException(`A transaction has 1 to ${TRANSACTION_LIMIT} writes, not ${writes.length}`);
      }
      if (token.length < 1 || token.length > 36) {
        throw new ValidationException(`ClientRequestToken has 1 to 36 characters, not ${token.length}`);
      }
      const fingerprint = fingerprintOf(writes);
      const earlier = this.#tokens.get(token);
      if (earlier && clock.now() - earlier.at < TOKEN_LIFETIME_MS) {
        if (earlier.fingerprint === fingerprint) return { kind: 'applied' };
        throw new ValidationException('IdempotentParameterMismatch: the token was used for another request');
      }
      const plans = this.#planAll(writes);
      for (const [at, plan] of plans.entries()) {
        if (!('refused' in plan)) this.#charge(writes[at]?.table ?? '', 2 * plan.units, 2 * plan.indexUnits);
      }
      const reasons = plans.map(plan => ('refused' in plan ? 'condition_failed' : 'none') as CancellationReason);
      if (random.chance(conflictRate)) reasons[random.int(reasons.length)] = 'conflict';
      if (reasons.some(reason => reason !== 'none')) return { kind: 'canceled', reasons };
      const planned = plans as PlannedWrite[];
      this.#admit(planned);
      for (const [at, plan] of planned.entries()) {
        const write = writes[at] as EffectWrite;
        this.#apply(this.#table(write.table), plan, write.kind, 'transaction');
      }
      this.#tokens.set(token, { fingerprint, at: clock.now() });
      return { kind: 'applied' };
    });
  }

  /** Read of one item; an eventual one sees the same here and costs half. */
  get(tableName: string, key: Readonly<Item>, read: 'consistent' | 'eventual' = 'consistent'): Item | undefined {
    return this.#answer(() => {
      const table = this.#table(tableName);
      table.checkKeyOnly(key);
      const item = table.peek(table.keyOf(key));
      this.#chargeRead(tableName, item ? [item] : [], read);
      return item && copyItem(item);
    });
  }

  /** A page of an index: eventually consistent, and sometimes shorter than asked for. The last one may be empty. */
  query(tableName: string, indexName: string, query: IndexQuery): { items: Item[]; after?: IndexQuery['after'] } {
    return this.#answer(() => {
      const { random, clock } = this.#options;
      checkPage(query.limit);
      const limit = random.chance(0.05) ? 1 + random.int(query.limit) : query.limit;
      const found = this.#table(tableName).query(indexName, { ...query, limit }, clock.now());
      const there = found.map(entry => entry.item);
      this.#chargeRead(tableName, there, 'eventual');
      const items = there.map(item => copyItem(item));
      const last = found.at(-1);
      if (last === undefined || found.length < limit) return { items };
      return { items, after: { sort: last.sort, baseKey: last.baseKey } };
    });
  }

  /** All entries of an index, eventually consistent; undefined: there are more than `limit`, and so many were read. */
  scanIndex(tableName: string, indexName: string, limit: number): Item[] | undefined {
    return this.#answer(() => {
      const found = this.#table(tableName).scanIndex(indexName, limit + 1, this.#options.clock.now());
      const read = found.slice(0, limit);
      this.#chargeRead(tableName, read, 'eventual');
      return found.length > limit ? undefined : read.map(item => copyItem(item));
    });
  }

  /** A page of one partition of a table; sometimes shorter than asked for. */
  range(tableName: string, query: RangeQuery): { items: Item[]; after?: string } {
    return this.#answer(() => {
      const { random } = this.#options;
      checkPage(query.limit);
      const limit = random.chance(0.02) ? 1 + random.int(query.limit) : query.limit;
      const table = this.#table(tableName);
      const found = table.range({ ...query, limit });
      this.#chargeRead(tableName, found, query.read);
      const items = found.map(item => copyItem(item));
      const last = items.at(-1)?.[table.definition.sort ?? ''];
      return last === undefined || items.length < limit ? { items } : { items, after: String(last) };
    });
  }

  /** Keys of all items, for a scan: items written later are not in it. */
  keys(tableName: string): string[] {
    return this.#answer(() => this.#table(tableName).keys().sort());
  }

  /** Items of a scan's page, as they are now; those deleted since are left out. */
  scanPage(tableName: string, keys: readonly string[]): Item[] {
    return this.#answer(() => {
      const table = this.#table(tableName);
      const items = keys.map(key => table.peek(key)).filter(item => item !== undefined);
      this.#chargeRead(tableName, items);
      return items.map(item => copyItem(item));
    });
  }

  /** All items of a table, for oracles and tests. Free of charge. */
  dump(tableName: string): Item[] {
    return this.#answer(() => {
      const table = this.#table(tableName);
      return table.keys().map(key => copyItem(table.peek(key) as Item));
    });
  }

  /** One of them. */
  peek(tableName: string, key: string): Item | undefined {
    const item = this.#answer(() => this.#table(tableName).peek(key));
    return item && copyItem(item);
  }

  /** Drops all items of a table, as a restore to an older point does. Indexes follow with their lag. */
  empty(tableName: string): void {
    const table = this.#table(tableName);
    for (const key of table.keys()) table.apply(key, undefined, this.#options.clock.now(), this.#draw);
  }

  #table(name: string): MemoryTable {
    const table = this.#tables.get(name);
    if (table === undefined) throw new ValidationException(`Requested resource not found: table ${name}`);
    return table;
  }

  /** Runs a call after TTL has caught up, and turns what the service refuses into the error adapters throw. */
  #answer<T>(call: () => T): T {
    const now = this.#options.clock.now();
    for (const [name, table] of this.#tables) {
      table.expire(now, this.#draw, before =>
        this.#options.onChange?.({ table: name, before, after: undefined, by: 'ttl' }),
      );
    }
    try {
      return call();
    } catch (error) {
      if (!(error instanceof ValidationException)) throw error;
      const isBadKey = error instanceof KeyException;
      throw new DependencyError('dynamodb', error.message, { cause: error, outcome: 'not_applied', isBadKey });
    }
  }

  #planAll(writes: readonly EffectWrite[]): (PlannedWrite | { refused: Item | undefined })[] {
    const touched = new Set<string>();
    let bytes = 0;
    const plans = writes.map(write => {
      const table = this.#table(write.table);
      const place = `${write.table}/${table.keyOf(write.kind === 'put' ? write.item : write.key)}`;
      if (touched.has(place)) throw new ValidationException('A transaction cannot contain two writes of one item');
      touched.add(place);
      const plan = this.#plan(write, table);
      if (!('refused' in plan) && plan.after) bytes += itemBytes(plan.after);
      return plan;
    });
    if (bytes > TRANSACTION_BYTES) throw new ValidationException('The items of the transaction exceed 4 MB');
    return plans;
  }

  #plan(write: EffectWrite, table: MemoryTable): PlannedWrite | { refused: Item | undefined } {
    if (write.condition) checkCondition(write.condition);
    if (write.kind === 'put') {
      const item = copyItem(write.item);
      const key = table.keyOf(item);
      const plan = table.plan(key, item);
      return accepts(write.condition, plan.before) ? plan : { refused: plan.before };
    }
    table.checkKeyOnly(write.key);
    const key = table.keyOf(write.key);
    const before = table.peek(key);
    const set = write.kind === 'update' ? checkUpdate(write, table) : {};
    if (!accepts(write.condition, before)) return { refused: before };
    if (write.kind === 'delete') return table.plan(key, undefined);
    if (write.kind === 'check') return { key, before, after: before, units: 1, indexUnits: 0, load: [] };
    return table.plan(key, updatedItem(before, write.key, { ...write, set }));
  }

  #apply(table: MemoryTable, plan: PlannedWrite, kind: EffectWrite['kind'], by: DatabaseChange['by']): void {
    if (kind === 'check') return;
    table.apply(plan.key, plan.after, this.#options.clock.now(), this.#draw);
    this.#options.onChange?.({ table: table.definition.name, before: plan.before, after: plan.after, by });
  }

  /** Throttles when a partition has taken its share of this second. */
  #admit(plans: readonly PlannedWrite[]): void {
    const { clock, unitsPerPartition = 1_000, unitsPerIndexKey = unitsPerPartition } = this.#options;
    const second = Math.floor(clock.now() / 1000);
    if (second !== this.#loadSecond) {
      this.#loadSecond = second;
      this.#load.clear();
    }
    for (const { load } of plans)
      for (const { partition, units: more, ofIndex } of load) {
        const limit = ofIndex ? unitsPerIndexKey : unitsPerPartition;
        if ((this.#load.get(partition) ?? 0) + more > limit && more <= limit) {
          throw new DependencyError('dynamodb', `throttled: ${partition} takes ${limit} units a second`, {
            outcome: 'not_applied',
          });
        }
      }
    for (const { load } of plans)
      for (const { partition, units: more } of load) this.#load.set(partition, (this.#load.get(partition) ?? 0) + more);
  }

  #charge(table: string, writeUnits: number, indexUnits: number): void {
    const usage = this.usage.get(table);
    if (!usage) return;
    usage.calls += 1;
    usage.writeUnits += writeUnits;
    usage.indexUnits += indexUnits;
  }

  /** A unit for each started 4 KB of them together; half of it for an eventual read. */
  #chargeRead(table: string, items: readonly Item[], read: 'consistent' | 'eventual' = 'consistent'): void {
    const usage = this.usage.get(table);
    if (!usage) return;
    const bytes = items.reduce((sum, item) => sum + storedItemBytes(item), 0);
    usage.calls += 1;
    usage.readUnits += Math.max(1, Math.ceil(bytes / 4096)) / (read === 'eventual' ? 2 : 1);
  }
}

/** Refuses a number of rows that Query does not take. */
function checkPage(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1)
    throw new ValidationException(`Limit is a whole number of at least 1, not ${limit}`);
}

/** A copy of what it sets. Refuses what DynamoDB would not take. */
function checkUpdate(write: EffectWrite & { kind: 'update' }, table: MemoryTable): Item {
  const names = [...Object.keys(write.set ?? {}), ...Object.keys(write.add ?? {}), ...(write.remove ?? [])];
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '') throw new ValidationException('Empty attribute name');
    if (table.isKeyAttribute(name))
      throw new ValidationException(`Cannot update attribute ${name}: it is part of the key`);
    if (seen.has(name)) throw new ValidationException(`Two document paths overlap with each other: ${name}`);
    seen.add(name);
  }
  for (const value of Object.values(write.add ?? {})) copyValue(value);
  return copyItem(write.set ?? {});
}

function fingerprintOf(writes: readonly EffectWrite[]): string {
  return JSON.stringify(writes, (_name, value: unknown) =>
    value instanceof Uint8Array ? `bytes:${Buffer.from(value).toString('base64')}` : value,
  );
}

function defaultIndexLag(random: SeededRandom): number {
  const draw = random.next();
  if (draw < 0.005) return random.int(10_000);
  return draw < 0.05 ? random.int(1_000) : random.int(30);
}
