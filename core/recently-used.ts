/** A bounded memory of one process: when it is full, what was used longest ago goes, and nothing else. */
export class RecentlyUsed<Key, Value> {
  readonly #most: number;
  readonly #weigh: (value: Value) => number;
  /** In the order of their last use. */
  readonly #kept = new Map<Key, Value>();
  #weight = 0;

  /** `most`: the sum of all weights, at most. Default: each weighs 1. What weighs more than `most` alone is kept alone. */
  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const value = this.#kept.get(key);
    if (value === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#remove(key);
    this.#kept.set(key, value);
    this.#weight += this.#weigh(value);
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#most || this.#kept.size === 1) break;
      this.#remove(oldest);
    }
  }

  #remove(key: Key): void {
    const value = this.#kept.get(key);
    if (value === undefined) return;
    this.#kept.delete(key);
    this.#weight -= this.#weigh(value);
  }
}
