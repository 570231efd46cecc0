/** `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. One reader for every answer that may carry it. */
import type { EpochMs } from '#core/glossary.ts';
import { parseHttpDate } from '#core/time.ts';

const HTTP_DATE_LENGTH = 'Sat, 21 Nov 2026 03:00:00 GMT'.length;

/**
 * Milliseconds to wait from `now`, or undefined when the header is missing or says nothing that can be read. Of several
 * values the first counts; a date in the past is 0. Nothing is clamped here: what is too long is the caller's rule.
 */
export function retryAfterMs(header: string | undefined, now: EpochMs): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^(\d{1,12})(?:\s*,|$)/.exec(text)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1_000;
  const rest = text.slice(HTTP_DATE_LENGTH).trimStart();
  const at = rest === '' || rest.startsWith(',') ? parseHttpDate(text.slice(0, HTTP_DATE_LENGTH)) : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}
