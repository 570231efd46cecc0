/** The attempts of one delivery. */
import type { EpochMs } from '#core/glossary.ts';
import {
  type ApiCall,
  endpointOf,
  listed,
  MOST_EXCHANGES,
  PAGE_QUERY,
  pageOf,
  queryOf,
} from '#core/outbound/api/api-call.ts';
import { wordsOf } from '#core/outbound/protocol/attempt-words.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import type { AttemptItem, Exchange, RecordItem } from '#core/outbound/protocol/items.ts';
import { attemptsRange, liveRowKey, messageKey, recordKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import type { Codec } from '#core/ports.ts';
import { refuse } from '#core/problem-reply.ts';
import type { Reply } from '#core/reply.ts';
import { textOf } from '#core/scan/bytes.ts';
import { capText } from '#core/scan/text.ts';
import { toIso } from '#core/time.ts';

const KEPT_BYTES = 64 * 1_024;
/** One exchange in full, as it was kept. */
export function showAttempt(codec: Pick<Codec, 'inflate'>, item: AttemptItem) {
  const { kind, gen, n, at, code, timings, url, requestHeaders, answerHeaders, answerBody, truncated } = item;
  const body = answerBody && codec.inflate(answerBody, KEPT_BYTES);
  return {
    ...{ kind, generation: gen, attempt: n, at: toIso(at), class: item.class, code: code ?? null },
    ...{ fault: item.fault ?? null, spared: item.spared ?? null, in_words: wordsOf(item) ?? null },
    further: item.further ?? null,
    detail: item.detail ?? null,
    timings_ms: { ...timings },
    request: { url, headers: requestHeaders },
    response:
      code === undefined
        ? null
        : {
            headers: joined(answerHeaders ?? {}),
            body: capText(new TextDecoder().decode(body ?? new Uint8Array()), 10_240),
            truncated: truncated ?? false,
          },
  };
}

const joined = (headers: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, all]) => [name, all.join(', ')]));

/** What a record keeps of its success; null for one of before. */
function exchangeOf(codec: Pick<Codec, 'inflate'>, { exchange }: RecordItem): Exchange | null {
  if (exchange === undefined) return null;
  return JSON.parse(textOf(codec.inflate(exchange, KEPT_BYTES)) ?? 'null');
}

/** Failed attempts in full, oldest first; a success as its record has it. None yet, where it waits for the first one. */
export async function listAttempts(call: ApiCall): Promise<Reply> {
  queryOf(call, PAGE_QUERY);
  const { store, codec } = call.ports;
  const endpoint = await endpointOf(call);
  const msg = (call.path['msg'] ?? '') as MessageId;
  const message = await store.get(messageKey(msg), 'consistent');
  const id = { ep: endpoint.id, msg, createdAt: message?.createdAt ?? 0 };
  const [record, row, runtime] = await store.getMany([recordKey(id), liveRowKey(id), runtimeKey(endpoint.id)]);
  if (message === undefined || (record === undefined && row === undefined))
    return refuse(404, 'unknown_delivery', `there is no delivery of ${msg.slice(0, 80)} to this endpoint`);
  const asked = pageOf(call, MOST_EXCHANGES);
  const page = await store.query({ ...attemptsRange(endpoint.id, msg), ...asked });
  // The page before may have ended just with it.
  const isLogged = async (at: EpochMs): Promise<boolean> => {
    const range = { ...attemptsRange(endpoint.id, msg), newestFirst: true, limit: 1 };
    const items = page.items.length > 0 || asked.cursor === undefined ? page.items : (await store.query(range)).items;
    return items.some(item => item.at === at);
  };
  // Those after a throttled one are counted in the endpoint's item while it asks for a slower pace.
  const run = runtime?.throttled;
  const logged = page.items.map(item => {
    const isOfRun = run !== undefined && run.msg === msg && run.at === item.at;
    return showAttempt(codec, isOfRun ? { ...item, further: run.further } : item);
  });
  const { last, snippet } = record ?? {};
  const exchange = record === undefined ? null : exchangeOf(codec, record);
  const success =
    record?.status === 'delivered' && last && page.cursor === undefined && !(await isLogged(last.at))
      ? [
          {
            ...showAttempt(codec, {
              ...{ kind: 'delivery', gen: record.gen, n: (record.attempts ?? 0) + 1, timings: { total: last.ms } },
              ...{ ...last, fault: 'none', url: '', requestHeaders: {}, expiresAt: 0 },
            }),
            request: exchange && { url: exchange.url, headers: exchange.sent },
            response: {
              headers: joined(exchange?.answered ?? {}),
              body: snippet ?? '',
              truncated: (last.bytes ?? 0) > (snippet ?? '').length,
            },
          },
        ]
      : [];
  return listed(call, [...logged, ...success], page.cursor);
}
