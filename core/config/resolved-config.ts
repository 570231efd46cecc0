/**
 * The configuration as the running code sees it: validated, defaults filled in, baked into the bundles at synth.
 * What a person writes (gateway.config.ts) is turned into this by core/config/.
 */

import type { SourceId } from '#core/glossary.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import type { ResolvedReconcile } from './reconcile-config.ts';

/** Full jitter: `random(0, min(cap, base * 2^(attempt-1))) + 1 s`. */
export interface RetryProfile {
  readonly attempts: number;
  readonly baseSeconds: number;
  readonly capSeconds: number;
}

/** Where routed events go, by the service that takes them. */
export type TargetKind = 'event_bus' | 'queue' | 'topic' | 'function' | 'state_machine' | 'http';

export interface RouteTarget {
  readonly kind: TargetKind;
  /** The ARN, or the URL of an `http` target. */
  readonly address: string;
}

/** Events of one type (a final `*` matches any rest), sent to targets instead of to a handler. */
export interface Route {
  readonly type: string;
  readonly targets: readonly RouteTarget[];
}

export interface ResolvedSource {
  readonly id: SourceId;
  readonly spec: ProviderSpec;
  /** Route, e.g. `/webhooks/stripe`; further routes of the same source (the `/webhook` alias) follow. */
  readonly paths: readonly string[];
  /** The URL the provider was given, without a query; needed by schemes that sign the URL. */
  readonly publicUrl?: string;
  /** `config:` values of the spec. */
  readonly settings: Readonly<Record<string, string>>;
  /** What becomes of an event no handler is registered for. */
  readonly unhandled: 'ignore' | 'dead_letter';
  /** CIDR ranges; requests from elsewhere get 403. Absent: no list. */
  readonly allowList?: readonly string[];
  readonly maxBodyBytes: number;
  /** The event key is the body's hash: closes replay under a new unsigned id. */
  readonly dedupOnBody: boolean;
  /** Verify and count, never reject. */
  readonly dryRun: boolean;
  /** Keep refused requests for a short time, for diagnosis. */
  readonly quarantine: boolean;
  readonly retry: RetryProfile;
  /** Its silence is learned, so no event must be a datapoint as well: the sweeper reports a zero every minute. */
  readonly reportSilence?: true;
  /** Absent: a change of its payloads' structure is told. */
  readonly schemaDrift?: 'off';
  /** Absent: the provider is not asked what it tried to deliver. */
  readonly reconcile?: ResolvedReconcile;
  /** Absent: none. */
  readonly routes?: readonly Route[];
}

/** Every wait of the protocol, in milliseconds unless the name says otherwise. Shorter in `local`. */
export interface Timings {
  /** Ingest gives up on all its dependencies together after this. */
  readonly ingestBudgetMs: number;
  /** Of which the two table writes may use this much. */
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
  /** The process function's timeout. */
  readonly processTimeoutMs: number;
  /** Kept free at the end of an invocation to record outcomes. */
  readonly deadlineReserveMs: number;
  readonly leaseGraceMs: number;
  /** Watch set by a death until its DLQ message is sent. */
  readonly deathWatchMs: number;
  /** A message this old that never became a record is copied to the DLQ. */
  readonly messageMaxAgeMs: number;
  readonly deferLimitMs: number;
  readonly pauseCacheMs: number;
}

export interface ResolvedConfig {
  readonly environment: string;
  readonly region: string;
  readonly sources: readonly ResolvedSource[];
  /** The probe's own source, beside `sources`: its events are nobody's. Absent: no probe. */
  readonly probe?: ResolvedSource;
  readonly timings: Timings;
  /** Days a finished event is kept: the dedup window. At least 30. */
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
  /** Compressed bodies above this go to the blob store. */
  readonly inlineLimitBytes: number;
  readonly sweepSendsPerSecond: number;
  readonly replaysPerSecond: number;
  /** How long a message stays in the dead-letter queue. */
  readonly deadQueueRetentionSeconds: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** With what `ingest` and `process` call AWS: the small signed client (docs/decisions/0005), or the SDK's. */
  readonly awsClient: 'signed' | 'sdk';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Production values, from docs/protocol.md. */
export const DEFAULT_TIMINGS: Timings = {
  ingestBudgetMs: 3_000,
  recordBudgetMs: 1_800,
  firstWatchMs: 2 * MINUTE,
  replayWatchMs: 30_000,
  overdueMs: 10 * MINUTE,
  resendWaitMs: 15 * MINUTE,
  resendCapMs: 6 * HOUR,
  resendLimit: 24,
  parkAboveMs: 15 * MINUTE,
  processTimeoutMs: 30_000,
  deadlineReserveMs: 2_000,
  leaseGraceMs: 5_000,
  deathWatchMs: 2 * MINUTE,
  messageMaxAgeMs: 3 * DAY,
  deferLimitMs: 7 * DAY,
  pauseCacheMs: 5_000,
};

export const DEFAULT_RETRY: RetryProfile = { attempts: 15, baseSeconds: 2, capSeconds: 6 * 3600 };
