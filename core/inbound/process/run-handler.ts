/** One attempt of one event: fetch its bytes, give them to the handler, and put a name to how it ended. */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { splitEventPk, toEventId } from '#core/glossary.ts';
import {
  type HandlerContext,
  type HandlerRegistration,
  type Outcome,
  PermanentError,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import { checkRow, checkRowKey } from '#core/handler/row-key.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { noteConflict } from '#core/inbound/protocol/note-conflict.ts';
import { carriedBody, inflateBody, type LoadedBody, readBody, storeBody } from '#core/inbound/protocol/store-body.ts';
import type { WorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { EffectWrite } from '#core/ports.ts';
import { toHex } from '#core/scan/bytes.ts';
import { capText } from '#core/scan/text.ts';
import type { AttemptEnd } from './attempt.ts';
import { type AttemptTrace, traceIdIn } from './attempt-trace.ts';
import { checkSchema } from './check-schema.ts';
import { noteSearchable } from './note-searchable.ts';
import { parsePayload } from './parse-payload.ts';
import type { ProcessPorts, ProcessRules } from './process-ports.ts';
import { stepRunner } from './step-runner.ts';
import { subjectOf } from './subject-of.ts';

const MAX_EFFECTS = 99;
/** Causes are a dimension of metrics: a few short words, never a text with an id in it. */
const LABEL = /^[a-z][a-z_]{0,39}$/;

/** The record decides which body runs, and with which headers; the message's copy is used when it is that delivery's. */
export async function loadBody(message: WorkMessage, item: EventItem, ports: ProcessPorts): Promise<LoadedBody> {
  const carried = message.payload === undefined ? undefined : ports.codec.fromBase64(message.payload);
  if (carried !== undefined && message.bodySha === item.bodySha && message.ingestId === item.ingestId) {
    return { kind: 'body', bytes: inflateBody(carried, ports.codec), headers: message.headers ?? {} };
  }
  const stored = await readBody(item, ports);
  // The record names its body by its hash: what a store gives in its place must not reach a handler.
  if (stored.kind === 'body' && toHex(ports.crypto.hash('sha256', stored.bytes)) !== item.bodySha)
    throw new DependencyError('dynamodb', 'the stored body is not the one of the record');
  return stored;
}

/**
 * An outage copy that brought other bytes under a known id may be the last to have them: they are kept as a second
 * payload, and counted. False: they could not be kept, so the message must stay.
 */
export async function keepOtherBody(
  message: WorkMessage,
  item: EventItem,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<boolean> {
  if (message.unrecorded !== true || message.bodySha === item.bodySha) return true;
  const { pk, bodySha, headers = {} } = message;
  const place = carriedBody(message, ports.codec);
  if (place === undefined) return true;
  const { telemetry } = ports;
  const kept = await ask({ telemetry, stage: 'keep_other_body', fields: { pk } }, () =>
    storeBody({ pk, bodySha, headers, place }, ports, rules),
  );
  if (!kept.ok) return false;
  await noteConflict(
    { pk, bodySha, ingestId: item.ingestId },
    rules.sources.get(splitEventPk(pk).sourceId)?.spec,
    ports,
  );
  return true;
}

export interface AttemptInput {
  readonly item: EventItem;
  readonly body: Extract<LoadedBody, { kind: 'body' }>;
  readonly source: ResolvedSource | undefined;
  readonly handler: HandlerRegistration | undefined;
  readonly timeLimitMs: number;
  /** How long results of steps are kept. */
  readonly stepDays: number;
  readonly trace?: AttemptTrace | undefined;
}

export async function runHandler(input: AttemptInput, ports: ProcessPorts): Promise<AttemptEnd> {
  const { item, body } = input;
  const parsed = parsePayload(body.bytes, body.headers['content-type']);
  if (parsed.kind === 'unparsable') return { kind: 'permanent', cause: 'unparsable_payload', message: parsed.reason };
  const noted = noteSearchable({ item, source: input.source, payload: parsed.value, days: input.stepDays }, ports);
  try {
    return await runParsed(input, parsed.value, ports);
  } finally {
    await noted;
  }
}

async function runParsed(input: AttemptInput, payload: unknown, ports: ProcessPorts): Promise<AttemptEnd> {
  const { item, handler } = input;
  if (!handler) {
    return input.source?.unhandled === 'ignore'
      ? { kind: 'ignored', reason: `no handler for ${item.eventType}` }
      : { kind: 'permanent', cause: 'unhandled', message: `no handler is registered for ${item.eventType}` };
  }
  if (item.attempts === 1 && item.gen === 1 && input.source?.schemaDrift !== 'off') {
    const { sourceId } = splitEventPk(item.pk);
    ports.shapes?.observe(sourceId, item.eventType, toEventId(item.pk), payload);
  }
  const broken = handler.schema && checkSchema(handler.schema, payload, item, ports.telemetry);
  if (broken) return broken;
  const effects: EffectWrite[] = [];
  // Of each write the outcome that its own call declared: of another's condition it would tell what is not so.
  const onRefused: (Outcome | undefined)[] = [];
  const transact: HandlerContext['transact'] = (writes, options = {}) => {
    for (const write of writes)
      if (write.kind === 'put') checkRow(write.table, write.item);
      else checkRowKey(write.table, write.key);
    effects.push(...writes);
    onRefused.push(...writes.map(() => options.onRefused ?? undefined));
    if (effects.length > MAX_EFFECTS) {
      throw new RangeError(
        `transact() takes at most ${MAX_EFFECTS} writes in one attempt; this one gave ${effects.length}`,
      );
    }
  };
  try {
    const timeLimitMs = Math.min(input.timeLimitMs, handler.timeLimitMs ?? Number.POSITIVE_INFINITY);
    const run = await ports.timer.limit(timeLimitMs, async signal =>
      handler.handle(eventOf(input, payload), contextOf(input, timeLimitMs, signal, transact, ports)),
    );
    if (run.kind === 'timed_out')
      return { kind: 'failed', cause: 'timeout', message: `the handler did not finish within ${timeLimitMs} ms` };
    const outcome: unknown = run.value;
    if (!isOutcome(outcome)) return badOutcome('the handler', outcome);
    const none = onRefused.find(declared => declared !== undefined && !isOutcome(declared));
    if (none !== undefined) return badOutcome('onRefused of transact()', none);
    return { kind: 'outcome', outcome, effects, onRefused };
  } catch (error) {
    return await endOfThrown(error, ports);
  }
}

function eventOf({ item, body, source }: AttemptInput, payload: unknown): WebhookEvent {
  const subject = source && subjectOf(item, body, source);
  return {
    id: toEventId(item.pk),
    source: splitEventPk(item.pk).sourceId,
    provider: item.provider,
    type: item.eventType,
    time: item.eventAt ?? item.receivedAt,
    ...(item.eventAt === undefined ? { timeIsArrival: true } : {}),
    ...given({ subject }),
    receivedAt: item.receivedAt,
    bytes: body.bytes,
    payload,
    headers: body.headers,
    ...attemptOf(item),
  };
}

function attemptOf({
  pk,
  attempts,
  gen,
  run,
}: EventItem): Pick<WebhookEvent, 'attempt' | 'generation' | 'idempotencyKey'> {
  const { sourceId, eventKey } = splitEventPk(pk);
  return { attempt: attempts, generation: gen, idempotencyKey: `${sourceId}:${eventKey}:${run}` };
}

function contextOf(
  input: AttemptInput,
  timeLimitMs: number,
  signal: AbortSignal,
  transact: HandlerContext['transact'],
  ports: ProcessPorts,
): HandlerContext {
  const { item } = input;
  const { sourceId } = splitEventPk(item.pk);
  const write =
    (level: 'info' | 'warn') =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      ports.telemetry.log(level, {
        ...fields,
        stage: 'handler',
        event_id: toEventId(item.pk),
        source: sourceId,
        attempt: item.attempts,
        // Whatever it is: a line of the log must not fail an attempt.
        message: capText(String(message), 1_000),
        trace_id: traceIdIn(item, input.trace),
      });
  return {
    ...attemptOf(item),
    signal,
    timeLimitMs,
    startedAt: ports.clock.now(),
    ...given({ deferredSince: item.deferredSince }),
    read: async (table, key) => {
      checkRowKey(table, key);
      return ports.store.readItem(table, key);
    },
    limit: (ms, work) => ports.timer.limit(ms, own => work(AbortSignal.any([signal, own]))),
    step: input.handler?.onlyTransacts ? refuseStep : stepRunner({ item, signal, days: input.stepDays }, ports),
    log: { info: write('info'), warn: write('warn') },
    ...(input.trace && { trace: { event: input.trace.event, attempt: input.trace.attempt } }),
    transact,
  };
}

/** Two runs at the same time would both do it. */
async function refuseStep(name: string): Promise<never> {
  throw new PermanentError(`step("${name}") is not allowed in a handler with onlyTransacts: leave one of the two out`);
}

/** The place comes before the message: of a long one only the end is cut off. */
async function endOfThrown(error: unknown, { stacks }: Pick<ProcessPorts, 'stacks'>): Promise<AttemptEnd> {
  if (error instanceof Error) {
    const { own, frames = [] } = (await stacks?.read(error)) ?? {};
    const where = own === undefined ? '' : ` at ${own}`;
    const permanent = error.name === 'PermanentError' || (error instanceof DependencyError && error.isBadKey);
    const label = 'label' in error && LABEL.test(String(error.label)) ? String(error.label) : undefined;
    const cause =
      label ?? (permanent ? 'permanent' : error instanceof DependencyError ? 'dependency' : 'handler_error');
    const message = `${error.name}${where}: ${error.message}`;
    return { kind: permanent ? 'permanent' : 'failed', cause, message, ...(frames.length === 0 ? {} : { frames }) };
  }
  return {
    kind: 'failed',
    cause: 'handler_error',
    message: `the handler threw ${describe(error)} instead of an Error`,
  };
}

function badOutcome(who: string, given: unknown): AttemptEnd {
  const message = `${who} must answer done(), reject(), stale(), defer() or retryAfter(); it answered ${describe(given)}`;
  return { kind: 'permanent', cause: 'bad_outcome', message };
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false;
  const it = value as Partial<Record<string, unknown>>;
  switch (it['kind']) {
    case 'done':
      return it['actionTaken'] === undefined || typeof it['actionTaken'] === 'string';
    case 'rejected':
    case 'stale':
      return typeof it['reason'] === 'string';
    case 'deferred':
      return typeof it['reason'] === 'string' && Number.isFinite(it['untilMs']);
    case 'retry':
      return (
        typeof it['reason'] === 'string' && Number.isFinite(it['afterSeconds']) && (it['afterSeconds'] as number) >= 0
      );
    default:
      return false;
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object'
    ? 'an object without a known kind'
    : typeof value === 'undefined'
      ? 'nothing'
      : `a ${typeof value}`;
}
