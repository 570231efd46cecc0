/** The counting database, watched: sessions that begin and end, and the units of each second by table and by key. */
import type { Item } from '#adapters/memory/item-rules.ts';
import type { IndexQuery } from '#adapters/memory/lagging-index.ts';
import type { MemoryDatabaseOptions, WriteOutcome } from '#adapters/memory/memory-database.ts';
import type { RangeQuery } from '#adapters/memory/memory-table.ts';
import type { EffectWrite } from '#core/ports.ts';
import type { Meter } from '../billing/counters.ts';
import { CountingDatabase } from '../billing/counting-database.ts';

const KEY = 'key ';

export class WatchedDatabase extends CountingDatabase {
  readonly #counts: Meter['counts'];
  readonly #now: () => number;
  readonly #seconds = new Map<string, { second: number; units: number; most: number }>();
  /** Told when an endpoint's lease is taken (1) and given back (-1). */
  onSession: (change: 1 | -1) => void = () => {};

  constructor(options: MemoryDatabaseOptions, meter: Meter) {
    super(options, meter);
    this.#counts = meter.counts;
    this.#now = () => options.clock.now();
  }

  override write(write: EffectWrite): WriteOutcome {
    const { writeUnits, indexUnits } = this.#counts;
    const outcome = super.write(write);
    const inIndexes = this.#counts.indexUnits - indexUnits;
    this.#add(`writes ${write.table}`, this.#counts.writeUnits - writeUnits - inIndexes);
    if (outcome.kind === 'applied' && write.table === 'registry') {
      const [was, is] = [outcome.before?.['owner'], outcome.after?.['owner']];
      if (was === undefined && is !== undefined) this.onSession(1);
      if (was !== undefined && is === undefined) this.onSession(-1);
    }
    return outcome;
  }

  override get(table: string, key: Readonly<Item>, read: 'consistent' | 'eventual' = 'consistent'): Item | undefined {
    return this.#reading(String(key['pk']), () => super.get(table, key, read));
  }

  override range(table: string, query: RangeQuery) {
    return this.#reading(query.partition, () => super.range(table, query));
  }

  override query(table: string, index: string, query: IndexQuery) {
    return this.#reading(`${index} ${query.partition}`, () => super.query(table, index, query));
  }

  /** Forgets the seconds so far. */
  restart(): void {
    this.#seconds.clear();
  }

  /** Write units of a table in its busiest second. */
  mostWrites(table: 'registry' | 'outbox'): number {
    return this.#seconds.get(`writes ${table}`)?.most ?? 0;
  }

  /** Read units of the partition that is read most, in its busiest second. */
  mostReadsOfKey(): number {
    const keys = [...this.#seconds].filter(([name]) => name.startsWith(KEY));
    return Math.max(0, ...keys.map(([, { most }]) => most));
  }

  #reading<T>(partition: string, read: () => T): T {
    const { readUnits } = this.#counts;
    const found = read();
    this.#add(KEY + partition, this.#counts.readUnits - readUnits);
    return found;
  }

  #add(name: string, units: number): void {
    const second = Math.floor(this.#now() / 1_000);
    const known = this.#seconds.get(name);
    const before = known?.second === second ? known.units : 0;
    this.#seconds.set(name, { second, units: before + units, most: Math.max(known?.most ?? 0, before + units) });
  }
}
