import { given } from '#core/given.ts';
import type { Delivered, Targets } from '#core/inbound/routing/targets.ts';
import { judgeHttpAnswer } from '#core/retry/judge-http-answer.ts';

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
  const judged = judgeHttpAnswer(status, response.headers.get('retry-after') ?? undefined, Date.now());
  switch (judged.kind) {
    case 'accepted':
      return { kind: 'accepted', receipt: String(status) };
    case 'refused':
      return { kind: 'refused', cause: judged.cause, reason };
    case 'busy':
      return { kind: 'busy', reason, ...given({ afterSeconds: judged.hintMs && Math.ceil(judged.hintMs / 1_000) }) };
    case 'failed':
      return { kind: 'failed', reason };
  }
}
