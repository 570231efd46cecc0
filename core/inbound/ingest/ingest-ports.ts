/** What ingest needs. */

import type { EventStore, InboundPorts, PayloadStore } from '#core/inbound/ports.ts';
import type { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import type { WriteRules } from '#core/inbound/protocol/event-writes.ts';
import type { Addresses, Http, KeyFetcher, Secrets } from '#core/ports.ts';
import type { RefusedSlots } from './refused-slots.ts';

export interface IngestPorts
  extends Pick<InboundPorts, 'blobs' | 'queue' | 'crypto' | 'codec' | 'clock' | 'ids' | 'timer' | 'telemetry'> {
  readonly store: Pick<EventStore, 'insert' | 'update' | 'note'>;
  readonly payloads: Pick<PayloadStore, 'putBody' | 'putRefused'>;
  readonly refused: RefusedSlots;
  /** Absent: what a person should hear of is counted and logged only. */
  readonly concerns?: Pick<ConcernBoard, 'note'>;
  readonly secrets: Secrets;
  readonly keys?: KeyFetcher;
  /** Needed by sources whose handshake is confirmed by a call (SNS). */
  readonly http?: Http;
  readonly addresses: Addresses;
}

export interface IngestRules extends WriteRules {
  readonly inlineLimitBytes: number;
  /** A first arrival has a line at the level info, too. */
  readonly logArrivals?: true;
}
