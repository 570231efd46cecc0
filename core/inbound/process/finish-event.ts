/**
 * Recording how an attempt ended. Every write is fenced by the claim's token (I5); what the outcome owes (a delayed
 * successor, a DLQ message) is sent after the record says so and before the message is acked (I7).
 */

import { ask } from '#core/ask.ts';
import { DependencyError } from '#core/errors.ts';
import { splitEventPk } from '#core/glossary.ts';
import type { EventUpdate, TransactResult } from '#core/inbound/ports.ts';
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
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { sendDeath } from '#core/inbound/protocol/send-death.ts';
import { encodeWorkMessage, referenceTo } from '#core/inbound/protocol/work-message.ts';
import type { EffectWrite } from '#core/ports.ts';
import { capText } from '#core/scan/text.ts';
import { DAY_MS } from '#core/time.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';
import { traceIdIn } from './attempt-trace.ts';
import { CLOSED, closingOf, completionOf, countFinal, type Final, noteOf, transactionToken } from './final-record.ts';
import { judgeAttempt, type Ruling } from './judge-attempt.ts';
import {
  ACK,
  type Disposal,
  type ProcessPorts,
  type ProcessRules,
  REFUSED,
  RETURN,
  type Refused,
} from './process-ports.ts';

const ERROR_LIMIT = 200;
const RAISE_ABOVE_MS = 3 * DAY_MS;

/**
 * Ends one attempt:
 *  1. judge what becomes of the event;
 *  2. make its body outlive the record, where the record is about to live longer;
 *  3. write it down, unless another owner has the event (a transaction that did not happen is judged again);
 *  4. send what the record now owes: a delayed successor, a DLQ message;
 *  5. ack.
 */
