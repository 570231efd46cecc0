/**
 * The status machine as a table of allowed moves. Every conditional write in event-writes.ts but an import makes exactly the moves
 * listed here; the simulation checks each observed move against it (invariant I4: terminal is absorbing within a
 * generation, except a replay or a person's redrive).
 */
import type { EventStatus } from '#core/glossary.ts';

const TERMINAL_STATUSES = ['completed', 'skipped_stale', 'rejected', 'ignored', 'dead_letter', 'closed'] as const;
/** Waiting for an attempt: what a claim may take. */
export const WAITING_STATUSES = ['pending', 'failed', 'deferred'] as const;

/** Moves within one generation. Written out: a spread would keep the table in every bundle that asks for a status. */
export const ALLOWED_MOVES: Readonly<Record<EventStatus, readonly EventStatus[]>> = {
  // The final ones: a first delivery that ran without a claim.
  pending: ['processing', 'deferred', 'dead_letter', 'completed', 'skipped_stale', 'rejected'],
  processing: ['processing', 'failed', 'deferred', 'completed', 'skipped_stale', 'rejected', 'ignored', 'dead_letter'],
  failed: ['processing', 'failed', 'deferred', 'dead_letter'],
  deferred: ['processing', 'deferred', 'dead_letter'],
  completed: [],
  skipped_stale: [],
  rejected: [],
  ignored: [],
  // A person's redrive (carrying the deadId), run at once or parked while the source is paused; or a person's closing.
  dead_letter: ['processing', 'deferred', 'closed'],
  closed: [],
};

export function isTerminal(status: string): boolean {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}
