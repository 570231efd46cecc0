/**
 * Claiming an event, or finding out why not. Holds I7 (a message is deleted only when its event is safe elsewhere),
 * I9 (attempts grow by claims) and the fence: a fresh owner token for each claim. The rows of
 * `meetRefusal` are the table of refused claims in docs/understand/how-receiving-works.md ("The processor"), first match wins.
 */

import { ask } from '#core/ask.ts';
import { splitEventPk } from '#core/glossary.ts';
import type { EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import type { EventIn, EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import {
  breakerPark,
  type Claim,
  catchUp,
  claim,
  claimedItem,
  expiryAfter,
  type NewEvent,
  type Park,
  park,
  parkedItem,
  pausedPark,
  revive,
  reviveParked,
  staleItem,
} from '#core/inbound/protocol/event-writes.ts';
import { noteTooOld } from '#core/inbound/protocol/note-too-old.ts';
import { isPastDedupWindow, PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { sendDeath } from '#core/inbound/protocol/send-death.ts';
import { carriedBody, storeBody } from '#core/inbound/protocol/store-body.ts';
import { referenceTo, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import { capText } from '#core/scan/text.ts';
import { ownTraceId } from '#core/trace.ts';
import {
  ACK,
  type Disposal,
  type ProcessPorts,
  type ProcessRules,
  type QueueRecord,
  REFUSED,
  RETURN,
  type Refused,
} from './process-ports.ts';
import { keepOtherBody } from './run-handler.ts';

export type Taken =
  | { readonly kind: 'owned'; readonly item: EventIn<'processing'>; readonly claimId: string }
  | { readonly kind: 'disposed'; readonly disposal: Disposal | Refused };

/** Two clocks and a queue: enough for any honest race, and a bound for the rest. */
const MAX_ROUNDS = 6;
const SQS_MAX_WAIT_SECONDS = 900;

/** How the event is to be taken: claimed for a run, or parked (pause, open breaker). */
interface Way {
  readonly update: EventUpdate;
  readonly create: (event: NewEvent) => EventItem;
  readonly revive: (deadId: string) => EventUpdate;
  readonly claimId?: string;
}

export async function takeEvent(
  message: WorkMessage,
  record: QueueRecord,
  leaseMs: number,
  parkFor: { kind: 'pause' } | { kind: 'breaker'; untilMs: number; name: string } | undefined,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Taken> {
  const now = ports.clock.now();
  const way = parkFor
    ? parkingWay(
        message,
        parkFor.kind === 'pause' ? pausedPark(now) : breakerPark(now, parkFor.untilMs, parkFor.name),
        rules,
      )
    : claimingWay(message, { claimId: ports.ids.uuid(), now, leaseUntil: now + leaseMs }, rules);
  const { telemetry } = ports;
  const taken = await ask({ telemetry, stage: 'claim', fields: { pk: message.pk } }, () =>
    take(message, record, way, ports, rules),
  );
  return taken.ok ? taken.value : { kind: 'disposed', disposal: REFUSED };
}

function claimingWay(message: WorkMessage, by: Claim, rules: ProcessRules): Way {
  return {
    update: claim(message.pk, message.gen, by, message.again === true, rules.timings),
    create: event =>
      mayBeForgotten(message, by.now, rules) ? staleItem(event, by.now, rules) : claimedItem(event, by, rules.timings),
    revive: deadId => revive(message.pk, deadId, by, rules.timings),
    claimId: by.claimId,
  };
}

/**
 * No record, and so old that one may have been here and expired: a message from an old DLQ or a queue of 14 days must not
 * run what was handled before. It ends where a person sees it and may replay it (docs/decisions/events-too-old-to-recognise-are-not-run.md).
 */
function mayBeForgotten({ stale, receivedAt }: WorkMessage, now: number, { retentionDays }: ProcessRules): boolean {
  return stale === true || isPastDedupWindow(receivedAt, now, retentionDays);
}

function parkingWay(message: WorkMessage, by: Park, rules: ProcessRules): Way {
  return {
    update: park(message.pk, message.gen, by),
    create: event => (mayBeForgotten(message, by.now, rules) ? staleItem(event, by.now, rules) : parkedItem(event, by)),
    revive: deadId => reviveParked(message.pk, deadId, by),
  };
}

async function take(
  message: WorkMessage,
  record: QueueRecord,
  way: Way,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Taken> {
  let result: WriteResult = await ports.store.update(way.update);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const item = result.item;
    if (result.kind === 'applied') return taken(result.item, message, way, ports, rules);
    if (item === undefined) {
      if (!(await holdPayload(message, ports, rules))) {
        await ports.dead.send(record.body, 'payload_missing');
        ports.telemetry.count('DeadLettered', { source: splitEventPk(message.pk).sourceId, cause: 'payload_missing' });
        return { kind: 'disposed', disposal: ACK };
      }
      result = await ports.store.insert(way.create(newEventOf(message)));
      continue;
    }
    const next = await meetRefusal(message, item, record, way, ports, rules);
    if ('result' in next) result = next.result;
    else return next;
  }
  return { kind: 'disposed', disposal: RETURN };
}

async function taken(
  item: EventItem,
  message: WorkMessage,
  way: Way,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Taken> {
  const source = splitEventPk(item.pk).sourceId;
  if (way.claimId !== undefined && item.status === 'processing') return { kind: 'owned', item, claimId: way.claimId };
  if (item.status === 'skipped_stale') await noteTooOld(item, ports);
  else {
    ports.telemetry.log('debug', {
      stage: 'parked',
      source,
      pk: item.pk,
      gen: message.gen,
      trace_id: ownTraceId(item),
    });
  }
  return { kind: 'disposed', disposal: (await keepOtherBody(message, item, ports, rules)) ? ACK : REFUSED };
}

async function meetRefusal(
  message: WorkMessage,
  item: EventItem,
  record: QueueRecord,
  way: Way,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Taken | { result: WriteResult }> {
  const now = ports.clock.now();
  const dispose = (disposal: Disposal | Refused): Taken => ({ kind: 'disposed', disposal });
  const ack = async (): Promise<Taken> => dispose((await keepOtherBody(message, item, ports, rules)) ? ACK : REFUSED);

  // Our own claim: the reply was lost and the SDK sent it again.
  if (way.claimId !== undefined && item.owner === way.claimId && item.status === 'processing') {
    return { kind: 'owned', item, claimId: way.claimId };
  }
  if (item.status === 'unknown') {
    await ports.dead.send(record.body, 'unknown_record');
    ports.telemetry.log('error', {
      stage: 'claim',
      pk: item.pk,
      cause: 'unknown_record',
      status: capText(item.storedStatus, 40),
      layout: item.schemaVersion,
    });
    return dispose(ACK);
  }
  if (item.gen > message.gen) return ack();
  if (item.gen < message.gen) {
    // A table restored to an older point: the message knows better. Refused = somebody else caught up.
    await ports.store.update(catchUp(item, message, now, rules.timings));
    return { result: await ports.store.update(way.update) };
  }
  if (item.status === 'dead_letter') {
    if (message.deadId === item.deadId) {
      // It will live longer than its death meant it to; so must its body.
      const expiresAt = expiryAfter(now, rules.retentionDays + PAYLOAD_MARGIN_DAYS);
      await ports.payloads.raiseBody(item.pk, item.bodySha, expiresAt);
      return { result: await ports.store.update(way.revive(item.deadId)) };
    }
    if (!item.dlqSent) await sendDeath(item, item, ports, rules);
    return ack();
  }
  if (isTerminal(item.status)) return ack();
  if (item.status === 'processing') {
    // Never acked: if the owner dies, this copy is what brings the event back.
    const restMs = Math.max(0, item.leaseUntil - now);
    await ports.receipts.hide(record.receipt, Math.ceil(restMs / 1_000) + 1 + Math.floor(ports.random.next() * 5));
    return dispose(RETURN);
  }
  if (item.parked) return ack();
  const waitMs = Math.max(0, (item.nextAttemptAt ?? now) - now);
  await ports.receipts.hide(record.receipt, Math.min(SQS_MAX_WAIT_SECONDS, Math.ceil(waitMs / 1_000)));
  return dispose(RETURN);
}

/** A record never exists without its payload: make sure of it first. False: nobody has the bytes. */
async function holdPayload(message: WorkMessage, ports: ProcessPorts, rules: ProcessRules): Promise<boolean> {
  const { pk, bodySha, headers = {} } = message;
  const place = carriedBody(message, ports.codec);
  if (place === undefined) return (await ports.payloads.getBody(pk, bodySha)) !== undefined;
  await storeBody({ pk, bodySha, headers, place }, ports, rules);
  return true;
}

export function newEventOf(message: WorkMessage): NewEvent {
  const { v: _, ...event } = referenceTo(message);
  return event;
}
