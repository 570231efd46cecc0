/** What the sweeper needs: effects, and what it has to know of the configuration. */
import type { SourceId } from '#core/glossary.ts';
import type { InboundPorts, PayloadStore } from '#core/inbound/ports.ts';
import type { WriteRules } from '#core/inbound/protocol/event-writes.ts';
import type { Shards } from '#core/inbound/protocol/spread.ts';

export interface SweepPorts
  extends Pick<
    InboundPorts,
    'queue' | 'clock' | 'ids' | 'timer' | 'telemetry' | 'store' | 'control' | 'dead' | 'gauge'
  > {
  readonly payloads: Pick<PayloadStore, 'raiseBody' | 'putDetail' | 'listRefused'>;
}

export interface SweepRules extends WriteRules {
  readonly sourceIds: readonly SourceId[];
  /** Sources that report a zero every minute: to what CloudWatch learns, no datapoint is not silence. @default none */
  readonly reportSilence?: readonly SourceId[];
  /** Sources that are spread over several keys. @default none */
  readonly shards?: Shards;
  readonly sendsPerSecond: number;
  /** Seconds a message stays in the DLQ. */
  readonly deadQueueRetentionSeconds: number;
}
