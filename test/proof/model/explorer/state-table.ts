/** The states that an exploration knows: each is kept as the small integers of its key, and found by their hash. */

/** Where a model writes the key of a state: integers of 32 bits, as many as it likes. */
export class Key {
  length = 0;
  units = new Int32Array(256);

  add(unit: number): void {
    if (this.length === this.units.length) this.units = longer(this.units);
    this.units[this.length++] = unit;
  }
}

/** Numbers keys from 0 in the order in which they come. */
export class StateTable {
  size = 0;
  /** Where the key of each state ends; the first begins at 0. */
  #ends = new Int32Array(1024);
  #units = new Int32Array(4096);
  /** For each place two integers: a hash, and one more than the number of the state that has it; 0: nobody. */
  #places = new Int32Array(2 * 2048);

  /** The number of the state with this key; undefined: there is none yet. */
  find({ units, length }: Key): number | undefined {
    const taken = this.#places[this.#placeOf(hashOf(units, length), units, length) + 1]!;
    return taken === 0 ? undefined : taken - 1;
  }

  /** The number of the state with this key: `size`, as it was before the call, if it is a new one. */
  intern({ units, length }: Key): number {
    if (4 * this.size >= this.#places.length) this.#grow();
    const hash = hashOf(units, length);
    const place = this.#placeOf(hash, units, length);
    const taken = this.#places[place + 1]!;
    if (taken !== 0) return taken - 1;
    this.#places[place] = hash;
    this.#places[place + 1] = this.size + 1;
    return this.#append(units, length);
  }

  /** Where the key is, or would be. */
  #placeOf(hash: number, units: Int32Array, length: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    let place = (hash << 1) & mask;
    for (let taken = places[place + 1]!; taken !== 0; taken = places[place + 1]!) {
      if (places[place] === hash && this.#isKeyOf(taken - 1, units, length)) break;
      place = (place + 2) & mask;
    }
    return place;
  }

  #isKeyOf(state: number, units: Int32Array, length: number): boolean {
    const begin = state === 0 ? 0 : this.#ends[state - 1]!;
    if (this.#ends[state]! - begin !== length) return false;
    const known = this.#units;
    for (let n = 0; n < length; n++) if (known[begin + n] !== units[n]) return false;
    return true;
  }

  #append(units: Int32Array, length: number): number {
    const state = this.size++;
    const begin = state === 0 ? 0 : this.#ends[state - 1]!;
    while (begin + length > this.#units.length) this.#units = longer(this.#units);
    const kept = this.#units;
    for (let n = 0; n < length; n++) kept[begin + n] = units[n]!;
    if (state === this.#ends.length) this.#ends = longer(this.#ends);
    this.#ends[state] = begin + length;
    return state;
  }

  #grow(): void {
    const old = this.#places;
    const places = new Int32Array(2 * old.length);
    const mask = places.length - 1;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let place = (old[from]! << 1) & mask;
      while (places[place + 1] !== 0) place = (place + 2) & mask;
      places[place] = old[from]!;
      places[place + 1] = old[from + 1]!;
    }
    this.#places = places;
  }
}

/** Of the first `length` units. Keys of equal hashes are told apart by their units. */
export function hashOf(units: Int32Array, length: number): number {
  let hash = length;
  for (let n = 0; n < length; n++) {
    hash = Math.imul(hash ^ units[n]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

function longer(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(2 * list.length);
  copy.set(list);
  return copy;
}
