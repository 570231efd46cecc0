/** Requests of a person: a signed sample through the front door, a stored event to a program on this machine. */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { isEventKey, splitEventPk, toEventId, toEventPk } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { readStoredBody } from '#operator/events/show-event.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import type { Operator } from '#operator/operator.ts';
import { type SignedAsProvider, signAsProvider, type Unsigned } from './sign-as-provider.ts';
import { readSourceSecret } from './source-secret.ts';

const POLL_MS = 250;

/** Signs a request as the provider would and posts it to the source, or to `url`. Each call is an event of its own only where the body is. */
export async function sendToSource(
  operator: Operator,
  source: ResolvedSource,
  request: Unsigned & { readonly url?: string | undefined },
): Promise<HttpAnswer> {
  const { apiUrl, http } = await operator.gateway();
  const secret = (await readSourceSecret(operator, source))?.current ?? '';
  const { url = `${apiUrl}${source.paths[0]}`, ...unsigned } = request;
  const signed = signAsProvider(source, unsigned, { secret, nowMs: operator.clock.now() });
  return http(`${url}${signed.query}`, signed);
}

/**
 * The event that a request became, once it has ended or `until` (epoch ms) is there. Undefined when nothing was recorded
 * by then. `answer` is the body of the acknowledgement: it usually tells which event it is.
 */
export async function waitForEnd(
  operator: Operator,
  source: ResolvedSource,
  asked: { readonly answer: string; readonly startedAt: number; readonly until: number; readonly signal?: AbortSignal },
): Promise<EventItem | undefined> {
  const { store, timer } = await operator.gateway();
  const id = (parseJson(asked.answer) as { event_id?: unknown } | null)?.event_id;
  const key = typeof id === 'string' && isEventKey(id) ? id : undefined;
  let item: EventItem | undefined;
  while (operator.clock.now() < asked.until && !asked.signal?.aborted) {
    item = await (key === undefined ? newest(operator, source, asked.startedAt) : store.get(toEventPk(source.id, key)));
    if (item && isTerminal(item.status)) break;
    await timer.sleep(POLL_MS);
  }
  return item;
}

/** Where the acknowledgement does not tell which event it is: what this source received since. */
async function newest(operator: Operator, source: ResolvedSource, startedAt: number): Promise<EventItem | undefined> {
  const { store } = await operator.gateway();
  const window = { sources: [source.id], since: startedAt, until: operator.clock.now() + 1 };
  const entries = await new TimelineReader(window, 'oldest', undefined, store).next(10, () => true);
  const items = await store.getMany(entries.map(entry => entry.pk));
  return items.find(it => isTerminal(it.status)) ?? items[0];
}

/**
 * The request an event came with, to be sent once more to another address; signed anew with `sign`. Undefined when its
 * body is gone. Throws OperatorError where there is no secret, or where signing takes a key that only the provider has.
 */
export async function requestOf(
  operator: Operator,
  item: EventItem,
  { sign }: { readonly sign: boolean },
): Promise<SignedAsProvider | undefined> {
  const stored = await readStoredBody(operator, item);
  if (stored === undefined) return undefined;
  const { sourceId } = splitEventPk(item.pk);
  const ours = { 'holdfast-event-id': toEventId(item.pk), 'holdfast-source': sourceId };
  if (!sign) return { method: 'POST', headers: { ...stored.headers, ...ours }, body: stored.body, query: '' };
  const source = operator.source(sourceId);
  const secret = (await readSourceSecret(operator, source))?.current ?? '';
  const signed = signAsProvider(source, stored, { secret, nowMs: operator.clock.now() });
  return { ...signed, headers: { ...signed.headers, ...ours } };
}

/** What an answer says, parsed where it is JSON. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
