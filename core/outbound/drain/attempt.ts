/** One request to an endpoint, from its bytes to what it leaves behind. */
import { askOrSkip } from '#core/ask.ts';
import type { Answer, OutgoingRequest, Verdict } from '#core/outbound/ports.ts';
import { disableOwned } from '#core/outbound/protocol/delivery-writes.ts';
import type { AttemptItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { attemptKey } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, retentionOf } from '#core/outbound/protocol/timings.ts';
import type { Random } from '#core/ports.ts';
import { forgetBatch, splitBatch } from './batches.ts';
import { type DisableReason, disableReason, isOnTrial, rate } from './breaker.ts';
import { classifyAnswer } from './classify-answer.ts';
import { exchanged, exchangeOf } from './exchanged.ts';
import { learn } from './health.ts';
import { latenessOf } from './lateness.ts';
import { writeEnd } from './record-outcome.ts';
import { attemptsOf } from './schedule.ts';
import type { Prepared, Seen, Sending } from './sending.ts';
import { persist, type Session, stopFor } from './session-state.ts';
import { outcomeOf, settleFailure } from './settle-failure.ts';
import { tell } from './tell.ts';
import { endThrottled, noteThrottled } from './throttled-run.ts';
import { isCharged, isEndpoints } from './whose-fault.ts';

const BACKSTOP_MS = 1_000;

/** Sends it, learns from the answer, writes what it means. Throws DependencyError when that could not be written. */
export async function attempt(session: Session, prepared: Prepared): Promise<void> {
  const { ports, rules } = session;
  const { clock, random } = ports;
  const onTrial = isOnTrial(session.health);
  // 1. The request. A sender never throws; the limit here is behind its own.
  const startedAt = clock.now();
  const answer = await send(session, prepared.request);
  const now = clock.now();
  // 2. What it means: for the endpoint at once, so that nothing begins that should not.
  const verdict = classifyAnswer(answer, now);
  const known = session.health;
  const code = answer.kind === 'answered' ? answer.status : undefined;
  const { maxConcurrency, ordered } = session.config.endpoint;
  const about = (prepared.sendings[0] as Sending).delivery.msg;
  session.health = learn(
    known,
    { verdict, ms: now - startedAt, code, maxConcurrency, about },
    { now, random, hold: rules.hold, opensAt: rules.opensAt },
  );
  // Looked at before anything is waited for: the answers beside this one change it, too.
  const recovered = known.opens > 0 && session.health.opens === 0;
  const firstThrottled =
    verdict.fault === 'throttle' && noteThrottled(session, prepared.sendings[0] as Sending, startedAt);
  if (session.health.holdUntil !== undefined) stopFor(session, 'held');
  if (verdict.fault === 'ours') stopFor(session, 'broken');
  count(session, prepared, { verdict, onTrial, startedAt });
  // 3. For each delivery: its record and rows. Only an answer proves that our own way out works.
  const unanswered = answer.kind === 'failed' && verdict.fault === 'endpoint';
  const spared = unanswered && (await session.guardOn());
  const splits = !spared && (await mustSplit(session, prepared.sendings, { verdict, code }));
  const charged = !spared && !splits && isCharged(verdict, { onTrial, ordered, failed: session.health.failed });
  const pace = paceOf(prepared.sendings, random);
  const seen: Seen = {
    ...{ answer, verdict, charged, spared, firstThrottled, onTrial },
    ...{ startedAt, now, kid: prepared.kid, known, pace },
  };
  if (splits) await splitBatch(session, prepared.sendings);
  let over = true;
  for (const sending of prepared.sendings) over = (await settle(session, prepared.request, sending, seen)) && over;
  if (over) await forgetBatch(session, prepared.sendings);
  if (verdict.fault !== 'throttle' && verdict.fault !== 'ours') await endThrottled(session);
  // 4. For the gate.
  const days = session.config.endpoint.autoDisableDays ?? rules.autoDisableDays;
  const rated = spared || days === false ? undefined : await rateOf(session, seen);
  const reason = spared ? undefined : disableReason(known, session.health, verdict, { now, days, rated });
  if (reason) await disable(session, reason);
  if (recovered) await tell(session, 'endpoint.recovered');
  if (verdict.class === 'redirect') await tell(session, 'endpoint.redirecting', { code: code ?? 0 });
}

/** What a rate of failures goes by; the owner is told when it is first over its limit. */
async function rateOf(
  session: Session,
  { verdict, now, known }: Pick<Seen, 'verdict' | 'now' | 'known'>,
): Promise<RuntimeItem['rated']> {
  const { rules, health } = session;
  const { disableAt: limit } = rules;
  if (limit === undefined) return undefined;
  const { rated: before, failed } = health;
  const rated = rate(before, verdict, { now, known: known.failed, failed, limit });
  session.health = { ...health, rated };
  if (rated?.overSince !== undefined && before?.overSince === undefined)
    await tell(session, 'endpoint.disable_warning', { reason: 'failure_rate' });
  return rated;
}

async function send({ ports, http }: Session, request: OutgoingRequest): Promise<Answer> {
  const sent = await ports.timer.limit(request.deadlineMs + BACKSTOP_MS, signal => http.send(request, signal));
  if (sent.kind === 'finished') return sent.value;
  return { kind: 'failed', cause: 'timeout', detail: 'no end of the answer', timings: { total: request.deadlineMs } };
}

