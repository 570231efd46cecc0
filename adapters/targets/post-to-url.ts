import type { Delivered, Targets } from '#core/inbound/routing/targets.ts';
import { parseHttpDate } from '#core/time.ts';

/** Answers of the 400s that a later request may not get. */
const PASSING = [408, 409, 421, 423, 425];

/** POSTs to a service of the user's. Any 2xx is an acceptance; the answer's body is not read. */
export async function postToUrl(
  url: string,
  { headers, bytes }: Parameters<Targets['post']>[1],
  signal: AbortSignal,
): Promise<Delivered> {
  let response: Response;
  try {
    const body = bytes as Uint8Array<ArrayBuffer>;
    response = await fetch(url, { method: 'POST', redirect: 'manual', signal, headers, body });
    await response.body?.cancel();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { kind: 'failed', reason: cause instanceof Error ? cause.message.slice(0, 200) : 'the request failed' };
  }
  const { status } = response;
  const reason = `it answered ${status}`;
  if (response.ok) return { kind: 'accepted', receipt: String(status) };
  const afterSeconds = retryAfterOf(response.headers.get('retry-after'));
  if (status === 429 || (status === 503 && afterSeconds !== undefined)) {
    return { kind: 'busy', reason, ...(afterSeconds === undefined ? {} : { afterSeconds }) };
  }
  if (status >= 500 || PASSING.includes(status)) return { kind: 'failed', reason };
  if (status === 401 || status === 403) return { kind: 'refused', cause: 'denied', reason };
  if (status === 404 || status === 410) return { kind: 'refused', cause: 'not_found', reason };
  return { kind: 'refused', cause: 'invalid', reason };
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), in seconds from now. */
function retryAfterOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = parseHttpDate(text);
  return at === undefined ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
