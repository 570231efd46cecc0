/** A ready-made handler: sends the event to an HTTP service of your own, byte for byte. */
import { busy, done, type Handler, PermanentError } from '#core/handler/handler-contract.ts';
import { parseTarget } from '#core/inbound/routing/target.ts';
import { judgeAnswer } from './judge-answer.ts';

/**
 * Makes a handler that POSTs the exact bytes of the event to `url` (an internal service). Headers are
 * `holdfast-event-id`, `holdfast-event-type`, `holdfast-attempt`, `idempotency-key` and, if there is a trace,
 * `traceparent`. The answer decides: 2xx completes the event. 429, and 503 with `Retry-After` (seconds or a date), wait
 * as asked, never less than the source's backoff and at most a day. An answer that no retry can change (most 4xx, 301,
 * 308) makes the event a dead letter. After anything else it is tried again. It follows no redirect. Throws RangeError
 * at start for a URL that is not https (http is allowed to this machine), or that has a user, a password or a #fragment.
 * @example
 * const handler: Handler = forward('https://orders.internal.example.com/webhooks');
 */
export function forward(url: string): Handler {
  const parsed = parseTarget(url);
  const problem = 'problem' in parsed ? parsed.problem : undefined;
  if (problem || !/^https?:/i.test(url))
    throw new RangeError(
      `forward() was given "${url.slice(0, 80)}"; allowed: ${problem?.allowed ?? 'a URL'}; ${problem?.fix ?? 'write https://'}`,
    );
  return async (event, context) => {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: context.signal,
      headers: {
        'content-type': event.headers['content-type'] ?? 'application/octet-stream',
        'holdfast-event-id': event.id,
        'holdfast-event-type': event.type,
        'holdfast-attempt': String(context.attempt),
        'idempotency-key': context.idempotencyKey,
        ...(context.trace && { traceparent: context.trace.attempt }),
      },
      body: event.bytes as Uint8Array<ArrayBuffer>,
    });
    await response.body?.cancel();
    const judged = judgeAnswer(response);
    const reason = `the service answered ${response.status}`;
    switch (judged.kind) {
      case 'accepted':
        return done({ actionTaken: 'forwarded', data: { status: response.status } });
      case 'busy':
        return busy(judged.afterSeconds, reason);
      case 'refused':
        throw new PermanentError(reason);
      case 'failed':
        throw new Error(reason);
    }
  };
}
