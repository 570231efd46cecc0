const BUCKET_LIMIT = 512;

/** Keeps items in order; adding and removing cost little even among a million. */
export class SortedList<T> {
  readonly #buckets: T[][] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  add(item: T): void {
    const buckets = this.#buckets;
    if (buckets.length === 0) {
      buckets.push([item]);
      return;
    }
    const at = Math.min(this.#bucketOf(item), buckets.length - 1);
    const bucket = buckets[at] as T[];
    bucket.splice(this.#positionIn(bucket, item), 0, item);
    if (bucket.length > BUCKET_LIMIT) buckets.splice(at + 1, 0, bucket.splice(BUCKET_LIMIT / 2));
  }

  /** Removes an item equal to this one, if there is one. */
  remove(item: T): void {
    const at = this.#bucketOf(item);
    const bucket = this.#buckets[at];
    if (bucket === undefined) return;
    const position = this.#positionIn(bucket, item);
    const found = bucket[position];
    if (found === undefined || this.#compare(found, item) !== 0) return;
    bucket.splice(position, 1);
    if (bucket.length === 0) this.#buckets.splice(at, 1);
  }

  /** Items from the first that is not before `from`, upwards. */
  *ascending(from: T): Generator<T> {
    let at = this.#bucketOf(from);
    let position = at < this.#buckets.length ? this.#positionIn(this.#buckets[at] as T[], from) : 0;
    for (; at < this.#buckets.length; at++, position = 0) {
      const bucket = this.#buckets[at] as T[];
      for (; position < bucket.length; position++) yield bucket[position] as T;
    }
  }

  /** Items from the last that is not after `from`, downwards. */
  *descending(from: T): Generator<T> {
    let at = Math.min(this.#bucketOf(from), this.#buckets.length - 1);
    for (let first = true; at >= 0; at--, first = false) {
      const bucket = this.#buckets[at] as T[];
      let position = bucket.length - 1;
      if (first) {
        position = this.#positionIn(bucket, from);
        if (position >= bucket.length || this.#compare(bucket[position] as T, from) > 0) position -= 1;
      }
      for (; position >= 0; position--) yield bucket[position] as T;
    }
  }

  /** The first bucket whose last item is not before `item`; the number of buckets when there is none. */
  #bucketOf(item: T): number {
    let low = 0;
    let high = this.#buckets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const bucket = this.#buckets[middle] as T[];
      if (this.#compare(bucket.at(-1) as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #positionIn(bucket: readonly T[], item: T): number {
    let low = 0;
    let high = bucket.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(bucket[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
