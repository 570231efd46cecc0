/** What ingest needs. */

import type { EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import type { WriteRules } from '#core/inbound/protocol/event-writes.ts';
import type {
  Addresses,
  BlobStore,
  Clock,
  Codec,
  Crypto,
  Http,
  Ids,
  KeyFetcher,
  Secrets,
  Telemetry,
  Timer,
  WorkQueue,
} from '#core/ports.ts';
import type { RefusedSlots } from './refused-slots.ts';

export interface IngestPorts {
  readonly store: Pick<EventStore, 'insert' | 'update' | 'note'>;
  readonly payloads: Pick<PayloadStore, 'putBody' | 'putRefused'>;
  readonly refused: RefusedSlots;
  /** Absent: what a person should hear of is counted and logged only. */
  readonly concerns?: Pick<ConcernBoard, 'note'>;
  readonly blobs: BlobStore;
  readonly queue: WorkQueue;
  readonly secrets: Secrets;
  readonly keys?: KeyFetcher;
  /** Needed by sources whose handshake is confirmed by a call (SNS). */
  readonly http?: Http;
  readonly crypto: Crypto;
  readonly codec: Codec;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
}

export interface IngestRules extends WriteRules {
  readonly inlineLimitBytes: number;
  /** A first arrival has a line at the level info, too. */
  readonly logArrivals?: true;
}
