/** Ready handler: hands the event to an HTTP service of your own, byte for byte. */
import { done, type Handler, PermanentError, retryAfter } from '#core/handler/handler-contract.ts';

/** Answers that no retry can mend. 408, 409, 425 and 429 can be. */
const isPermanent = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);

/**
 * POSTs the exact bytes to `url` (an internal service) with `holdfast-event-id`, `holdfast-event-type`,
 * `holdfast-attempt` and `idempotency-key`. 2xx completes the event; `Retry-After` (seconds) on 429 and 503 is kept;
 * other 4xx dead-letter it; anything else is tried again. Throws RangeError at start for a URL that is not http(s).
 * @example
 * const handler: Handler = forward('https://orders.internal.example.com/webhooks');
 */
export function forward(url: string): Handler {
  if (!/^https?:\/\//.test(url))
    throw new RangeError(`forward() takes an http or https URL; it was given "${url.slice(0, 80)}"`);
  return async (event, context) => {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: context.signal,
      headers: {
        'content-type': event.headers['content-type'] ?? 'application/octet-stream',
        'holdfast-event-id': event.id,
        'holdfast-event-type': event.type,
        'holdfast-attempt': String(context.attempt),
        'idempotency-key': context.idempotencyKey,
      },
      body: event.bytes as Uint8Array<ArrayBuffer>,
    });
    await response.body?.cancel();
    if (response.ok) return done({ actionTaken: 'forwarded', data: { status: response.status } });
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if ((response.status === 429 || response.status === 503) && seconds >= 0) {
      return retryAfter(seconds, `the service answered ${response.status}`);
    }
    if (isPermanent(response.status)) throw new PermanentError(`the service answered ${response.status}`);
    throw new Error(`the service answered ${response.status}`);
  };
}
