/**
 * Write capacity that is paid by the hour and follows the load, over a day: what it costs, and which events wait for it.
 * A fluid model of one table, in the favour of such capacity: what is refused is written as soon as there is room.
 */
import { DAY_SECONDS } from '#core/time.ts';
import { PRICES } from '#operator/cost/prices.ts';

/** The target of auto scaling. */
const USED = 0.7;
/** It raises after this many minutes above its target, and lowers after this many below `LOW`, once an hour at most. */
const MINUTES = { above: 2, below: 15, between: 60 };
const LOW = 0.5;
/** Capacity that was not used is kept for so long. */
const KEPT_SECONDS = 300;
const DAYS = 3;
const BURST = { factor: 25, seconds: 60 };

export interface ProvisionedLoad {
  readonly eventsPerDay: number;
  /** Write units of an event. */
  readonly units: number;
  /** A quiet night and a busy noon, as in benchmark (f). @default an even load */
  readonly curve?: boolean;
  /** Minutes of 25 times the mean. @default 0 */
  readonly bursts?: number;
  /** Capacity that it never goes below. @default 1 */
  readonly least?: number;
}

export interface ProvisionedDay {
  /** For a million events. */
  readonly dollars: number;
  /** Share of the events that arrive while others wait for capacity. */
  readonly waiting: number;
  /** The longest time in which somebody waits. */
  readonly minutes: number;
}

/** The last of three days. */
export function provisionedDay({
  eventsPerDay,
  units,
  curve = false,
  bursts = 0,
  least = 1,
}: ProvisionedLoad): ProvisionedDay {
  const mean = eventsPerDay / DAY_SECONDS;
  const period = DAY_SECONDS / Math.max(1, bursts);
  const rateAt = (second: number): number => {
    const inPeriod = (second % period) - period / 2;
    if (bursts > 0 && inPeriod >= 0 && inPeriod < BURST.seconds) return BURST.factor * mean;
    return curve ? mean * (1 - 0.75 * Math.cos((2 * Math.PI * second) / DAY_SECONDS)) : mean;
  };
  let capacity = Math.max(least, Math.ceil((mean * units) / USED));
  let next = capacity;
  let [kept, owed, above, below, lowered] = [KEPT_SECONDS * capacity, 0, 0, 0, 0];
  let [paid, events, waiting, since, longest] = [0, 0, 0, 0, 0];
  for (let minute = 0; minute < DAYS * 24 * 60; minute++) {
    const counts = minute >= (DAYS - 1) * 24 * 60;
    let written = 0;
    capacity = next;
    kept = Math.min(kept, KEPT_SECONDS * capacity);
    for (let second = 0; second < 60; second++) {
      const rate = rateAt((minute * 60 + second) % DAY_SECONDS);
      const wanted = rate * units + owed;
      const done = Math.min(wanted, capacity + kept);
      kept = Math.min(KEPT_SECONDS * capacity, kept + capacity - done);
      owed = wanted - done;
      written += done;
      since = owed > 0 ? since + 1 : 0;
      if (!counts) continue;
      longest = Math.max(longest, since);
      paid += capacity;
      events += rate;
      if (owed > 0) waiting += rate;
    }
    const used = written / 60;
    above = used > USED * capacity ? above + 1 : 0;
    below = used < LOW * capacity ? below + 1 : 0;
    const wanted = Math.max(least, Math.ceil(used / USED));
    if (above >= MINUTES.above) [next, above] = [wanted, 0];
    else if (below >= MINUTES.below && minute - lowered >= MINUTES.between)
      [next, below, lowered] = [wanted, 0, minute];
  }
  const dollars = ((paid / 3_600) * PRICES.dynamoWriteCapacityHour.dollars * 1e6) / events;
  return { dollars, waiting: waiting / events, minutes: longest / 60 };
}
