/** When deliveries of healthy endpoints were published, first tried and delivered. */
import { quantile } from '../measure/statistics.ts';

/** Milliseconds. */
interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}
export interface Times {
  readonly deliveries: number;
  readonly first: Spread;
  readonly delivered: Spread;
}

export class TimesOf {
  readonly #first = new Map<string, number>();
  readonly #delivered = new Map<string, number>();

  /** A request for it begins. */
  begun(delivery: string, at: number): void {
    if (!this.#first.has(delivery)) this.#first.set(delivery, at);
  }

  /** Its endpoint has answered with success. */
  ended(delivery: string, at: number): void {
    if (!this.#delivered.has(delivery)) this.#delivered.set(delivery, at);
  }

  /** How many of these are not delivered yet. */
  missing(deliveries: readonly string[]): number {
    return deliveries.filter(each => !this.#delivered.has(each)).length;
  }

  /** From each one's time of publication. Throws RangeError where one was not delivered. */
  since(published: readonly (readonly [delivery: string, at: number])[]): Times {
    const spread = (of: ReadonlyMap<string, number>): Spread => {
      const ms = published.map(([delivery, at]) => (of.get(delivery) ?? Number.NaN) - at);
      if (ms.some(Number.isNaN)) throw new RangeError('a delivery of a healthy endpoint has no end');
      return { p50: quantile(ms, 0.5), p99: quantile(ms, 0.99), most: quantile(ms, 1) };
    };
    return { deliveries: published.length, first: spread(this.#first), delivered: spread(this.#delivered) };
  }
}
