/**
 * A request that carries many events is recorded as one; here it becomes its items. Every child is put under its own key
 * and sent, idempotently, before the parent is completed: a crash in between repeats the split and changes nothing. What
 * one invocation cannot do, the next goes on with: the write that defers the parent says where.
 */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import { type EpochMs, splitEventPk, toEventPk } from '#core/glossary.ts';
import { done } from '#core/handler/handler-contract.ts';
import type { EventIn } from '#core/inbound/protocol/event-item.ts';
import { eventKeyOf } from '#core/inbound/protocol/event-key.ts';
import { mayBeAtWork, type NewEvent, pendingItem, staleItem } from '#core/inbound/protocol/event-writes.ts';
import { itemHeaders, SIGNED_FRESH_HEADER, VERIFIED_ITEMS_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import { noteConflict } from '#core/inbound/protocol/note-conflict.ts';
import { noteTooOld } from '#core/inbound/protocol/note-too-old.ts';
import { isTooOld } from '#core/inbound/protocol/retention.ts';
import { type LoadedBody, storeBody } from '#core/inbound/protocol/store-body.ts';
import { encodeWorkMessage, referenceTo } from '#core/inbound/protocol/work-message.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { toHex } from '#core/scan/bytes.ts';
import { type IdentifiedItem, splitItems } from '#core/verification/identify-request.ts';
import type { AttemptEnd } from './attempt.ts';
import type { ProcessPorts, ProcessRules } from './process-ports.ts';

const AT_ONCE = 10;

/** A request of several items; one of another shape, from the same provider, is an event of its own. */
export function isBatch(
  item: Pick<EventIn<'processing'>, 'itemPath' | 'eventType' | 'provider'>,
  spec: ProviderSpec | undefined,
): boolean {
  if (item.itemPath !== undefined || item.eventType !== `${item.provider}.batch`) return false;
  // A provider that sends one event a request may call a type of its own so.
  return spec?.id !== item.provider || spec.identity.items !== undefined;
}

export async function splitBatch(
  parent: EventIn<'processing'>,
  body: Extract<LoadedBody, { kind: 'body' }>,
  source: ResolvedSource | undefined,
  deadlineMs: EpochMs,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<AttemptEnd> {
  if (source?.spec.id !== parent.provider) return providerChanged(parent, source);
  const verified = body.headers[VERIFIED_ITEMS_HEADER]?.split(' ');
  const split = splitItems(
    source.spec,
    { body: body.bytes, headers: body.headers },
    { crypto: ports.crypto, settings: source.settings, dedupOnBody: source.dedupOnBody },
  );
  if (split === undefined)
    return { kind: 'permanent', cause: 'unparsable_payload', message: 'the items of the batch cannot be read' };
  const items = split.filter(it => verified === undefined || verified.includes(it.path));
  // A path that is not there any more (a new version reads the body otherwise): all over again.
  const start = Math.max(
    0,
    items.findIndex(it => it.path === parent.splitNext),
  );
  const isNoted = await noteHour(parent, ports, rules);
  for (let at = start; at < items.length; at += AT_ONCE) {
    if (at > start && ports.clock.now() >= deadlineMs) {
      return {
        kind: 'unready',
        cause: 'batch',
        message: `${at} of ${items.length} items are recorded; the rest follows`,
        splitNext: items[at]?.path ?? '',
      };
    }
    await Promise.all(
      items.slice(at, at + AT_ONCE).map(it => recordChild(parent, it, body, isNoted, source.spec, ports, rules)),
    );
  }
  const outcome = done({ actionTaken: `split into ${items.length} events`, data: { items: items.length } });
  return { kind: 'outcome', outcome, effects: [] };
}

/** False: nobody knows, or nobody asks of an arrival so late, and the record is watched from the start. */
async function noteHour(
  { pk, receivedAt }: EventIn<'processing'>,
  { clock, store, telemetry }: ProcessPorts,
  { timings }: ProcessRules,
): Promise<boolean> {
  if (!mayBeAtWork(receivedAt, clock.now(), timings)) return false;
  const { sourceId } = splitEventPk(pk);
  return (await ask({ telemetry, stage: 'split', fields: { pk } }, () => store.note(sourceId, receivedAt))).ok;
}

/** Only the provider it came from says where its items are: no handler gets it whole. */
function providerChanged({ provider }: EventIn<'processing'>, source: ResolvedSource | undefined): AttemptEnd {
  const now = source === undefined ? 'its source was removed' : `its source is of ${source.spec.id} now`;
  const message = `a request of ${provider} with many events, but ${now}; configure ${provider} again, deploy, replay it`;
  return { kind: 'permanent', cause: 'provider_changed', message };
}

async function recordChild(
  parent: EventIn<'processing'>,
  child: IdentifiedItem,
  body: Extract<LoadedBody, { kind: 'body' }>,
  isNoted: boolean,
  spec: ProviderSpec,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<void> {
  const { sourceId, eventKey: parentKey } = splitEventPk(parent.pk);
  const pk = toEventPk(sourceId, eventKeyOf(child.key ?? `${parentKey}:${child.path}`, ports.crypto));
  const now = ports.clock.now();
  const bodySha = toHex(ports.crypto.hash('sha256', child.bytes));
  const event: NewEvent = {
    pk,
    gen: 1,
    provider: parent.provider,
    eventType: child.eventType.slice(0, 200),
    ingestId: ports.ids.uuid(),
    bodySha,
    itemPath: child.path,
    size: child.bytes.length,
    receivedAt: parent.receivedAt,
    ...given({ eventAt: child.eventAtMs }),
  };
  const place = { bytes: ports.codec.deflate(child.bytes, parent.provider) };
  await storeBody({ pk, bodySha, headers: itemHeaders(body.headers, child), place }, ports, rules);
  // A replay of the batch asks for its items again, however old they are.
  const age = {
    signedFresh: body.headers[SIGNED_FRESH_HEADER] !== undefined,
    eventAt: event.eventAt,
    receivedAt: event.receivedAt,
  };
  const stale = parent.gen === 1 && isTooOld(spec, age, rules.retentionDays);
  const written = await ports.store.insert(
    stale ? staleItem(event, now, rules) : pendingItem(event, now, rules.timings, isNoted),
  );
  const item = written.item;
  if (item !== undefined && item.bodySha !== bodySha)
    await noteConflict({ pk, bodySha, ingestId: item.ingestId }, spec, ports);
  if (stale) {
    if (written.kind === 'applied') await noteTooOld(event, ports);
    return;
  }
  // What an earlier run of this split recorded is its own, or the sweeper's: a long split would send it again each time.
  if (item === undefined || (written.kind === 'refused' && item.ingestId !== event.ingestId)) return;
  await ports.queue.send(encodeWorkMessage(referenceTo(item)), { groupId: sourceId });
}
