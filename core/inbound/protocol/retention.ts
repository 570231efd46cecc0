/** Payloads outlive their records by this, so that a record never misses its body (I14). */
export const PAYLOAD_MARGIN_DAYS = 7;

/** A body that is there and lives no more than this (seconds) less than asked for is left as it is: a write saved. */
const LIFETIME_SLACK = 86_400;

/** Must the lifetime of a body that is there be raised for one that was put again? Both in epoch seconds. */
export function livesTooShort(has: number | undefined, wanted: number): boolean {
  return has === undefined || has < wanted - LIFETIME_SLACK;
}

/** The age rule: an event this close to the end of the dedup window may have been seen and forgotten. */
const AGE_MARGIN_DAYS = 2;
const DAY_MS = 86_400_000;

/** Too old to be told from a forgotten one: recorded, never run. */
export function isPastDedupWindow(eventAt: number | undefined, receivedAt: number, retentionDays: number): boolean {
  return eventAt !== undefined && receivedAt - eventAt > (retentionDays - AGE_MARGIN_DAYS) * DAY_MS;
}
