/** How many of something there are at once: the mean over time, and the most. */
import type { Clock } from '#core/ports.ts';

export interface Level {
  readonly mean: number;
  readonly most: number;
}

export class Gauge {
  readonly #clock: Clock;
  #now = 0;
  #most = 0;
  #area = 0;
  #since = 0;
  #from = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.restart();
  }

  add(change: number): void {
    this.#advance();
    this.#now += change;
    this.#most = Math.max(this.#most, this.#now);
  }

  /** From now on. What is there stays. */
  restart(): void {
    this.#from = this.#clock.now();
    this.#since = this.#from;
    this.#area = 0;
    this.#most = this.#now;
  }

  /** Since the last restart. */
  read(): Level {
    this.#advance();
    return { mean: this.#area / Math.max(1, this.#since - this.#from), most: this.#most };
  }

  #advance(): void {
    const now = this.#clock.now();
    this.#area += this.#now * (now - this.#since);
    this.#since = now;
  }
}
