/** The waits of the protocol. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';

/**
 * Every wait of the protocol, in milliseconds unless the name says otherwise. Constants that were checked together
 * (docs/understand/how-receiving-works.md), so that no configuration can break what they add up to. Shorter in `local`.
 */
export interface Timings {
  /** How long one invocation of the process function may take, whole seconds; a person may set it (`handlerTimeoutSeconds`). */
  readonly processTimeoutMs: number;
  /** How long an event may be deferred in all before it is a dead letter. */
  readonly deferLimitMs: number;
  /** Ingest gives up on all its dependencies together after this. */
  readonly ingestBudgetMs: number;
  /** Of which the table writes may use this much; the note of the hour at most half of it. */
  readonly recordBudgetMs: number;
  /** First look of the sweeper at a new event. */
  readonly firstWatchMs: number;
  /** The same for an event that was just replayed. */
  readonly replayWatchMs: number;
  /** How long after an event's next step was due the sweeper sends it again. */
  readonly overdueMs: number;
  /** First wait after a re-send; doubles up to `resendCapMs`. */
  readonly resendWaitMs: number;
  readonly resendCapMs: number;
  readonly resendLimit: number;
  /** Waits longer than this are parked instead of delayed in the queue (at most 900,000: SQS). */
  readonly parkAboveMs: number;
  /** Kept free at the end of an invocation to record outcomes. */
  readonly deadlineReserveMs: number;
  readonly leaseGraceMs: number;
  /** Watch set by a death until its DLQ message is sent. */
  readonly deathWatchMs: number;
  /** A message this old that never became a record is copied to the DLQ. */
  readonly messageMaxAgeMs: number;
  readonly pauseCacheMs: number;
  /**
   * A source without a success for this long may have a wrong secret; longer where its events are far apart. A handler
   * that failed for this long without one is told.
   */
  readonly refusedQuietMs: number;
  /** At most this, however far apart they are. */
  readonly refusedQuietCapMs: number;
}

/** Production values, from docs/understand/how-receiving-works.md. */
export const DEFAULT_TIMINGS: Timings = {
  ingestBudgetMs: 3_000,
  recordBudgetMs: 1_800,
  firstWatchMs: 2 * MINUTE_MS,
  replayWatchMs: 30_000,
  overdueMs: 10 * MINUTE_MS,
  resendWaitMs: 15 * MINUTE_MS,
  resendCapMs: 6 * HOUR_MS,
  resendLimit: 24,
  parkAboveMs: 15 * MINUTE_MS,
  processTimeoutMs: 30_000,
  deadlineReserveMs: 2_000,
  leaseGraceMs: 5_000,
  deathWatchMs: 2 * MINUTE_MS,
  messageMaxAgeMs: 3 * DAY_MS,
  deferLimitMs: 7 * DAY_MS,
  pauseCacheMs: 5_000,
  refusedQuietMs: 10 * MINUTE_MS,
  refusedQuietCapMs: 3 * HOUR_MS,
};
