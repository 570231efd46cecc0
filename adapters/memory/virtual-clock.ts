import type { EpochMs } from '#core/glossary.ts';
import type { Clock } from '#core/ports.ts';
import { DAY_MS } from '#core/time.ts';
import { Heap } from './heap.ts';

interface Timer {
  readonly at: EpochMs;
  readonly order: number;
  readonly run: () => void;
  canceled: boolean;
}

/**
 * Time that moves only when told to. Everything that waits in a simulation waits here, so that a month passes in
 * seconds and the same seed gives the same run. Events of the same instant run in the order they were scheduled.
 */
export class VirtualClock implements Clock {
  #now: EpochMs;
  #order = 0;
  readonly #timers = new Heap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));

  /** Starts at 2026-01-05T00:00:00Z, a Monday, unless told otherwise. */
  constructor(startMs: EpochMs = 1_767_571_200_000) {
    this.#now = startMs;
  }

  now(): EpochMs {
    return this.#now;
  }

  /** The same clock as read on a host whose own clock is off by `skewMs`. */
  skewed(skewMs: number): Clock {
    return { now: () => this.#now + skewMs };
  }

  /** Runs `run` at a time (at once, but not before the caller returns, when it has passed). Returns the cancellation. */
  at(ms: EpochMs, run: () => void): () => void {
    const timer: Timer = { at: Math.max(ms, this.#now), order: this.#order++, run, canceled: false };
    this.#timers.push(timer);
    return () => {
      timer.canceled = true;
    };
  }

  /** Runs `run` after this number of milliseconds. */
  after(delayMs: number, run: () => void): () => void {
    return this.at(this.#now + delayMs, run);
  }

  /** Resolves after this number of virtual milliseconds. */
  sleep(delayMs: number): Promise<void> {
    return new Promise(resolve => {
      this.at(this.#now + delayMs, resolve);
    });
  }

  /** When the next event is due, or undefined when nothing is scheduled. */
  nextAt(): EpochMs | undefined {
    for (;;) {
      const timer = this.#timers.peek();
      if (!timer?.canceled) return timer?.at;
      this.#timers.pop();
    }
  }

  /** Moves to the next event, runs it, and lets all code it woke run until it waits again. False: nothing is scheduled. */
  async runNext(): Promise<boolean> {
    if (this.nextAt() === undefined) return false;
    const timer = this.#timers.pop() as Timer;
    this.#now = timer.at;
    timer.run();
    await settle();
    return true;
  }

  /** Runs every event up to and including a time, then stops at that time. */
  async advanceTo(ms: EpochMs): Promise<void> {
    await settle();
    for (let next = this.nextAt(); next !== undefined && next <= ms; next = this.nextAt()) await this.runNext();
    this.#now = Math.max(this.#now, ms);
  }

  /** Runs every event of this number of milliseconds from now. */
  advanceBy(delayMs: number): Promise<void> {
    return this.advanceTo(this.#now + delayMs);
  }

  /**
   * Drives the clock until a promise settles and returns its value. Throws when it never can (nothing is scheduled any
   * more), or did not within `limitMs` of virtual time.
   */
  async complete<T>(promise: Promise<T>, limitMs = DAY_MS): Promise<T> {
    const limitAt = this.#now + limitMs;
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    await settle();
    while (!settled) {
      const next = this.nextAt();
      if (next === undefined) throw new Error('The promise can never settle: no event is scheduled that could wake it');
      if (next > limitAt) throw new Error(`The promise did not settle within ${limitMs} ms of virtual time`);
      await this.runNext();
    }
    return promise;
  }
}

/** Lets all code that can run without a timer run to its next wait. */
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
