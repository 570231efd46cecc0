/** The key of any state of plain values: for models that are too small for a key made by hand. */
import { Key, StateTable } from './state-table.ts';

// Each unit says in its last three bits what it is.
const NOTHING = 0;
const TRUE = 8;
const FALSE = 16;
const INTEGER = 1;
const TEXT = 2;
const NUMBER = 3;
const PART = 4;
const NAME = 5;
const LIST = 6;
const OBJECT = 7;

/**
 * A key that is equal where the JSON is. Equal parts have one number. A state shares most of its parts with the one before
 * it: they are known by being the same object, so a state must never be changed. Fields with the name `without` are left out.
 */
export function keyOfValues(without?: string): (state: object, key: Key) => void {
  const parts = new Parts(without);
  return (state, key) => parts.writeAll(state, key);
}

class Parts {
  readonly #table = new StateTable();
  readonly #ids = new Map<string, number>();
  /** One for each depth. */
  readonly #keys: Key[] = [];
  /** What was seen last at each place, in the order in which objects are visited: its number, and where its own parts end. */
  readonly #seen: object[] = [];
  readonly #numbers: number[] = [];
  readonly #ends: number[] = [];
  /** The names of the fields that were seen last at each depth, and their units: nearly always the same ones. */
  readonly #names: string[][] = [];
  readonly #units: number[][] = [];
  readonly #without: string | undefined;
  #place = 0;

  constructor(without: string | undefined) {
    this.#without = without;
  }

  writeAll(state: object, key: Key): void {
    this.#place = 0;
    this.#write(state, key, 0);
  }

  #write(value: object, key: Key, depth: number): void {
    if (Array.isArray(value)) {
      key.add((value.length << 3) | LIST);
      for (let n = 0; n < value.length; n++) key.add(this.#unitOf(value[n], depth));
      return;
    }
    key.add(OBJECT);
    this.#names[depth] ??= [];
    this.#units[depth] ??= [];
    const names = this.#names[depth];
    const units = this.#units[depth];
    let n = 0;
    for (const name in value) {
      const field = (value as Record<string, unknown>)[name];
      if (names[n] !== name) {
        names[n] = name;
        units[n] = (this.#idOf(name) << 3) | NAME;
      }
      const unit = units[n++]!;
      if (field === undefined || name === this.#without) continue;
      key.add(unit);
      key.add(this.#unitOf(field, depth));
    }
  }

  #unitOf(value: unknown, depth: number): number {
    if (typeof value === 'number')
      return (value << 3) >> 3 === value && !Object.is(value, -0)
        ? (value << 3) | INTEGER
        : (this.#idOf(String(value)) << 3) | NUMBER;
    if (typeof value === 'string') return (this.#idOf(value) << 3) | TEXT;
    if (typeof value === 'boolean') return value ? TRUE : FALSE;
    return typeof value === 'object' && value !== null ? (this.#partOf(value, depth) << 3) | PART : NOTHING;
  }

  #partOf(part: object, depth: number): number {
    const place = this.#place++;
    if (this.#seen[place] === part) {
      this.#place = this.#ends[place]!;
      return this.#numbers[place]!;
    }
    this.#keys[depth] ??= new Key();
    const key = this.#keys[depth];
    key.length = 0;
    this.#write(part, key, depth + 1);
    const number = this.#table.intern(key);
    this.#seen[place] = part;
    this.#numbers[place] = number;
    this.#ends[place] = this.#place;
    return number;
  }

  #idOf(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#ids.set(text, this.#ids.size);
    return this.#ids.size - 1;
  }
}
