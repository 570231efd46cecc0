/** What a final outcome writes and counts, whether the event was claimed or not. */
import { given } from '#core/given.ts';
import { type EpochMs, splitEventPk } from '#core/glossary.ts';
import type { Outcome } from '#core/handler/handler-contract.ts';
import type { AttemptNote } from '#core/inbound/protocol/event-item.ts';
import type { AttemptRecord } from '#core/inbound/protocol/event-writes.ts';
import { keepResult } from '#core/inbound/protocol/keep-result.ts';
import { toHex } from '#core/scan/bytes.ts';
import { capText } from '#core/scan/text.ts';
import type { Attempt } from './attempt.ts';
import type { ProcessPorts, ProcessRules } from './process-ports.ts';

/** The metric of each way to close an event without its effect. */
export const CLOSED = { ignored: 'Ignored', rejected: 'Rejected', skipped_stale: 'SkippedStale' } as const;
export type Final = 'Completed' | (typeof CLOSED)[keyof typeof CLOSED];

const ACTION_LIMIT = 200;

type FinalRecord = { readonly actionTaken?: string; readonly result?: string } & AttemptRecord;

/** Of `completed`; a result that is too large for the record is stored beside the payload. Throws DependencyError. */
export async function completionOf(
  outcome: Extract<Outcome, { kind: 'done' }>,
  attempt: Attempt,
  now: EpochMs,
  ports: Pick<ProcessPorts, 'payloads'>,
  rules: ProcessRules,
): Promise<FinalRecord> {
  const result = await keepResult(outcome.data, attempt.item, now, ports, rules);
  return {
    ...(outcome.actionTaken === undefined ? {} : { actionTaken: capText(outcome.actionTaken, ACTION_LIMIT) }),
    ...given({ result }),
    ...noteOf('ok', attempt, now),
  };
}

export function closingOf(status: keyof typeof CLOSED, reason: string, attempt: Attempt, now: EpochMs): FinalRecord {
  return { actionTaken: capText(reason, ACTION_LIMIT), ...noteOf(status, attempt, now) };
}

/** The last three attempts, this one among them. */
export function noteOf(cause: string, { item, startedAt }: Attempt, now: EpochMs): AttemptRecord {
  const note: AttemptNote = { n: item.attempts, at: startedAt, ms: now - startedAt, cause: capText(cause, 60) };
  return { recentAttempts: [...(item.recentAttempts ?? []), note].slice(-3) };
}

/** Same input, same token: the SDK's own retry of a transaction is answered as the first. */
export function transactionToken({ item, claimId }: Attempt, { crypto }: Pick<ProcessPorts, 'crypto'>): string {
  const text = new TextEncoder().encode(`${item.pk}\n${item.gen}\n${claimId}`);
  return toHex(crypto.hash('sha256', text)).slice(0, 36);
}

/**
 * Whether the time from the arrival to the end is ours: of a first attempt that waited for nothing it was told to wait for.
 * A replay waited for a person, for hours or days.
 */
export function isTimed({ attempts, gen, unreadySince }: Attempt['item']): boolean {
  return attempts === 1 && gen === 1 && unreadySince === undefined;
}

export function countFinal(
  metric: Final,
  { item }: Attempt,
  { telemetry, clock }: Pick<ProcessPorts, 'telemetry' | 'clock'>,
): void {
  const source = splitEventPk(item.pk).sourceId;
  telemetry.count(metric, { source });
  if (isTimed(item)) telemetry.measure('ProcessingLatency', clock.now() - item.receivedAt, { source });
}
