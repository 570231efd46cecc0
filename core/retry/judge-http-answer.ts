/**
 * What an HTTP answer means for whoever sent an event on: forward(), routes to URLs, fetchers and providers' APIs. One
 * table and one reading of `Retry-After`, so that the same answer is never judged in two ways. (Sending to customers'
 * endpoints has finer classes of its own: core/outbound/drain/classify-answer.ts.)
 */
import type { EpochMs } from '#core/glossary.ts';
import { DAY_MS } from '#core/time.ts';
import { retryAfterMs } from './retry-after.ts';

/**
 * `accepted`: 2xx. `busy`: it asks to come back later (429; 503 with a time). `failed`: a later request may get another
 * answer. `refused`: no retry can help. `hintMs`: what the answer asked to wait, 0 to a day; absent: it named no time.
 */
export type HttpJudgement =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'busy'; readonly hintMs?: number }
  | { readonly kind: 'failed' }
  | { readonly kind: 'refused'; readonly cause: 'denied' | 'not_found' | 'invalid' };

/** The longest wait that an answer can ask for. A year in `Retry-After` is a day. */
export const HINT_CAP_MS = DAY_MS;

/** Answers below 500 that a later request may not get: time-outs, conflicts, locks, a redirect of the moment. */
const PASSING = [300, 302, 303, 304, 305, 306, 307, 408, 409, 421, 423, 425];
const DENIED = [401, 403, 407, 451];
const NOT_FOUND = [404, 410];

/** Judges a status and its `Retry-After` header. Redirects are never followed: 301 and 308 say that the address is wrong. */
export function judgeHttpAnswer(status: number, retryAfter: string | undefined, now: EpochMs): HttpJudgement {
  if (status >= 200 && status <= 299) return { kind: 'accepted' };
  const asked = status === 429 || status === 503 ? retryAfterMs(retryAfter, now) : undefined;
  if (asked !== undefined) return { kind: 'busy', hintMs: Math.min(asked, HINT_CAP_MS) };
  if (status === 429) return { kind: 'busy' };
  if (status < 200 || status >= 500 || PASSING.includes(status)) return { kind: 'failed' };
  if (DENIED.includes(status)) return { kind: 'refused', cause: 'denied' };
  if (NOT_FOUND.includes(status)) return { kind: 'refused', cause: 'not_found' };
  return { kind: 'refused', cause: 'invalid' };
}

/**
 * How long to wait: what the answer asked for, but never less than the schedule's own wait, and a day at most
 * where it asks for more. Taken at its word, `Retry-After: 0` made fifteen attempts without any wait.
 */
export function waitMs(ownMs: number, hintMs: number | undefined): number {
  return Math.max(ownMs, Math.min(hintMs ?? 0, HINT_CAP_MS));
}
