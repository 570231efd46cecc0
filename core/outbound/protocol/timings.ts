/**
 * Numbers that must fit together. They are constants of the protocol, no keys of the configuration; a test compares those
 * that the template repeats. Emulated environments use shorter ones.
 */
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { AppLimits } from './items.ts';

export interface OutboundTimings {
  /** Of a lease; at least the largest deadline + 25 s. */
  readonly leaseMs: number;
  /** A request begins only if lease and invocation both have its deadline and this much left. */
  readonly marginMs: number;
  /** Of one drain invocation. */
  readonly drainTimeoutMs: number;
  /** A session takes nothing new after this. */
  readonly sessionMs: number;
  /** Of both wake queues: at least drain timeout + lease + 10 s, or a dead session's wake-up meets its own lease. */
  readonly wakeVisibilityMs: number;
  /** Of one fan-out invocation; a walk over all applications hands itself on long before. */
  readonly fanOutTimeoutMs: number;
  /** Of the jobs queue: above the timeout of its function, or two run the same job; short, because what it hides waits. */
  readonly jobsVisibilityMs: number;
  /** A wake-up given back is hidden this long: at least the lease + 5 s. */
  readonly giveBackMs: number;
  /** Owner and gate are read again before every page, and after this. */
  readonly lookMs: number;
  /** While requests are in the air and nothing is due, the rows are queried again after this. */
  readonly pollMs: number;
  /** Row pointers of one page. */
  readonly pageRows: number;
  /** Slack for due times and holds: hosts' clocks differ. */
  readonly slackMs: number;
  /** A wait up to this long also gets a delayed wake-up; longer ones are tend's, in the minute before. */
  readonly delayedWakeUpMs: number;
  /** A session whose process died this often in a row sends nothing for `crashHoldMs`. */
  readonly crashLimit: number;
  readonly crashHoldMs: number;
}

export const OUTBOUND_TIMINGS: OutboundTimings = {
  leaseMs: 60_000,
  marginMs: 5_000,
  drainTimeoutMs: 90_000,
  sessionMs: 45_000,
  wakeVisibilityMs: 180_000,
  fanOutTimeoutMs: 20_000,
  jobsVisibilityMs: 50_000,
  giveBackMs: 70_000,
  lookMs: 2_000,
  pollMs: 200,
  pageRows: 50,
  slackMs: 2_000,
  delayedWakeUpMs: 120_000,
  crashLimit: 3,
  crashHoldMs: 15 * MINUTE_MS,
};

/** How long after the retention an item still lies there, so that nobody meets a half-deleted delivery. */
export const GRACE_MS = 7 * DAY_MS;
/** How long a note of rows is kept: the endpoint check goes by no older ones (`ROW_NOTES_COUNT_MS`). */
export const ROW_NOTE_MS = 3 * DAY_MS;
export const ROW_NOTES_COUNT_MS = 2 * DAY_MS;
/** How long after the retention a row still lies there: its end is written by a session long before. */
const ROW_GRACE_MS = 30 * DAY_MS;

/** What an application's own retention adds to its rows and deliveries; empty: the environment's is as short. */
export interface Kept {
  readonly keepMs?: number;
}
export function keptOf({ limits }: { readonly limits: AppLimits }, retentionMs: number): Kept {
  const keepMs = (limits.retentionDays ?? Number.POSITIVE_INFINITY) * DAY_MS;
  return keepMs < retentionMs ? { keepMs } : {};
}
/** The retention of one delivery, ms: its application's, never longer than the environment's. */
export const retentionOf = ({ keepMs = Number.POSITIVE_INFINITY }: Kept, retentionMs: number): number =>
  Math.min(keepMs, retentionMs);

/** Epoch SECONDS at which an item of a delivery may go: the message's time + retention + grace, never at once. */
export function deliveryExpiry(createdAt: number, now: number, retentionMs: number): number {
  return Math.floor(Math.max(createdAt + retentionMs + GRACE_MS, now + GRACE_MS) / 1000);
}
export function rowExpiry(now: number, retentionMs: number): number {
  return Math.floor((now + retentionMs + ROW_GRACE_MS) / 1000);
}
