/** What the processor needs, and the words its steps hand to each other. */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import type { ShapeWatch } from '#core/inbound/drift/shape-watch.ts';
import type { EventStore, InboundPorts, PayloadStore, SearchStore, StepStore } from '#core/inbound/ports.ts';
import type { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import type { WriteRules } from '#core/inbound/protocol/event-writes.ts';
import type { Pauses } from '#core/inbound/protocol/pauses.ts';
import type { DeadQueue, ReceiptBox, StackReader } from '#core/ports.ts';
import type { Breaker } from '#core/retry/breaker.ts';

export interface ProcessPorts
  extends Pick<
    InboundPorts,
    'blobs' | 'queue' | 'crypto' | 'codec' | 'clock' | 'ids' | 'timer' | 'telemetry' | 'random'
  > {
  readonly store: Pick<EventStore, 'insert' | 'update' | 'note' | 'transact' | 'readItem'>;
  readonly payloads: PayloadStore & StepStore;
  readonly dead: Pick<DeadQueue, 'send'>;
  readonly receipts: ReceiptBox;
  readonly pauses: Pick<Pauses, 'isPaused'>;
  readonly breaker: Breaker;
  readonly handlers: HandlerRegistry;
  /** Absent: no source declares searchable fields. */
  readonly search?: Pick<SearchStore, 'put'>;
  /** Absent: nobody looks for changes of structure. */
  readonly shapes?: Pick<ShapeWatch, 'observe' | 'flush'>;
  /** Absent: what a person should hear of is counted and logged only. */
  readonly concerns?: Pick<ConcernBoard, 'note'>;
  /** Absent: errors are told without their place. */
  readonly stacks?: StackReader;
}

export interface ProcessRules extends WriteRules {
  readonly sources: ReadonlyMap<SourceId, ResolvedSource>;
  readonly inlineLimitBytes: number;
  /** Attempts are spans, which `otlp` sends. @default false */
  readonly recordsSpans?: boolean;
}

/** One message as the queue handed it over. */
export interface QueueRecord {
  readonly body: string;
  readonly receipt: string;
  /** Used for order, for waits while the table is down, and to save a claim; never for a decision about an event. */
  readonly receiveCount: number;
  readonly sentAt: EpochMs;
}

/** `ack`: delete the message. `return`: it comes back, at the latest when its visibility ends. */
export type Disposal = { readonly kind: 'ack' } | { readonly kind: 'return' };
export const ACK: Disposal = { kind: 'ack' };
export const RETURN: Disposal = { kind: 'return' };
/** A dependency did not do its part: the message is needed again (`waitOutside`). */
export type Refused = { readonly kind: 'refused' };
export const REFUSED: Refused = { kind: 'refused' };
