/** For handlers that call services themselves: it judges an answer as `forward()` and routes do. */
import { judgeHttpAnswer } from '#core/retry/judge-http-answer.ts';

/** What an answer means for the event. `afterSeconds` is its `Retry-After`: seconds from now, at most a day. */
export type JudgedAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'busy'; readonly afterSeconds?: number }
  | { readonly kind: 'failed' }
  | { readonly kind: 'refused'; readonly cause: 'denied' | 'not_found' | 'invalid' };

/**
 * Judges the answer of `fetch`: `accepted` (2xx), `busy` (429, or 503 with `Retry-After`), `failed` (worth a retry) or
 * `refused` (no retry can help). `Retry-After` may be seconds or a date. Never throws.
 * @example
 * const response = await fetch('https://shop.example.com/orders', { redirect: 'manual' });
 * const judged = judgeAnswer(response);
 * if (judged.kind === 'busy') return busy(judged.afterSeconds, 'the service asks for patience');
 */
export function judgeAnswer(answer: {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}): JudgedAnswer {
  const judged = judgeHttpAnswer(answer.status, answer.headers.get('retry-after') ?? undefined, Date.now());
  if (judged.kind !== 'busy' || judged.hintMs === undefined) return judged.kind === 'busy' ? { kind: 'busy' } : judged;
  return { kind: 'busy', afterSeconds: Math.ceil(judged.hintMs / 1_000) };
}
