/**
 * First deliveries of handlers whose effects are all in `transact()`, and of events that nothing runs for: no claim, and one
 * write is claim and completion (docs/decisions/what-needs-no-claim.md). It requires that nobody has begun. Everything else (a failure, a wait, a death, a
 * large result, a write that is refused) is left to the claim, which decides by the record as always.
 */
import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { DependencyError } from '#core/errors.ts';
import { splitEventPk } from '#core/glossary.ts';
import type { HandlerRegistration } from '#core/handler/handler-contract.ts';
import { claimedItem, finishUnclaimed } from '#core/inbound/protocol/event-writes.ts';
import { isSmallResult } from '#core/inbound/protocol/keep-result.ts';
import type { WorkMessage } from '#core/inbound/protocol/work-message.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';
import type { Attempt, AttemptEnd } from './attempt.ts';
import { CLOSED, closingOf, completionOf, countFinal, transactionToken } from './final-record.ts';
import { judgeAttempt } from './judge-attempt.ts';
import type { ProcessPorts, ProcessRules, QueueRecord } from './process-ports.ts';
import { newEventOf } from './take-event.ts';

/**
 * Only what ingest itself sent, with its body, the first time it is received: a handler that kills its process is claimed from
 * then on, so that its attempts are counted and end (I9, I12). The count saves a write; it decides nothing about the event.
 */
export function mayRunUnclaimed(
  { payload, gen, again, unrecorded, stale, waits, deadId }: WorkMessage,
  { receiveCount }: Pick<QueueRecord, 'receiveCount'>,
  handler: HandlerRegistration | undefined,
  source: Pick<ResolvedSource, 'unhandled'> | undefined,
): boolean {
  const isFirstCopy = payload !== undefined && gen === 1 && receiveCount === 1;
  const isMore = again || unrecorded || stale || waits !== undefined || deadId !== undefined;
  const mayRunTwice = handler === undefined ? source?.unhandled === 'ignore' : handler.onlyTransacts === true;
  return mayRunTwice && isFirstCopy && !isMore;
}

/** The attempt as a claim would have made it, if nobody has begun. */
export function presumedAttempt(
  message: WorkMessage,
  handler: HandlerRegistration | undefined,
  leaseMs: number,
  ports: ProcessPorts,
  rules: ProcessRules,
): Attempt {
  const event = newEventOf(message);
  const [claimId, now] = [ports.ids.uuid(), ports.clock.now()];
  const source = rules.sources.get(splitEventPk(message.pk).sourceId);
  return {
    item: claimedItem(event, { claimId, now, leaseUntil: now + leaseMs }, rules.timings),
    claimId,
    startedAt: now,
    retry: handler?.retry ?? source?.retry ?? DEFAULT_RETRY,
  };
}

/** `written`; `refused`: the claim decides; `unclear`: nobody knows whether it was written. */
export async function finishFirst(
  attempt: Attempt,
  end: AttemptEnd,
  ports: ProcessPorts,
  rules: ProcessRules,
): Promise<'written' | 'refused' | 'unclear'> {
  const { telemetry } = ports;
  const asked = await ask({ telemetry, stage: 'finish', fields: { pk: attempt.item.pk } }, () =>
    write(attempt, end, ports, rules),
  );
  if (!asked.ok) return 'unclear';
  return asked.value ? 'written' : 'refused';
}

async function write(attempt: Attempt, end: AttemptEnd, ports: ProcessPorts, rules: ProcessRules): Promise<boolean> {
  const now = ports.clock.now();
  const { deferLimitMs } = rules.timings;
  const ruling = judgeAttempt(attempt, end, { now, deferLimitMs, random: ports.random });
  const by = { ...attempt.item, startedAt: attempt.startedAt, now };
  if (ruling.kind === 'close') {
    const record = closingOf(ruling.status, ruling.reason, attempt, now);
    const written = await ports.store.update(finishUnclaimed(by, ruling.status, record, rules));
    return counted(written.kind === 'applied', CLOSED[ruling.status]);
  }
  if (ruling.kind !== 'complete' || !isSmallResult(ruling.outcome.data)) return false;
  const record = await completionOf(ruling.outcome, attempt, now, ports, rules);
  const update = finishUnclaimed(by, 'completed', record, rules);
  const { effects } = ruling;
  try {
    const written =
      effects.length === 0
        ? await ports.store.update(update)
        : await ports.store.transact(update, effects, transactionToken(attempt, ports));
    return counted(written.kind === 'applied', 'Completed');
  } catch (error) {
    if (error instanceof DependencyError && error.outcome === 'unknown') throw error;
    // Surely not applied: writes that the table cannot take are a failed attempt with a cause, under a claim.
    return false;
  }

  function counted(applied: boolean, metric: Parameters<typeof countFinal>[0]): boolean {
    if (applied) countFinal(metric, attempt, ports);
    return applied;
  }
}
