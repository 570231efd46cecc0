/**
 * The main path of the processor, for one message. Holds I2 (every recorded event reaches a final state), I5 (one owner
 * commits) and I7 (a message is deleted only when its event is safe elsewhere).
 */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { DependencyError, UnknownDictionaryError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { type EpochMs, type SourceId, splitEventPk, toEventId } from '#core/glossary.ts';
import type { HandlerRegistration } from '#core/handler/handler-contract.ts';
import type { EventIn } from '#core/inbound/protocol/event-item.ts';
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { decodeWorkMessage, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';
import { type AttemptTrace, traceAttempt, traceIdIn } from './attempt-trace.ts';
import { describeByBody } from './describe-by-body.ts';
import { isTimed } from './final-record.ts';
import { finishEvent } from './finish-event.ts';
import { finishFirst, mayRunUnclaimed, presumedAttempt } from './first-delivery.ts';
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
import { keepOtherBody, loadBody, runHandler } from './run-handler.ts';
import { isBatch, splitBatch } from './split-batch.ts';
import { takeEvent } from './take-event.ts';
import { waitOutside } from './wait-outside.ts';

/** Less than this left: not worth a claim. */
const MIN_RUN_MS = 250;

/**
 * Processes one message:
 *  1. read it; what is not ours goes to the DLQ whole;
 *  2. ask whether its source is paused or its handler's breaker open: then park instead of running;
 *  3. claim the event under a lease, or act on why it was refused; a first delivery of a handler that only transacts, or that
 *     nothing runs for, runs and completes without a claim, where nobody has begun;
 *  4. load the body the record names;
 *  5. run the handler within the deadline;
 *  6. record the outcome, and send what it owes;
 *  7. ack, or leave the message to come back; where a dependency refused, it waits outside.
 *
 * `deadlineMs`: epoch milliseconds after which nothing may be running any more.
 */
export async function processEvent(
  record: QueueRecord,
  deadlineMs: number,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Disposal> {
  const decoded = decodeWorkMessage(record.body);
  if (decoded.kind === 'unknown') return sendAway(record, decoded.reason, ports);
  const { message } = decoded;

  const leftMs = deadlineMs - rules.timings.deadlineReserveMs - ports.clock.now();
  if (leftMs < MIN_RUN_MS) {
    await ports.receipts.hide(record.receipt, 0);
    return RETURN;
  }

  const leaseMs = Math.min(deadlineMs - ports.clock.now(), rules.timings.processTimeoutMs) + rules.timings.leaseGraceMs;
  const leaseUntil = ports.clock.now() + leaseMs;
  const disposal = await processMessage(message, record, { leaseMs, deadlineMs }, ports, rules);
  if (disposal.kind !== 'refused') return disposal;
  // Nobody knows whether we hold the event: before the lease is over, the copy could not be claimed.
  return waitOutside(message, record, { leastMs: leaseUntil - ports.clock.now(), deadlineMs }, ports, rules);
}

interface Times {
  readonly leaseMs: number;
  readonly deadlineMs: EpochMs;
}

async function processMessage(
  message: WorkMessage,
  record: QueueRecord,
  { leaseMs, deadlineMs }: Times,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Disposal | Refused> {
  const { sourceId } = splitEventPk(message.pk);
  const expected = ports.handlers.find(sourceId, message.eventType);
  const parkFor = await reasonToPark(sourceId, expected, ports);
  const source = rules.sources.get(sourceId);
  const isOne = !isBatch(message, source?.spec);
  const first =
    parkFor === undefined && isOne && mayRunUnclaimed(message, record, expected, source)
      ? await runFirst(message, expected, { leaseMs, deadlineMs }, ports, rules)
      : undefined;
  if (first?.disposal) return first.disposal;

  const taken = await takeEvent(message, record, leaseMs, parkFor, ports, rules);
  if (taken.kind === 'disposed') return taken.disposal;

  const { claimId } = taken;
  const item = await describe(taken.item, message, source, ports);
  if (item === undefined) return REFUSED;
  // By the record's type: the message may be of another delivery that came under the same id.
  const handler = ports.handlers.find(sourceId, item.eventType);
  const attempt: Attempt = {
    item,
    claimId,
    startedAt: ports.clock.now(),
    retry: handler?.retry ?? source?.retry ?? DEFAULT_RETRY,
  };
  const keptOther = await keepOtherBody(message, item, ports, rules);
  // It has run as what it turns out to be: there is no need to run it again.
  const isThatOne = first !== undefined && item.attempts === 1 && item.ingestId === message.ingestId;
  const run = isThatOne ? first.run : await runAttempt(message, attempt, handler, deadlineMs, ports, rules);
  const { end, trace } = run;
  const breaker = tellBreaker(handler, item, end, ports);
  const finished = await finishEvent({ ...attempt, ...given({ breaker, trace }) }, end, ports, rules);
  const disposal = keptOther ? finished : REFUSED;
  logAttempt({ ...attempt, end, disposal, trace }, ports);
  return disposal;
}

/** A run without a claim. `disposal`: it ended there; without one, the claim decides what becomes of it. */
async function runFirst(
  message: WorkMessage,
  handler: HandlerRegistration | undefined,
  { leaseMs, deadlineMs }: Times,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<{ readonly run: AttemptRun; readonly disposal?: Disposal | Refused }> {
  const attempt = presumedAttempt(message, handler, leaseMs, ports, rules);
  const run = await runAttempt(message, attempt, handler, deadlineMs, ports, rules);
  const written = await finishFirst(attempt, run.end, ports, rules);
  if (written === 'refused') return { run };
  const disposal = written === 'written' ? ACK : REFUSED;
  if (written === 'written') tellBreaker(handler, attempt.item, run.end, ports);
  logAttempt({ ...attempt, ...run, disposal }, ports);
  return { run, disposal };
}

async function sendAway(record: QueueRecord, reason: string, ports: ProcessPorts): Promise<Disposal> {
  const { telemetry } = ports;
  const sent = await ask({ telemetry, stage: 'read' }, () => ports.dead.send(record.body, 'unknown_message'));
  if (!sent.ok) return RETURN;
  ports.telemetry.log('error', { stage: 'read', cause: 'unknown_message', error: reason });
  return ACK;
}

async function reasonToPark(
  sourceId: SourceId,
  handler: HandlerRegistration | undefined,
  ports: ProcessPorts,
): Promise<Parameters<typeof takeEvent>[3]> {
  if (await ports.pauses.isPaused(sourceId)) return { kind: 'pause' };
  if (!handler || handler.ownBreakers) return undefined;
  const name = breakerName(handler);
  const permission = ports.breaker.ask(name, ports.clock.now());
  return permission.kind === 'park' ? { kind: 'breaker', untilMs: permission.untilMs, name } : undefined;
}

/** A body that a person chose may be of another type than the record. Undefined: it could not be read now. */
async function describe(
  item: EventIn<'processing'>,
  message: WorkMessage,
  source: ResolvedSource | undefined,
  ports: ProcessPorts,
): Promise<EventIn<'processing'> | undefined> {
  if (item.otherBody !== true) return item;
  try {
    const { telemetry } = ports;
    const read = await ask({ telemetry, stage: 'describe', fields: { pk: item.pk } }, () =>
      loadBody(message, item, ports),
    );
    if (!read.ok) return undefined;
    return read.value.kind === 'missing' ? item : describeByBody(item, read.value, source, ports.crypto);
  } catch {
    // A bug, or a body that cannot be read: it will show when the attempt reads it, and be recorded.
    return item;
  }
}

/** `trace`: known once the body is loaded. */
interface AttemptRun {
  readonly end: AttemptEnd;
  readonly trace?: AttemptTrace | undefined;
}

async function runAttempt(
  message: WorkMessage,
  attempt: Attempt,
  handler: HandlerRegistration | undefined,
  deadlineMs: number,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<AttemptRun> {
  const { item, retry } = attempt;
  const { sourceId } = splitEventPk(item.pk);
  const source = rules.sources.get(sourceId);
  ports.telemetry.count('Attempts', { source: sourceId });
  if (item.attempts > 1) ports.telemetry.count('Retries', { source: sourceId });
  if (item.attempts > retry.attempts) {
    const message = `${item.attempts - 1} attempts ended without an outcome`;
    return { end: { kind: 'permanent', cause: 'attempts_spent', message } };
  }
  let trace: AttemptTrace | undefined;
  try {
    const body = await loadBody(message, item, ports);
    if (body.kind === 'missing')
      return { end: { kind: 'permanent', cause: 'payload_missing', message: 'the body is in no store' } };
    trace = traceAttempt({ ...attempt, headers: body.headers }, rules.recordsSpans === true, ports.crypto);
    const timeLimitMs = Math.max(MIN_RUN_MS, deadlineMs - rules.timings.deadlineReserveMs - ports.clock.now());
    if (isBatch(item, source?.spec))
      return { end: await splitBatch(item, body, source, ports.clock.now() + timeLimitMs, ports, rules), trace };
    const stepDays = rules.deadRetentionDays + PAYLOAD_MARGIN_DAYS;
    const input = { item, body, source, handler, timeLimitMs, stepDays, trace };
    return { end: await runHandler(input, ports), trace };
  } catch (error) {
    if (error instanceof DependencyError)
      return { end: { kind: 'unready', cause: 'dependency', message: error.message }, trace };
    const cause = error instanceof UnknownDictionaryError ? 'unknown_dictionary' : 'internal_error';
    return { end: { kind: 'failed', cause, message: error instanceof Error ? error.message : String(error) }, trace };
  }
}

/**
 * Tells the breaker how the attempt ended. Answers when to come back where it is open, here or in the processor that held the
 * event back: the attempt was its probe.
 */
function tellBreaker(
  handler: HandlerRegistration | undefined,
  { waitsFor, unreadySince, updatedAt }: EventIn<'processing'>,
  end: AttemptEnd,
  { breaker, clock }: ProcessPorts,
): Attempt['breaker'] {
  if (!handler || handler.ownBreakers || (end.kind !== 'outcome' && end.kind !== 'failed')) return undefined;
  const name = breakerName(handler);
  breaker.record(name, end.kind === 'outcome' && end.outcome.kind !== 'retry', clock.now());
  const held = waitsFor === name ? { lastAt: updatedAt, firstAt: unreadySince ?? updatedAt } : undefined;
  const backAt = breaker.backAt(name, clock.now(), held);
  return backAt === undefined ? undefined : { name, backAt };
}

function breakerName(handler: HandlerRegistration): string {
  return handler.name ?? `${handler.source}:${handler.type}`;
}

/** The one line of an attempt: what, how it ended, how long it took since arrival. */
function logAttempt(
  attempt: Attempt & AttemptRun & { readonly disposal: Disposal | Refused },
  ports: ProcessPorts,
): void {
  const { item, startedAt, end, trace, disposal } = attempt;
  const now = ports.clock.now();
  ports.telemetry.log(end.kind === 'failed' || end.kind === 'permanent' ? 'warn' : 'info', {
    stage: 'attempt',
    event_id: toEventId(item.pk),
    event_type: item.eventType,
    provider: item.provider,
    source: splitEventPk(item.pk).sourceId,
    outcome: end.kind === 'outcome' ? end.outcome.kind : end.kind,
    ...(end.kind === 'outcome' && end.outcome.kind === 'done' ? { action_taken: end.outcome.actionTaken } : {}),
    ...('cause' in end ? { cause: end.cause, error: end.message } : {}),
    ...('frames' in end ? { stack: end.frames } : {}),
    attempt: item.attempts,
    gen: item.gen,
    duration_ms: now - startedAt,
    // Of a first attempt that ended well, the metric on the same line says it.
    ...(isMeasured(attempt, end) ? {} : { since_received_ms: now - item.receivedAt }),
    ...(disposal.kind === 'ack' ? {} : { recorded: false }),
    trace_id: traceIdIn(item, trace),
    ...trace?.fields,
  });
}

/** Whether `ProcessingLatency` tells how long it took since its arrival. */
function isMeasured({ item }: Attempt, end: AttemptEnd): boolean {
  return isTimed(item) && end.kind === 'outcome' && !['retry', 'deferred'].includes(end.outcome.kind);
}
