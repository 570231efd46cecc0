/**
 * How fast a replay job goes: its rate on average, although the sweeper has only part of each minute for it, and live
 * traffic first. Over any time since it began never more than its rate; over a shorter window at most `MADE_UP_MS`' worth
 * more, and within a run never faster than `MOST_SPEED` times the rate. What was not had because live traffic waited is not made up for.
 */
import type { EpochMs } from '#core/glossary.ts';

/** What a job did not have is made up for, as far as it is not longer ago. */
const MADE_UP_MS = 15_000;
/** Times the rate, while something is made up for: 45 s of each minute are enough for the rate on average. */
const MOST_SPEED = 4 / 3;
/** Times the rate, while live traffic is waiting. */
const SPEED_BEHIND_LIVE = 1 / 2;
/** A batch that was late may be followed by one that is early by so much. */
const LATE_MS = 500;

export class ReplayPace {
  /** Until when the events that were begun last at the rate: the next ones wait for it. Kept with the job. */
  paidUntil: EpochMs;
  readonly #ratePerSecond: number;
  readonly #until: EpochMs;
  #nextAt: EpochMs;
  #speed = 1;
  #behindLive = false;

  /** For one run, which ends at `until`; `paidUntil` as the run before left it. */
  constructor(job: { readonly ratePerSecond: number; readonly paidUntil?: EpochMs }, now: EpochMs, until: EpochMs) {
    this.#ratePerSecond = job.ratePerSecond;
    this.paidUntil = job.paidUntil ?? now;
    this.#until = until;
    this.#nextAt = now;
  }

  /** Looked at again for every page: what is owed is spread over what is left of the run. `paidUntil` as stored. */
  look(now: EpochMs, behindLive: boolean, paidUntil: EpochMs = 0): void {
    this.#behindLive = behindLive;
    this.paidUntil = Math.max(this.paidUntil, paidUntil, behindLive ? now - LATE_MS : 0);
    const owedMs = Math.min(Math.max(0, now - this.paidUntil), MADE_UP_MS);
    const spread = 1 + owedMs / Math.max(1, this.#until - now);
    this.#speed = behindLive ? SPEED_BEHIND_LIVE : Math.min(MOST_SPEED, spread);
  }

  /** Events a second, as things are. */
  get eventsPerSecond(): number {
    return this.#ratePerSecond * this.#speed;
  }

  /** When the next events may begin. */
  dueAt(): EpochMs {
    return Math.max(this.#nextAt, this.paidUntil);
  }

  /** Notes that `count` events begin now. */
  begin(count: number, now: EpochMs): void {
    const lastsMs = (count / this.#ratePerSecond) * 1_000;
    this.#nextAt = Math.max(this.#nextAt, now - LATE_MS) + lastsMs / this.#speed;
    const paid = this.#behindLive ? lastsMs / SPEED_BEHIND_LIVE : lastsMs;
    this.paidUntil = Math.max(this.paidUntil, now - MADE_UP_MS) + paid;
  }
}
