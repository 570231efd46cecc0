/** The attempts of one delivery. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { wordsOf } from '#core/outbound/protocol/attempt-words.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import type { AttemptItem } from '#core/outbound/protocol/items.ts';
import { attemptsRange, liveRowKey, messageKey, recordKey } from '#core/outbound/protocol/keys.ts';
import type { Codec } from '#core/ports.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { capText } from '#core/scan/text.ts';
import { toIso } from '#core/time.ts';
import { type ApiCall, anyText, endpointOf, limitCheck, limitOf, openCursor, queryOf, sealCursor } from './api-call.ts';

/** One exchange in full, as it was kept. */
export function showAttempt(codec: Pick<Codec, 'inflate'>, item: AttemptItem) {
  const { kind, gen, n, at, code, timings, url, requestHeaders, answerHeaders, answerBody, truncated } = item;
  const body = answerBody && codec.inflate(answerBody, 64 * 1_024);
  return {
    ...{ kind, generation: gen, attempt: n, at: toIso(at), class: item.class, code: code ?? null },
    ...{ fault: item.fault ?? null, spared: item.spared ?? null, in_words: wordsOf(item) ?? null },
    detail: item.detail ?? null,
    timings_ms: { ...timings },
    request: { url, headers: requestHeaders },
    response:
      code === undefined
        ? null
        : {
            headers: Object.fromEntries(
              Object.entries(answerHeaders ?? {}).map(([name, all]) => [name, all.join(', ')]),
            ),
            body: capText(new TextDecoder().decode(body ?? new Uint8Array()), 10_240),
            truncated: truncated ?? false,
          },
  };
}

/** Failed attempts in full, oldest first; a success as its record has it. None yet, where it waits for the first one. */
export async function listAttempts(call: ApiCall): Promise<Reply> {
  queryOf(call, { limit: limitCheck, cursor: anyText });
  const { store, codec } = call.ports;
  const endpoint = await endpointOf(call);
  const msg = (call.path['msg'] ?? '') as MessageId;
  const message = await store.get(messageKey(msg), 'consistent');
  const id = { ep: endpoint.id, msg, createdAt: message?.createdAt ?? 0 };
  const [record, row] = await store.getMany([recordKey(id), liveRowKey(id)]);
  if (message === undefined || (record === undefined && row === undefined))
    return refuse(404, 'unknown_delivery', `there is no delivery of ${msg.slice(0, 80)} to this endpoint`);
  const cursor = openCursor<string>(call);
  const page = await store.query({ ...attemptsRange(endpoint.id, msg), limit: limitOf(call), ...given({ cursor }) });
  // The page before may have ended just with it.
  const isLogged = async (at: EpochMs): Promise<boolean> => {
    const range = { ...attemptsRange(endpoint.id, msg), newestFirst: true, limit: 1 };
    const items = page.items.length > 0 || cursor === undefined ? page.items : (await store.query(range)).items;
    return items.some(item => item.at === at);
  };
  const logged = page.items.map(item => showAttempt(codec, item));
  const { last, snippet } = record ?? {};
  const success =
    record?.status === 'delivered' && last && page.cursor === undefined && !(await isLogged(last.at))
      ? [
          {
            ...{ kind: 'delivery', generation: record.gen, attempt: (record.attempts ?? 0) + 1, at: toIso(last.at) },
            ...{
              class: last.class,
              code: last.code ?? null,
              fault: 'none',
              spared: null,
              in_words: wordsOf({ ...last, fault: 'none' }) ?? null,
              detail: null,
              timings_ms: { total: last.ms },
              request: null,
            },
            response: { headers: {}, body: snippet ?? '', truncated: (last.bytes ?? 0) > (snippet ?? '').length },
          },
        ]
      : [];
  return json(200, {
    data: [...logged, ...success],
    cursor: page.cursor === undefined ? null : sealCursor(call, page.cursor),
  });
}
