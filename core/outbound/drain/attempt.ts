/** One request to an endpoint, from its bytes to what it leaves behind. */
import { askOrSkip } from '#core/ask.ts';
import type { Answer, OutgoingRequest, Verdict } from '#core/outbound/ports.ts';
import { disableOwned } from '#core/outbound/protocol/delivery-writes.ts';
import type { AttemptItem, LastAttempt, MessageItem, RecordItem } from '#core/outbound/protocol/items.ts';
import { attemptKey } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, retentionOf } from '#core/outbound/protocol/timings.ts';
import { type DisableReason, disableReason, isProbing } from './breaker.ts';
import { classifyAnswer } from './classify-answer.ts';
import { exchanged } from './exchanged.ts';
import { learn } from './health.ts';
import { type InHand, writeEnd, writeFailure } from './record-outcome.ts';
import { attemptsOf, nextAttemptAt } from './schedule.ts';
import { persist, type Session, stopFor } from './session-state.ts';
import { tell } from './tell.ts';

/** A delivery in hand with what its request needs. */
export interface Sending extends InHand {
  readonly message: MessageItem;
  readonly record: RecordItem | undefined;
  readonly body: Uint8Array;
}
/** A request that is ready; of a batched endpoint it carries several deliveries. */
export interface Prepared {
  readonly sendings: readonly Sending[];
  readonly request: OutgoingRequest;
  readonly kid: string | undefined;
}

const SNIPPET_BYTES = 256;
const BACKSTOP_MS = 1_000;
const HOUR_MS = 3_600_000;
const FAILING_AT = 4;

/** Sends it, learns from the answer, writes what it means. Throws DependencyError when that could not be written. */
export async function attempt(session: Session, prepared: Prepared): Promise<void> {
  const { ports, rules } = session;
  const { clock, random } = ports;
  const probing = isProbing(session.health);
  // 1. The request. A sender never throws; the limit here is behind its own.
  const startedAt = clock.now();
  const answer = await send(session, prepared.request);
  const now = clock.now();
  // 2. What it means: for the endpoint at once, so that nothing begins that should not.
  const verdict = classifyAnswer(answer, now);
  const known = session.health;
  const code = answer.kind === 'answered' ? answer.status : undefined;
  const { maxConcurrency } = session.config.endpoint;
  session.health = learn(
    known,
    { verdict, ms: now - startedAt, code, maxConcurrency },
    { now, random, probe: rules.probe },
  );
  // Looked at before anything is waited for: the answers beside this one change it, too.
  const opened = known.opens === 0 && session.health.opens > 0;
  const recovered = known.opens > 0 && session.health.opens === 0;
  if (session.health.holdUntil !== undefined) stopFor(session, 'held');
  if (verdict.class === 'own_fault') stopFor(session, 'broken');
  count(session, prepared, { verdict, probing, ms: now - startedAt, startedAt });
  // 3. For each delivery: its record and rows. A plain success needs no guard.
  const clean = verdict.health === 'success' && verdict.directive === undefined;
  const guarded = !clean && (await session.guardOn());
  const charged = verdict.charged && !probing && !(guarded && verdict.health === 'failure');
  const seen: Seen = { answer, verdict, charged, probing, startedAt, now, kid: prepared.kid };
  for (const sending of prepared.sendings) await settle(session, prepared.request, sending, seen);
  // 4. For the gate.
  const days = session.config.endpoint.autoDisableDays ?? rules.autoDisableDays;
  const reason = guarded ? undefined : disableReason(known, session.health, verdict, { now, days });
  if (reason) await disable(session, reason);
  if (opened) ports.telemetry.count('EndpointsHeld');
  if (recovered) await tell(session, 'endpoint.recovered');
  if (verdict.class === 'redirect') await tell(session, 'endpoint.redirecting', { code: code ?? 0 });
}

interface Seen {
  readonly answer: Answer;
  readonly verdict: Verdict;
  readonly charged: boolean;
  readonly probing: boolean;
  readonly startedAt: number;
  readonly now: number;
  readonly kid: string | undefined;
}

async function send({ ports, http }: Session, request: OutgoingRequest): Promise<Answer> {
  const sent = await ports.timer.limit(request.deadlineMs + BACKSTOP_MS, signal => http.send(request, signal));
  if (sent.kind === 'finished') return sent.value;
  return { kind: 'failed', cause: 'timeout', detail: 'no end of the answer', timings: { total: request.deadlineMs } };
}

