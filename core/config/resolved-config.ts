/**
 * The configuration as the running code sees it: validated, defaults filled in, baked into the bundles at synth.
 * What a person writes (gateway.config.ts) is turned into this by core/config/.
 */

import type { SourceId } from '#core/glossary.ts';
import type { Shards } from '#core/inbound/protocol/spread.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import type { Route } from '#core/inbound/routing/target.ts';
import type { Place } from '#core/names.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import type { RetryProfile } from '#core/retry/backoff.ts';
import type { LogLevel, Passed } from './gateway-config.ts';
import type { ResolvedOutbound } from './outbound-config.ts';
import type { ResolvedReconcile } from './reconcile-config.ts';

export interface ResolvedSource extends Passed {
  readonly id: SourceId;
  readonly spec: ProviderSpec;
  /** Route, e.g. `/webhooks/stripe`; further routes of the same source (the `/webhook` alias) follow. */
  readonly paths: readonly string[];
  /** The URL the provider was given, without a query; needed by schemes that sign the URL. */
  readonly publicUrl?: string;
  /** `config:` values of the spec. */
  readonly settings: Readonly<Record<string, string>>;
  readonly maxBodyBytes: number;
  readonly retry: RetryProfile;
  /** Its silence is learned, so no event must be a datapoint as well: the sweeper reports a zero every minute. */
  readonly reportSilence?: true;
  /** Absent: the provider is not asked what it tried to deliver. */
  readonly reconcile?: ResolvedReconcile;
  /** Absent: none. */
  readonly routes?: readonly Route[];
}

export interface ResolvedConfig extends Place {
  readonly region: string;
  readonly sources: readonly ResolvedSource[];
  /** Sources whose events are spread over several keys of an index, for their `throttle`. Absent: none. */
  readonly shards?: Shards;
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
  readonly logLevel: LogLevel;
  /** Absent: a first arrival has no line at the level info. */
  readonly logArrivals?: true;
  /** Where spans and metrics go. Absent: nowhere. */
  readonly otlp?: { readonly endpoint: string };
  /** CloudFront is before the front door, and what becomes of requests beside it. Absent: nothing is. */
  readonly edge?: { readonly direct: 'accepted' | 'refused' };
  /** Absent: nothing is sent to customers. */
  readonly outbound?: ResolvedOutbound;
}
