/**
 * Signed times. The grammar is strict (no sign, no fraction, no junk): the text is what was signed, and where no separator
 * follows it in the signed bytes a loose grammar would let digits move between time and body.
 */
import type { Scheme, TimeUnit } from '#core/provider/provider-spec.ts';
import { DAY_MS, parseHttpDate, parseIso, toIso } from '#core/time.ts';
import { collapseRepeats } from './read-signatures.ts';
import type { RequestReader, Scope } from './request-reader.ts';
import { type Refused, refused } from './verdict.ts';

/** Milliseconds since 1970, or undefined when the text is not of the unit's strict form. */
function parseSignedTime(text: string, unit: TimeUnit): number | undefined {
  switch (unit) {
    case 's':
      return /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : undefined;
    case 'ms':
      return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'iso8601':
      // A time without a zone would be somebody's local time.
      return /^[\d-]{10}T[\d:.]{5,18}(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? parseIso(text) : undefined;
    case 'http-date':
      return parseHttpDate(text);
  }
}

const WEEKDAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as a provider would write it. */
export function formatSignedTime(ms: number, unit: TimeUnit): string {
  const iso = toIso(ms);
  switch (unit) {
    case 's':
      return String(Math.floor(ms / 1_000));
    case 'ms':
      return String(ms);
    case 'iso8601':
      return iso;
    case 'http-date': {
      const weekday = WEEKDAYS[Math.floor(ms / DAY_MS) % 7];
      const month = MONTHS[Number(iso.slice(5, 7)) - 1];
      return `${weekday}, ${iso.slice(8, 10)} ${month} ${iso.slice(0, 4)} ${iso.slice(11, 19)} GMT`;
    }
  }
}

/**
 * The event's own time, read leniently (fractions of a second occur): it decides order and age, never trust. Undefined
 * for 1970 and before: that is how programs write that they have none, and no event may count as too old for it.
 */
export function parseEventTime(text: string, unit: TimeUnit): number | undefined {
  const ms = readEventTime(text, unit);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

function readEventTime(text: string, unit: TimeUnit): number | undefined {
  switch (unit) {
    case 's':
      return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Math.floor(Number(text) * 1_000) : undefined;
    case 'ms':
      return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Math.floor(Number(text)) : undefined;
    case 'iso8601':
      return parseIso(text);
    case 'http-date':
      return parseHttpDate(text);
  }
}

export interface SignedTime {
  readonly kind: 'time';
  /** As received: these bytes are signed. */
  readonly text: string;
  readonly ms: number;
}

export function readSignedTime(
  time: NonNullable<Scheme['time']>,
  reader: RequestReader,
  scope: Scope,
): SignedTime | Refused {
  const received = reader.text(time.from, scope);
  if (received === undefined || received === '') return refused('missing', 'no_timestamp');
  // An HTTP date has a comma of its own.
  const isList = time.from.startsWith('header:') && time.unit !== 'http-date';
  const text = isList ? collapseRepeats(received) : received;
  if (isList && text.includes(',')) return refused('duplicate_header');
  const ms = parseSignedTime(text, time.unit);
  return ms === undefined ? refused('malformed', 'timestamp') : { kind: 'time', text, ms };
}

/** Asked only after the signature was found good, so that a stale forgery is reported as a forgery. */
export function checkWindow(time: NonNullable<Scheme['time']>, ms: number, nowMs: number): Refused | undefined {
  if (time.past !== undefined && nowMs - ms > time.past * 1_000) return refused('stale');
  if (time.future !== undefined && ms - nowMs > time.future * 1_000) return refused('future');
  return undefined;
}
