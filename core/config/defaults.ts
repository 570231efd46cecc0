/** The defaults behind gateway.config.ts: the documented default is the executed default. */

import type { Timings } from '#core/inbound/protocol/timings.ts';
import type { RetryProfile } from '#core/retry/backoff.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { ResolvedQueue } from './deployment.ts';
import type { Throttle } from './throttle.ts';

/** Days that the bucket keeps a large body beyond the longest record that names it. */
export const BODY_EXTRA_DAYS = 7;
/** 200 to 290 requests a second must pass without a 429, which to a provider that never retries is a lost event. */
export const DEFAULT_THROTTLE: Throttle = { rate: 1_000, burst: 2_000 };
export const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Above this, base64 in the Lambda request would pass Lambda's 6 MB, and the front door refuses before us. */
export const BODY_BYTES_LIMIT = 4_400_000;

export const DEFAULT_RETENTION_DAYS = 30;
export const DEFAULT_DEAD_RETENTION_DAYS = 90;
export const DEFAULT_INLINE_LIMIT_BYTES = 64 * 1024;
export const DEFAULT_REPLAYS_PER_SECOND = 50;

export const DEFAULT_QUEUE: Omit<ResolvedQueue, 'visibilitySeconds'> = {
  maxReceiveCount: 1_000,
  retentionDays: 4,
  deadRetentionDays: 14,
  batchSize: 10,
  maxConcurrency: 20,
  batchingWindowSeconds: 0,
};

/** Laptop values: a lost message is found again, and a poison event is dead, within a minute. */
export const LOCAL_TIMINGS: Timings = {
  ingestBudgetMs: 3_000,
  recordBudgetMs: 1_800,
  firstWatchMs: 20_000,
  replayWatchMs: 10_000,
  overdueMs: 30_000,
  resendWaitMs: 20_000,
  resendCapMs: 2 * MINUTE_MS,
  resendLimit: 24,
  parkAboveMs: MINUTE_MS,
  processTimeoutMs: 10_000,
  deadlineReserveMs: 1_000,
  leaseGraceMs: 2_000,
  deathWatchMs: 20_000,
  messageMaxAgeMs: HOUR_MS,
  deferLimitMs: HOUR_MS,
  pauseCacheMs: 1_000,
  // The rule of production at thirty times its speed.
  refusedQuietMs: (10 * MINUTE_MS) / 30,
  refusedQuietCapMs: (3 * HOUR_MS) / 30,
};
export const LOCAL_RETRY: RetryProfile = { attempts: 5, baseSeconds: 1, capSeconds: 5 };
