/** What is kept of one request and its answer: of a delivery, of a probe and of a test. */
import type { Answer, AnswerClass, OutgoingRequest } from '#core/outbound/ports.ts';
import type { AttemptItem } from '#core/outbound/protocol/items.ts';
import type { Codec } from '#core/ports.ts';

const KEPT_HEADER_BYTES = 2_048;

/** `own`: headers of the endpoint, whose values are not kept. */
export function exchanged(
  codec: Pick<Codec, 'deflate'>,
  { url, headers, own }: Pick<OutgoingRequest, 'url' | 'headers'> & { readonly own: Readonly<Record<string, string>> },
  answer: Answer,
  of: AnswerClass,
): Omit<AttemptItem, 'kind' | 'at' | 'gen' | 'n' | 'expiresAt'> {
  const hidden = Object.keys(own).map(name => name.toLowerCase());
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    hidden.includes(name.toLowerCase()) ? '***' : value,
  ]);
  return {
    class: of,
    timings: answer.timings,
    url,
    requestHeaders: Object.fromEntries(shown),
    ...(answer.kind === 'failed'
      ? { detail: answer.detail }
      : {
          code: answer.status,
          answerHeaders: keptHeaders(answer.headers),
          answerBody: codec.deflate(answer.body),
          truncated: answer.truncated,
        }),
  };
}

function keptHeaders(
  headers: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  let left = KEPT_HEADER_BYTES;
  const fits = Object.entries(headers).filter(([name, values]) => {
    left -= name.length + values.join('').length;
    return left >= 0;
  });
  return Object.fromEntries(fits);
}
