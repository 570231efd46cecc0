/** How far the clock of this function is from the services', by the `Date` of their answers. */

/** A `Date` has whole seconds, and an answer is on its way for up to two. */
const UNSURE_MS = 3_000;

let largestMs = 0;

/** Called with each answer of a service; `date`: its header. */
export function noteServiceDate(date: string | undefined, now: number = Date.now()): void {
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  const apart = Math.abs(now - theirs);
  if (apart > UNSURE_MS) largestMs = Math.max(largestMs, apart);
}

/** The largest difference since the last call, in milliseconds; undefined: none that can be told from the way of an answer. */
export function takeClockDifference(): number | undefined {
  const taken = largestMs;
  largestMs = 0;
  return taken === 0 ? undefined : taken;
}
