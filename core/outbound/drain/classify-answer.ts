/**
 * What an answer of an endpoint means: one class, and what follows from it for the delivery and for the endpoint. Total:
 * every status, every header and every failure of the sender has exactly one meaning.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Answer, AnswerClass, Fault, Verdict } from '#core/outbound/ports.ts';
import { retryAfterMs } from '#core/retry/retry-after.ts';
import { HOUR_MS } from '#core/time.ts';
import { WRONG_ADDRESS } from '#core/words.ts';

/** The longest wait an endpoint may ask for all its deliveries; for one delivery it is an hour. */
const MAX_HOLD_MS = 24 * HOUR_MS;

const MESSAGE_REFUSED = [400, 406, 409, 411, 413, 414, 415, 422, 431];
const DENIED = [401, 403, ...WRONG_ADDRESS, 407, 451];
const BUSY = [408, 423, 425, 502, 503, 504];

/** Whose fault it is, by its class: the table of docs/understand/how-sending-works.md. A failure without an answer is the endpoint's. */
const FAULT_OF: Readonly<Partial<Record<AnswerClass, Fault>>> = {
  ok: 'none',
  redirect: 'endpoint',
  gone: 'endpoint',
  busy: 'endpoint',
  denied: 'ambiguous',
  server_error: 'ambiguous',
  message_refused: 'message',
  other_status: 'message',
  throttled: 'throttle',
  own_fault: 'ours',
  body_unreadable: 'ours',
};
const faultOf = (of: AnswerClass): Fault => FAULT_OF[of] ?? 'endpoint';

/** `now` is needed for a `Retry-After` that is a date. */
export function classifyAnswer(answer: Answer, now: EpochMs): Verdict {
  if (answer.kind === 'failed') return { class: answer.cause, fault: faultOf(answer.cause) };
  const { status, headers } = answer;
  const directive = directiveOf(headers['webhook-delivery']);
  const verdict = verdictOf(status, retryAfterMs(headers['retry-after']?.[0], now));
  return directive === undefined ? verdict : { ...verdict, directive };
}

function verdictOf(status: number, askedMs: number | undefined): Verdict {
  const throttled = status === 429 || (status === 503 && askedMs !== undefined && askedMs <= MAX_HOLD_MS);
  const found = throttled ? 'throttled' : classOf(status);
  const verdict = { class: found, fault: faultOf(found) };
  return found === 'ok' ? verdict : { ...verdict, ...upTo(throttled ? MAX_HOLD_MS : HOUR_MS, askedMs) };
}

function classOf(status: number): AnswerClass {
  if (status >= 200 && status < 300) return 'ok';
  if (status >= 300 && status < 400) return 'redirect';
  if (MESSAGE_REFUSED.includes(status)) return 'message_refused';
  if (DENIED.includes(status)) return 'denied';
  if (status === 410) return 'gone';
  if (BUSY.includes(status)) return 'busy';
  if (status >= 500 && status < 600) return 'server_error';
  return 'other_status';
}

/** A hint beyond the limit is none: whoever asks for thirty days is waited for by our own schedule. */
function upTo(limitMs: number, askedMs: number | undefined): { retryAfterMs?: number } {
  return askedMs === undefined || askedMs <= 0 || askedMs > limitMs ? {} : { retryAfterMs: askedMs };
}

function directiveOf(header: readonly string[] | undefined): Verdict['directive'] {
  const said = (header ?? []).flatMap(value => value.toLowerCase().split(',', 20)).map(text => text.trim());
  return said.includes('disable') ? 'disable' : said.includes('abort-message') ? 'abort-message' : undefined;
}
