/** What is kept of one request and its answer: of a delivery, of a trial request and of a test. */
import type { Answer, AnswerClass, OutgoingRequest } from '#core/outbound/ports.ts';
import type { AttemptItem, Exchange } from '#core/outbound/protocol/items.ts';
import type { Codec } from '#core/ports.ts';
import { utf8 } from '#core/scan/bytes.ts';

const KEPT_HEADER_BYTES = 2_048;

/** `own`: headers of the endpoint, whose values are not kept. */
export function exchanged(
  codec: Pick<Codec, 'deflate'>,
  { url, headers, own }: Pick<OutgoingRequest, 'url' | 'headers'> & { readonly own: Readonly<Record<string, string>> },
  answer: Answer,
  of: AnswerClass,
): Omit<AttemptItem, 'kind' | 'at' | 'gen' | 'n' | 'expiresAt'> {
  return {
    class: of,
    timings: answer.timings,
    url,
    requestHeaders: maskedHeaders(headers, own),
    ...(answer.kind === 'failed'
      ? { detail: answer.detail }
      : {
          code: answer.status,
          answerHeaders: keptHeaders(answer.headers, own),
          answerBody: codec.deflate(withoutEchoes(answer.body, own)),
          truncated: answer.truncated,
        }),
  };
}

type Own = Readonly<Record<string, string>>;
const HIDDEN = '***';

/** Headers of a request, those of the endpoint's own with `instead` for their values. */
export function maskedHeaders(headers: Own, own: Own, instead = HIDDEN): Own {
  const hidden = Object.keys(own).map(name => name.toLowerCase());
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    hidden.includes(name.toLowerCase()) ? instead : value,
  ]);
  return Object.fromEntries(shown);
}

/** Shorter ones are no secrets, and are in many a text by chance. */
const SECRET_CHARACTERS = 6;

/** A text of the receiver without the values that it echoes. */
export function hideEchoes(text: string, own: Own): string {
  const secrets = Object.values(own).filter(({ length }) => length >= SECRET_CHARACTERS);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
}

/** The same of a body; one without an echo is the same bytes. */
function withoutEchoes(body: Uint8Array, own: Own): Uint8Array {
  if (Object.keys(own).length === 0) return body;
  const text = new TextDecoder().decode(body);
  const shown = hideEchoes(text, own);
  return shown === text ? body : utf8(shown);
}

/** In a record, beside the rest of it: a write unit is 1,024 bytes. */
const EXCHANGE_BYTES = 640;

/** URL and headers of a success; of the answer's headers those that fit. `taken`: bytes of the record that it uses already. */
export function exchangeOf(
  codec: Pick<Codec, 'deflate'>,
  { url, headers, own }: Pick<OutgoingRequest, 'url' | 'headers'> & { readonly own: Own },
  answer: Answer,
  taken: number,
): Uint8Array {
  const answered = Object.entries(answer.kind === 'answered' ? keptHeaders(answer.headers, own) : {});
  for (let kept = answered.length; ; kept = kept >> 1) {
    const exchange: Exchange = {
      ...{ url, sent: maskedHeaders(headers, own) },
      answered: Object.fromEntries(answered.slice(0, kept)),
    };
    const packed = codec.deflate(utf8(JSON.stringify(exchange)));
    if (kept === 0 || packed.length <= EXCHANGE_BYTES - taken) return packed;
  }
}

function keptHeaders(
  headers: Readonly<Record<string, readonly string[]>>,
  own: Own,
): Readonly<Record<string, readonly string[]>> {
  let left = KEPT_HEADER_BYTES;
  const shown = Object.entries(headers).map(
    ([name, values]) => [name, values.map(value => hideEchoes(value, own))] as const,
  );
  const fits = shown.filter(([name, values]) => {
    left -= name.length + values.join('').length;
    return left >= 0;
  });
  return Object.fromEntries(fits);
}
