/** The request of one or several deliveries: stored bytes, signed anew for each attempt. */
import { given } from '#core/given.ts';
import { type MessageId, toBase32 } from '#core/outbound/protocol/ids.ts';
import { contentTypeOf } from '#core/outbound/protocol/items.ts';
import { thinBody } from '#core/outbound/publish/envelope.ts';
import type { Crypto } from '#core/ports.ts';
import { scanJson } from '#core/scan/json-scan.ts';
import type { Prepared, Sending } from './sending.ts';
import type { Session } from './session-state.ts';

/** `sendings`: one, or of a batched endpoint several; never none. */
export function prepare({ ports, config }: Session, sendings: readonly Sending[]): Prepared {
  const { endpoint, keys } = config;
  const first = sendings[0] as Sending;
  const bodies = sendings.map(({ body, message }) =>
    endpoint.payload === 'thin' ? thinBody(body, message.dataAt) : body,
  );
  // Several are in one request because each of them fits.
  const batched = endpoint.batch !== undefined && (sendings.length > 1 || fitsBatch(first));
  const body = batched ? batchBody(sendings, bodies) : (bodies[0] as Uint8Array);
  const { headers, kid } = ports.sign({
    id: batched
      ? batchId(
          sendings.map(({ delivery }) => delivery.msg),
          ports.crypto,
        )
      : first.delivery.msg,
    endpoint,
    keys,
    message: batched ? { type: 'batch', contentType: 'application/json' } : first.message,
    body,
    n: first.n,
    now: ports.clock.now(),
  });
  const { url, timeoutMs: deadlineMs, connectMs } = endpoint;
  return { sendings, request: { url, headers, body, deadlineMs, ...given({ connectMs }) }, kid };
}

const JSON_TYPE = /^application\/(?:[\w.-]{1,100}\+)?json(?:;|$)/;
/** What is no JSON cannot lie in a list of JSON: it goes alone, as it is. Only raw bodies can be such. */
export function fitsBatch({ message, body }: Pick<Sending, 'message' | 'body'>): boolean {
  return message.dataAt !== undefined || (JSON_TYPE.test(contentTypeOf(message)) && scanJson(body) !== undefined);
}

const ITEM_BYTES = '{"id":"","type":"","body":},'.length;
const FRAME_BYTES = '{"batch":[]}'.length;
/** Of the request, where bodies go whole. */
export const batchBytes = (sendings: readonly Pick<Sending, 'message' | 'body'>[]): number =>
  sendings.reduce(
    (sum, { message: { id, type }, body }) => sum + ITEM_BYTES + id.length + type.length + body.length,
    FRAME_BYTES,
  );

/** `{"batch":[{"id":…,"type":…,"body":…},…]}`: each body as it would go alone, byte for byte. */
function batchBody(sendings: readonly Sending[], bodies: readonly Uint8Array[]): Uint8Array {
  const text = new TextEncoder();
  const parts = sendings.flatMap(({ message: { id, type } }, at) => {
    const head = `${at === 0 ? '' : ','}{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"body":`;
    return [text.encode(head), bodies[at] as Uint8Array, text.encode('}')];
  });
  const all = [text.encode('{"batch":['), ...parts, text.encode(']}')];
  const joined = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Of the same messages the same: a batch keeps it for as long as its members. */
export function batchId(messages: readonly MessageId[], crypto: Pick<Crypto, 'hash'>): string {
  return `batch_${toBase32(crypto.hash('sha256', new TextEncoder().encode(messages.join('\n'))))}`;
}
