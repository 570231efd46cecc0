/**
 * Recording how an attempt ended. Every write is fenced by the claim's token (I5); what the outcome owes (a delayed
 * successor, a DLQ message) is sent after the record says so and before the message is acked (I7).
 */

import { ask } from '#core/ask.ts';
import { DependencyError } from '#core/errors.ts';
import { type EpochMs, splitEventPk } from '#core/glossary.ts';
import type { Outcome } from '#core/handler/handler-contract.ts';
import type { EventUpdate, TransactResult } from '#core/inbound/ports.ts';
import type { AttemptNote, EventIn } from '#core/inbound/protocol/event-item.ts';
import {
  type AttemptRecord,
  asDeferral,
  die,
  expiryAfter,
  finish,
  type Owned,
  retryLater,
  retrySoon,
} from '#core/inbound/protocol/event-writes.ts';
import { keepResult } from '#core/inbound/protocol/keep-result.ts';
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { sendDeath } from '#core/inbound/protocol/send-death.ts';
import { encodeWorkMessage, referenceTo } from '#core/inbound/protocol/work-message.ts';
import { waitMs } from '#core/judge-http-answer.ts';
import type { EffectWrite } from '#core/ports.ts';
import { backoffMs, type RetryProfile, spanMs } from '#core/retry/backoff.ts';
import { toHex } from '#core/scan/bytes.ts';
import { capText } from '#core/scan/text.ts';
import { ACK, type Disposal, type ProcessPorts, type ProcessRules, RETURN } from './process-ports.ts';

/** How one attempt ended, in one word for the record. */
export type AttemptEnd =
  | {
      readonly kind: 'outcome';
      readonly outcome: Outcome;
      readonly effects: readonly EffectWrite[];
      readonly onRefused?: Outcome;
    }
  | { readonly kind: 'ignored'; readonly reason: string }
  | ({ readonly kind: 'failed' | 'permanent'; readonly cause: string; readonly message: string } & Thrown)
  /** Not the handler's fault: tried again without spending the attempt. */
  | { readonly kind: 'unready'; readonly cause: string; readonly message: string; readonly splitNext?: string };

interface Thrown {
  /** Where an error was thrown, from the throw upwards: for the log. */
  readonly frames?: readonly string[];
}

export interface Attempt {
  readonly item: EventIn<'processing'>;
  readonly claimId: string;
  readonly startedAt: EpochMs;
  readonly retry: RetryProfile;
  readonly traceId?: string;
  /** The handler's breaker is open: what fails now has failed for everybody. */
  readonly breaker?: { readonly name: string; readonly backAt: EpochMs } | undefined;
}

const ACTION_LIMIT = 200;
const ERROR_LIMIT = 200;
const UNREADY_WAIT_MS = 60_000;
const RAISE_ABOVE_MS = 3 * 86_400_000;
const MAX_RETRY_AFTER_SECONDS = 7 * 86_400;

