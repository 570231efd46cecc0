/** What a quota lets through: a bucket of requests, and the write units of a table. Times in seconds. */
import { MINUTE } from './observations.ts';

/** A table call waits this long in the SDK's own retries before it fails. */
export const TABLE_PATIENCE = 0.8;

/** A rate per second, and a store of what was not used. */
export class Bucket {
  #level: number;
  #at = 0;
  readonly #perSecond: number;
  readonly #size: number;
  constructor(perSecond: number, size: number) {
    this.#perSecond = perSecond;
    this.#size = size;
    this.#level = size;
  }
  take(now: number, count: number): boolean {
    this.#level = Math.min(this.#size, this.#level + (now - this.#at) * this.#perSecond);
    this.#at = now;
    if (this.#level < count) return false;
    this.#level -= count;
    return true;
  }
}

/** Write units: what is over the rate waits; the rate follows the highest minute so far, doubled. */
export class Table {
  #rate: number;
  readonly #most: number;
  #debt = 0;
  #at = 0;
  #minute = { from: 0, units: 0 };
  constructor(rate: number, most: number) {
    this.#rate = rate;
    this.#most = most;
  }
  /** Seconds until these units are written. What would wait longer than the patience is not written. */
  take(now: number, units: number, patience = TABLE_PATIENCE): number {
    this.#debt = Math.max(0, this.#debt - (now - this.#at) * this.#rate);
    this.#at = now;
    if (now - this.#minute.from >= MINUTE) {
      const highest = this.#minute.units / MINUTE;
      this.#rate = Math.min(this.#most, Math.max(this.#rate, highest * 2));
      this.#minute = { from: now, units: 0 };
    }
    const wait = (this.#debt + units) / this.#rate;
    if (wait > patience) return wait;
    this.#debt += units;
    this.#minute.units += units;
    return wait;
  }
}