/** True where its delivery is over. */
async function settle(session: Session, request: OutgoingRequest, sending: Sending, seen: Seen): Promise<boolean> {
  const { rules, ports } = session;
  const { verdict, onTrial } = seen;
  const failed = verdict.fault === 'endpoint' || verdict.fault === 'ambiguous' || verdict.fault === 'message';
  if (rules.attemptLog === 'all' || failed || seen.firstThrottled) await logAttempt(session, request, sending, seen);
  if (verdict.fault === 'none') {
    const outcome = outcomeOf(session, sending, seen);
    const sent = { url: request.url, headers: request.headers, own: session.config.endpoint.headers };
    const exchange = exchangeOf(ports.codec, sent, seen.answer, (outcome.snippet ?? '').length);
    if (await writeEnd(session, sending, 'delivered', { ...outcome, exchange })) ports.telemetry.count('Delivered');
    return true;
  }
  if (verdict.directive === 'abort-message' && !onTrial) {
    await writeEnd(session, sending, 'aborted', outcomeOf(session, sending, seen));
    return true;
  }
  return settleFailure(session, sending, seen);
}

/** What people see of one request. Best effort: the record says what matters. */
async function logAttempt(
  session: Session,
  request: OutgoingRequest,
  { delivery, n, record }: Sending,
  seen: Seen,
): Promise<void> {
  const { ports, rules, config, health } = session;
  const { answer, verdict, onTrial, spared, startedAt } = seen;
  const sent = { url: request.url, headers: request.headers, own: config.endpoint.headers };
  const item: AttemptItem = {
    kind: verdict.fault === 'throttle' ? 'throttled' : onTrial ? 'trial' : 'delivery',
    ...{ at: startedAt, gen: delivery.gen, n },
    ...exchanged(ports.codec, sent, answer, verdict.class),
    fault: verdict.fault,
    ...(spared ? { spared: 'egress' } : {}),
    othersOk: (health.oks ?? 0) - (record?.oksBefore ?? seen.known.oks ?? 0),
    expiresAt: deliveryExpiry(delivery.createdAt, startedAt, retentionOf(delivery, rules.retentionMs)),
  };
  const key = attemptKey(delivery.ep, delivery.msg, delivery.gen, n, startedAt);
  const asker = { telemetry: ports.telemetry, stage: 'attempt_record', fields: { endpoint: delivery.ep } };
  await askOrSkip(asker, () => ports.store.put({ kind: 'put', key, item }));
}

/** Members of a batch wait for the same time, so that they go together: one draw, and the most attempts, for all. */
function paceOf(sendings: readonly Sending[], random: Random): Seen['pace'] {
  if (sendings.length === 1) return { n: (sendings[0] as Sending).n, waits: waitsOf(sendings), random };
  const drawn = random.next();
  return {
    n: Math.max(...sendings.map(({ n }) => n)),
    waits: waitsOf(sendings),
    random: { ...random, next: () => drawn },
  };
}
const waitsOf = (sendings: readonly Sending[]): number => Math.max(...sendings.map(({ record }) => record?.waits ?? 0));

/** A batch of which every request failed so far is divided at this one, where nobody knows whose fault it is. */
const SPLITS_AT = 3;

/**
 * Whether an answer about a batch divides it: a 4xx at once; another answer that may be one message's fault at the third
 * time, or before it would be somebody's last.
 */
async function mustSplit(
  { health, config, rules }: Session,
  sendings: readonly Sending[],
  { verdict, code = 0 }: { readonly verdict: Verdict; readonly code: number | undefined },
): Promise<boolean> {
  if (sendings.length === 1 || verdict.directive === 'abort-message') return false;
  if (verdict.fault === 'message') return true;
  if (verdict.fault !== 'ambiguous' || isEndpoints(verdict, health.failed)) return false;
  if (code >= 400 && code < 500) return true;
  const waits = (await config.waits()) ?? rules.waits;
  return sendings.some(({ n, message }) => n >= Math.min(SPLITS_AT, attemptsOf(waits, message.maxAttempts)));
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

function count(
  session: Session,
  { sendings }: Prepared,
  seen: { readonly verdict: Verdict; readonly onTrial: boolean; readonly startedAt: number },
): void {
  const { verdict, onTrial, startedAt } = seen;
  const { telemetry } = session.ports;
  telemetry.count('DeliveryAttempts', { class: verdict.class });
  if (verdict.fault === 'ours') telemetry.count('OwnFault');
  if (verdict.class === 'forbidden_address') telemetry.count('ForbiddenAddress');
  for (const sending of sendings) {
    const { n, delivery } = sending;
    if (onTrial || delivery.gen > 1) continue;
    if (n > 1) telemetry.count('DeliveryRetries');
    // What was tried before and not charged has a record; what was throttled has not, and is no attempt.
    else if (sending.record === undefined) {
      if (verdict.fault !== 'throttle') telemetry.count('FirstAttempts');
      if (verdict.fault === 'none') telemetry.count('FirstAttemptsOk');
      const late = latenessOf(session, sending, startedAt);
      if (late !== undefined) telemetry.measure('FirstAttemptDelay', late);
    }
  }
}