export async function finishEvent(
  attempt: Attempt,
  end: AttemptEnd,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<Disposal | Refused> {
  const finisher = new Finisher(attempt, ports, rules);
  const { telemetry } = ports;
  const recorded = await ask({ telemetry, stage: 'finish', fields: { pk: attempt.item.pk } }, () =>
    finisher.record(end),
  );
  // Errored, not refused: nobody knows whether it was written. The message comes back and the claim will tell.
  return recorded.ok ? recorded.value : REFUSED;
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

  async record(end: AttemptEnd): Promise<Disposal> {
    const { deferLimitMs } = this.#rules.timings;
    const ruling = judgeAttempt(this.#attempt, end, { now: this.#by.now, deferLimitMs, random: this.#ports.random });
    if (end.kind === 'failed' || (end.kind === 'outcome' && end.outcome.kind === 'retry'))
      this.#count('AttemptsFailed');
    switch (ruling.kind) {
      case 'complete':
        return this.#complete(ruling);
      case 'close':
        return this.#close(ruling.status, ruling.reason);
      case 'again':
        return this.#tryAgain(ruling);
      case 'die':
        return this.#die(ruling.cause, ruling.message);
    }
  }

  async #complete({ outcome, effects, onRefused }: Extract<Ruling, { kind: 'complete' }>): Promise<Disposal> {
    const completion = await completionOf(outcome, this.#attempt, this.#by.now, this.#ports, this.#rules);
    const write = finish(this.#by, 'completed', completion, this.#rules);
    if (effects.length === 0) return this.#applyFinal(write, 'Completed');
    const written = await this.#commit(write, effects);
    switch (written.kind) {
      case 'not_applied':
        return written.isBadKey
          ? this.record({
              kind: 'permanent',
              cause: 'permanent',
              message: `the key of a row: ${written.message}`,
            })
          : this.record({ kind: 'failed', cause: 'effects_not_applied', message: written.message });
      case 'applied':
        return this.#countFinal('Completed');
      case 'refused':
        return this.#leaseLost();
      case 'conflict':
        return this.record({
          kind: 'failed',
          cause: 'transaction_conflict',
          message: 'another transaction touched the same item',
        });
      case 'effect_refused': {
        const declared = onRefused?.[written.index];
        if (declared) return this.record({ kind: 'outcome', outcome: declared, effects: [] });
        const message = `the condition of write ${written.index} of the handler did not hold`;
        return this.record({ kind: 'permanent', cause: 'effect_refused', message });
      }
    }
  }

  /** What is surely not applied (writes the table cannot take) is a failed attempt with a cause, not a silence. */
  async #commit(
    write: EventUpdate,
    effects: readonly EffectWrite[],
  ): Promise<TransactResult | { readonly kind: 'not_applied'; readonly message: string; readonly isBadKey: boolean }> {
    try {
      return await this.#ports.store.transact(write, effects, transactionToken(this.#attempt, this.#ports));
    } catch (error) {
      if (error instanceof DependencyError && error.outcome === 'unknown') throw error;
      const isBadKey = error instanceof DependencyError && error.isBadKey;
      return { kind: 'not_applied', message: error instanceof Error ? error.message : String(error), isBadKey };
    }
  }

  #close(status: keyof typeof CLOSED, reason: string): Promise<Disposal> {
    const record = closingOf(status, reason, this.#attempt, this.#by.now);
    return this.#applyFinal(finish(this.#by, status, record, this.#rules), CLOSED[status]);
  }

  async #applyFinal(write: EventUpdate, metric: Final): Promise<Disposal> {
    const written = await this.#ports.store.update(write);
    return written.kind === 'applied' ? this.#countFinal(metric) : this.#leaseLost();
  }

  #countFinal(metric: Final): Disposal {
    countFinal(metric, this.#attempt, this.#ports);
    return ACK;
  }

  #leaseLost(): Disposal {
    this.#ports.telemetry.count('LeaseLost');
    this.#ports.telemetry.log('warn', {
      stage: 'finish',
      pk: this.#attempt.item.pk,
      cause: 'lease_lost',
      trace_id: this.#traceId,
    });
    return RETURN;
  }

  async #tryAgain({ at, cause, message, waiting, splitNext }: Extract<Ruling, { kind: 'again' }>): Promise<Disposal> {
    const delayMs = at - this.#by.now;
    const soon = delayMs <= this.#rules.timings.parkAboveMs;
    if (delayMs > RAISE_ABOVE_MS) await this.#raisePayload(this.#rules.retentionDays + delayMs / DAY_MS);
    const progress = splitNext === undefined ? {} : { splitNext };
    const note = { ...this.#note(cause), lastError: errorText(cause, message), ...progress };
    const write = soon ? retrySoon(this.#by, at, note, this.#rules.timings) : retryLater(this.#by, at, note);
    const written = await this.#ports.store.update(waiting === undefined ? write : asDeferral(write, waiting));
    if (written.kind === 'refused') return this.#leaseLost();
    if (soon) {
      const message = encodeWorkMessage({ ...referenceTo(this.#attempt.item), again: true });
      const delaySeconds = Math.min(900, Math.ceil(delayMs / 1_000));
      await this.#ports.queue.send(message, { groupId: this.#source, delaySeconds });
    }
    return ACK;
  }

  get #traceId(): string {
    return traceIdIn(this.#attempt.item, this.#attempt.trace);
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
      trace_id: this.#traceId,
    });
    await sendDeath(written.item, death, this.#ports, this.#rules);
    return ACK;
  }

  /** The body must outlive a record that is about to live longer than it was first meant to. */
  async #raisePayload(days: number): Promise<void> {
    const { pk, bodySha } = this.#attempt.item;
    await this.#ports.payloads.raiseBody(pk, bodySha, expiryAfter(this.#by.now, days + PAYLOAD_MARGIN_DAYS));
  }

  #count(metric: Final | 'AttemptsFailed'): void {
    this.#ports.telemetry.count(metric, { source: this.#source });
  }

  #note(cause: string): AttemptRecord {
    return noteOf(cause, this.#attempt, this.#by.now);
  }
}

function errorText(cause: string, message: string): string {
  return capText(`${cause}: ${message}`, ERROR_LIMIT);
}
