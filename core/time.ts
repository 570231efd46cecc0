/** Times: their units, and as text. The only file of core/ that may use Date, and only to convert: the clock is a port. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;

/** `2026-11-21T03:00:00.000Z` of a time in milliseconds. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** `2026-11-21T03`: the hour partition of the timeline index. */
export function toHour(ms: number): string {
  return toIso(ms).slice(0, 13);
}

/** Milliseconds as 13 digits, so that times in keys sort as texts. Before 1970 counts as 1970. */
export function toStamp(ms: number): string {
  return String(Math.max(0, ms)).padStart(13, '0');
}

/** What `parseIso` reads, but for days and hours that no calendar has. */
export const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Milliseconds of an ISO 8601 text (UTC where no zone is given), or undefined when it is not one. */
export function parseIso(text: string): number | undefined {
  if (!ISO_8601.test(text)) return undefined;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text) || text.length === 10 ? text : `${text}Z`;
  const ms = Date.parse(zoned.replace(' ', 'T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(ms) || !isDay(text.slice(0, 10)) ? undefined : ms;
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  return toIso(Date.parse(day)).startsWith(day);
}

/** Milliseconds of an HTTP date (`Sat, 21 Nov 2026 03:00:00 GMT`), or undefined. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