export async function finishEvent(
  attempt: Attempt,
  end: AttemptEnd,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Disposal> {
  const finisher = new Finisher(attempt, ports, rules);
  const { telemetry } = ports;
  const recorded = await ask({ telemetry, stage: 'finish', fields: { pk: attempt.item.pk } }, () =>
    finisher.record(end),
  );
  // Errored, not refused: nobody knows whether it was written. The message comes back and the claim will tell.
  return recorded.ok ? recorded.value : RETURN;
}

class Finisher {
  readonly #attempt: Attempt;
  readonly #ports: ProcessPorts;
  readonly #rules: ProcessRules;
  readonly #by: Owned;
  readonly #source: string;

  constructor(attempt: Attempt, ports: ProcessPorts, rules: ProcessRules) {
    this.#attempt = attempt;
    this.#ports = ports;
    this.#rules = rules;
    this.#by = { pk: attempt.item.pk, claimId: attempt.claimId, now: ports.clock.now() };
    this.#source = splitEventPk(attempt.item.pk).sourceId;
  }

  record(end: AttemptEnd): Promise<Disposal> {
    switch (end.kind) {
      case 'ignored':
        return this.#close('ignored', { actionTaken: end.reason }, 'Ignored');
      case 'failed':
        return this.#fail(end.cause, end.message);
      case 'permanent':
        return this.#die(end.cause, end.message);
      case 'unready':
        return this.#deferUntil(
          'unreadySince',
          this.#by.now + UNREADY_WAIT_MS,
          `${end.cause}: ${end.message}`,
          end.splitNext,
        );
      case 'outcome':
        return this.#recordOutcome(end.outcome, end.effects, end.onRefused);
    }
  }

  async #recordOutcome(outcome: Outcome, effects: readonly EffectWrite[], onRefused?: Outcome): Promise<Disposal> {
    switch (outcome.kind) {
      case 'done':
        return this.#complete(outcome, effects, onRefused);
      case 'rejected':
        return this.#close('rejected', { actionTaken: outcome.reason }, 'Rejected');
      case 'stale':
        return this.#close('skipped_stale', { actionTaken: outcome.reason }, 'SkippedStale');
      case 'deferred':
        return this.#deferUntil('deferredSince', outcome.untilMs, outcome.reason);
      case 'retry':
        return this.#fail('retry_after', outcome.reason, {
          ms: Math.min(outcome.afterSeconds, MAX_RETRY_AFTER_SECONDS) * 1_000,
          isHint: outcome.hint === true,
        });
    }
  }

  async #complete(
    outcome: Extract<Outcome, { kind: 'done' }>,
    effects: readonly EffectWrite[],
    onRefused?: Outcome,
  ): Promise<Disposal> {
    const result = await keepResult(outcome.data, this.#attempt.item, this.#by.now, this.#ports, this.#rules);
    const note = this.#note('ok');
    const write = finish(
      this.#by,
      'completed',
      {
        ...(outcome.actionTaken === undefined ? {} : { actionTaken: capText(outcome.actionTaken, ACTION_LIMIT) }),
        ...(result === undefined ? {} : { result }),
        ...note,
      },
      this.#rules,
    );
    if (effects.length === 0) return this.#applyFinal(write, 'Completed');
    const written = await this.#commit(write, effects);
    switch (written.kind) {
      case 'not_applied':
        return this.#fail('effects_not_applied', written.message);
      case 'applied':
        return this.#countFinal('Completed');
      case 'refused':
        return this.#leaseLost();
      case 'conflict':
        return this.#fail('transaction_conflict', 'another transaction touched the same item');
      case 'effect_refused':
        return onRefused
          ? this.#recordOutcome(onRefused, [])
          : this.#die('effect_refused', `the condition of write ${written.index} of the handler did not hold`);
    }
  }

  /** What is surely not applied (writes the table cannot take) is a failed attempt with a cause, not a silence. */
  async #commit(
    write: EventUpdate,
    effects: readonly EffectWrite[],
  ): Promise<TransactResult | { readonly kind: 'not_applied'; readonly message: string }> {
    try {
      return await this.#ports.store.transact(write, effects, this.#transactionToken());
    } catch (error) {
      if (error instanceof DependencyError && error.outcome === 'unknown') throw error;
      return { kind: 'not_applied', message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Same input, same token: the SDK's own retry of a transaction is answered as the first. */
  #transactionToken(): string {
    const { pk, gen } = this.#attempt.item;
    const text = new TextEncoder().encode(`${pk}\n${gen}\n${this.#by.claimId}`);
    return toHex(this.#ports.crypto.hash('sha256', text)).slice(0, 36);
  }

  #close(
    status: 'ignored' | 'rejected' | 'skipped_stale',
    outcome: { actionTaken: string },
    metric: 'Ignored' | 'Rejected' | 'SkippedStale',
  ): Promise<Disposal> {
    const actionTaken = capText(outcome.actionTaken, ACTION_LIMIT);
    return this.#applyFinal(finish(this.#by, status, { actionTaken, ...this.#note(status) }, this.#rules), metric);
  }

  async #applyFinal(
    write: EventUpdate,
    metric: 'Completed' | 'Ignored' | 'Rejected' | 'SkippedStale',
  ): Promise<Disposal> {
    const written = await this.#ports.store.update(write);
    return written.kind === 'applied' ? this.#countFinal(metric) : this.#leaseLost();
  }

  #countFinal(metric: 'Completed' | 'Ignored' | 'Rejected' | 'SkippedStale'): Disposal {
    this.#ports.telemetry.count(metric, { source: this.#source });
    const { attempts, unreadySince } = this.#attempt.item;
    if (attempts === 1 && unreadySince === undefined) {
      const took = this.#ports.clock.now() - this.#attempt.item.receivedAt;
      this.#ports.telemetry.measure('ProcessingLatency', took, { source: this.#source });
    }
    return ACK;
  }

  #leaseLost(): Disposal {
    this.#ports.telemetry.count('LeaseLost');
    this.#ports.telemetry.log('warn', { stage: 'finish', pk: this.#attempt.item.pk, cause: 'lease_lost' });
    return RETURN;
  }

  /** `asked`: the wait that the handler chose, or passed on as the hint of a service. */
  #fail(cause: string, message: string, asked?: { readonly ms: number; readonly isHint: boolean }): Promise<Disposal> {
    const { item, retry } = this.#attempt;
    this.#ports.telemetry.count('AttemptsFailed', { source: this.#source });
    const free = this.#freeWait(asked);
    if (free !== undefined)
      return this.#tryAgain(free.at, { ...this.#note(cause), lastError: errorText(cause, message) }, free.since);
    if (item.attempts >= retry.attempts)
      return this.#die(cause, `${message} (attempt ${item.attempts} of ${retry.attempts})`);
    const ownMs = backoffMs(retry, item.attempts, this.#ports.random);
    const delayMs = asked?.isHint ? waitMs(ownMs, asked.ms) : (asked?.ms ?? ownMs);
    return this.#tryAgain(this.#by.now + delayMs, { ...this.#note(cause), lastError: errorText(cause, message) });
  }

  /**
   * A wait that costs no attempt: the handler asked for it, or an open breaker says that the dependency is away. For as long
   * as the schedule itself would last; after that it counts, so that every event ends.
   */
  #freeWait(
    asked: { readonly ms: number; readonly isHint: boolean } | undefined,
  ): { readonly at: EpochMs; readonly since: Parameters<typeof asDeferral>[1] } | undefined {
    const { item, retry, breaker } = this.#attempt;
    const askedMs = asked === undefined || asked.isHint ? undefined : asked.ms;
    if (askedMs === undefined && breaker === undefined) return undefined;
    const since = item.unreadySince ?? this.#by.now;
    if (this.#by.now - since >= spanMs(retry)) return undefined;
    const at = Math.max(this.#by.now + Math.max(askedMs ?? 0, 1_000), breaker?.backAt ?? 0);
    return { at, since: { unreadySince: since, ...(breaker === undefined ? {} : { waitsFor: breaker.name }) } };
  }

  async #deferUntil(
    clock: 'deferredSince' | 'unreadySince',
    untilMs: EpochMs,
    reason: string,
    splitNext?: string,
  ): Promise<Disposal> {
    const since = this.#attempt.item[clock] ?? this.#by.now;
    const latest = since + this.#rules.timings.deferLimitMs;
    if (this.#by.now >= latest) return this.#die('deferred_too_long', reason);
    const at = Math.min(Math.max(untilMs, this.#by.now + 1_000), latest);
    this.#ports.telemetry.count('Deferred', { source: this.#source });
    const progress = splitNext === undefined ? {} : { splitNext };
    const record = { ...this.#note('deferred'), lastError: errorText('deferred', reason), ...progress };
    return this.#tryAgain(at, record, clock === 'deferredSince' ? { deferredSince: since } : { unreadySince: since });
  }

  async #tryAgain(at: EpochMs, note: AttemptRecord, since?: Parameters<typeof asDeferral>[1]): Promise<Disposal> {
    const delayMs = at - this.#by.now;
    const soon = delayMs <= this.#rules.timings.parkAboveMs;
    if (delayMs > RAISE_ABOVE_MS) await this.#raisePayload(this.#rules.retentionDays + delayMs / 86_400_000);
    const write = soon ? retrySoon(this.#by, at, note, this.#rules.timings) : retryLater(this.#by, at, note);
    const written = await this.#ports.store.update(since === undefined ? write : asDeferral(write, since));
    if (written.kind === 'refused') return this.#leaseLost();
    if (soon) {
      const message = encodeWorkMessage({ ...referenceTo(this.#attempt.item), again: true, ...this.#trace() });
      const delaySeconds = Math.min(900, Math.ceil(delayMs / 1_000));
      await this.#ports.queue.send(message, { groupId: this.#source, delaySeconds });
    } else {
      this.#ports.telemetry.count('Parked', { source: this.#source });
    }
    return ACK;
  }

  #trace(): { traceId?: string } {
    return this.#attempt.traceId === undefined ? {} : { traceId: this.#attempt.traceId };
  }

  async #die(cause: string, message: string): Promise<Disposal> {
    await this.#raisePayload(this.#rules.deadRetentionDays);
    const death = { deadId: this.#ports.ids.uuid(), cause, lastError: errorText(cause, message) };
    const written = await this.#ports.store.update(die(this.#by, death, this.#note(cause), this.#rules.timings));
    if (written.kind === 'refused') return this.#leaseLost();
    this.#ports.telemetry.count('DeadLettered', { source: this.#source, cause });
    this.#ports.telemetry.log('error', {
      stage: 'dead_letter',
      source: this.#source,
      pk: this.#by.pk,
      event_type: this.#attempt.item.eventType,
      cause,
      error: death.lastError,
    });
    await sendDeath(written.item, death, this.#ports, this.#rules);
    return ACK;
  }

  /** The body must outlive a record that is about to live longer than it was first meant to. */
  async #raisePayload(days: number): Promise<void> {
    const { pk, bodySha } = this.#attempt.item;
    await this.#ports.payloads.raiseBody(pk, bodySha, expiryAfter(this.#by.now, days + PAYLOAD_MARGIN_DAYS));
  }

  #note(cause: string): AttemptRecord {
    const { item, startedAt } = this.#attempt;
    const note: AttemptNote = {
      n: item.attempts,
      at: startedAt,
      ms: this.#by.now - startedAt,
      cause: capText(cause, 60),
    };
    return { recentAttempts: [...(item.recentAttempts ?? []), note].slice(-3) };
  }
}

function errorText(cause: string, message: string): string {
  return capText(`${cause}: ${message}`, ERROR_LIMIT);
}