async function settle(session: Session, request: OutgoingRequest, sending: Sending, seen: Seen): Promise<void> {
  const { rules, ports, config } = session;
  const { verdict, charged, probing, answer, now, startedAt } = seen;
  const { delivery, record, n } = sending;
  const outcome = {
    now,
    retentionMs: rules.retentionMs,
    last: lastOf(seen),
    ...(answer.kind === 'answered' && answer.body.length > 0 ? { snippet: textOf(answer.body) } : {}),
    ...(record?.firstAt === undefined ? { firstAt: startedAt } : {}),
  };
  if (rules.attemptLog === 'all' || charged || (probing && verdict.health === 'failure')) {
    await logAttempt(session, request, sending, seen);
  }
  if (verdict.health === 'success') {
    if (await writeEnd(session, sending, 'delivered', outcome)) ports.telemetry.count('Delivered');
    return;
  }
  if (verdict.directive === 'abort-message' && !probing) {
    await writeEnd(session, sending, 'aborted', outcome);
    return;
  }
  if (!charged) {
    // Whatever it was not charged for: nothing passes the head.
    if (config.endpoint.ordered) stopFor(session, 'waiting');
    return;
  }
  const waits = (await persist(session, () => config.waits())) ?? rules.waits;
  const last = n >= attemptsOf(waits, sending.message.maxAttempts) || headIsTooOld(session, sending, now);
  const nextAt = last
    ? undefined
    : nextAttemptAt(waits, n, { now, random: ports.random, notBefore: verdict.retryAfterMs });
  const applied = await writeFailure(session, sending, nextAt, outcome);
  if (applied && last) {
    session.died += 1;
    ports.telemetry.count('DeadDeliveries');
    await tell(session, 'delivery.dead', { message: delivery.msg });
  }
  if (applied && n === FAILING_AT) await tell(session, 'message.failing', { message: delivery.msg });
  // What is behind an ordered head waits with it.
  if (config.endpoint.ordered && session.waitUntil !== undefined) stopFor(session, 'waiting');
}

/** One message must not hold back an ordered endpoint for the whole schedule. */
function headIsTooOld({ config: { endpoint } }: Session, { record, delivery }: Sending, now: number): boolean {
  if (!endpoint.ordered || delivery.gen !== 1 || record?.firstAt === undefined) return false;
  return now - record.firstAt >= (endpoint.headOfLineHours ?? 24) * HOUR_MS;
}

function lastOf({ answer, verdict, startedAt, now, kid }: Seen): LastAttempt {
  return {
    at: startedAt,
    ms: now - startedAt,
    class: verdict.class,
    ...(answer.kind === 'answered' ? { code: answer.status, bytes: answer.bytes } : {}),
    ...(kid === undefined ? {} : { kid }),
  };
}

/** The start of an answer as text, without control characters: it is shown in terminals and pages. */
function textOf(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, SNIPPET_BYTES));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd').slice(0, SNIPPET_BYTES);
}

/** W14. Refused: somebody else decided, or it is our own repeated write. Nothing new begins either way. */
async function disable(session: Session, reason: DisableReason): Promise<void> {
  const { ports, ep, me } = session;
  const { kind, item } = await persist(session, () =>
    ports.store.update(disableOwned(ep, me, reason, ports.clock.now())),
  );
  if (item !== undefined) session.runtime = item;
  stopFor(session, 'closed');
  const ours = item?.owner === me && item.gate === 'disabled' && item.gateBy === 'system';
  if ((kind === 'refused' && !ours) || session.told.has('endpoint.disabled')) return;
  ports.telemetry.count('EndpointsDisabled');
  await tell(session, 'endpoint.disabled', { reason });
}

/** Best effort: the record says what matters. */
async function logAttempt(
  session: Session,
  request: OutgoingRequest,
  { delivery, n }: Sending,
  seen: Seen,
): Promise<void> {
  const { ports, rules, config } = session;
  const { answer, verdict, probing, startedAt } = seen;
  const sent = { url: request.url, headers: request.headers, own: config.endpoint.headers };
  const item: AttemptItem = {
    kind: probing ? 'probe' : 'delivery',
    ...{ at: startedAt, gen: delivery.gen, n },
    ...exchanged(ports.codec, sent, answer, verdict.class),
    expiresAt: deliveryExpiry(delivery.createdAt, startedAt, retentionOf(delivery, rules.retentionMs)),
  };
  const key = attemptKey(delivery.ep, delivery.msg, delivery.gen, n, startedAt);
  const asker = { telemetry: ports.telemetry, stage: 'attempt_record', fields: { endpoint: delivery.ep } };
  await askOrSkip(asker, () => ports.store.put({ kind: 'put', key, item }));
}

function count(
  { ports: { telemetry }, health }: Session,
  { sendings }: Prepared,
  seen: { readonly verdict: Verdict; readonly probing: boolean; readonly ms: number; readonly startedAt: number },
): void {
  const { verdict, probing, ms, startedAt } = seen;
  telemetry.count('DeliveryAttempts', { class: verdict.class });
  telemetry.measure('AttemptDuration', ms);
  if (verdict.class === 'own_fault') telemetry.count('OwnFault');
  if (verdict.class === 'forbidden_address') telemetry.count('ForbiddenAddress');
  for (const { n, delivery } of sendings) {
    if (probing || delivery.gen > 1) continue;
    if (n > 1) telemetry.count('DeliveryRetries');
    else {
      telemetry.count('FirstAttempts');
      if (verdict.health === 'success') telemetry.count('FirstAttemptsOk');
      if (health.opens === 0) telemetry.measure('FirstAttemptDelay', startedAt - delivery.createdAt);
    }
  }
}
