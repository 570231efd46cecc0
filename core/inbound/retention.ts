/** Payloads outlive their records by this, so that a record never misses its body (I14). */
export const PAYLOAD_MARGIN_DAYS = 7;

/** The age rule: an event this close to the end of the dedup window may have been seen and forgotten. */
const AGE_MARGIN_DAYS = 2;
const DAY_MS = 86_400_000;

/** Too old to be told from a forgotten one: recorded, never run. */
export function isPastDedupWindow(eventAt: number | undefined, receivedAt: number, retentionDays: number): boolean {
  return eventAt !== undefined && receivedAt - eventAt > (retentionDays - AGE_MARGIN_DAYS) * DAY_MS;
}
