/** What the drain asks of the outside, and the numbers it goes by. */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, JobQueue, Sealer, WakeQueue, WebhookSender } from '#core/outbound/ports.ts';
import type { EndpointItem, MessageItem } from '#core/outbound/protocol/items.ts';
import type { OutboundTimings } from '#core/outbound/protocol/timings.ts';
import type { BodyPorts } from '#core/outbound/publish/message-body.ts';
import type { Clock, Crypto, DeadQueue, Ids, Random, ReceiptBox, Telemetry, Timer } from '#core/ports.ts';

/** A secret that signs now, opened. */
export interface LiveKey {
  readonly kid: string;
  readonly alg: 'sha256' | 'ed25519';
  readonly bytes: Uint8Array;
}
/** One request, before it is signed. */
export interface AttemptToSign {
  /** `webhook-id`: the same for every attempt, endpoint and replay. */
  readonly id: string;
  readonly endpoint: Pick<EndpointItem, 'signature' | 'compatibility' | 'headers'>;
  /** Newest first; the first is the one that a form with room for one signature uses. */
  readonly keys: readonly LiveKey[];
  readonly message: Pick<MessageItem, 'type' | 'apiVersion' | 'contentType' | 'traceId' | 'sequence'>;
  /** Exactly the bytes that are sent. */
  readonly body: Uint8Array;
  /** The attempt, from 1. */
  readonly n: number;
  readonly now: EpochMs;
}
export type SignAttempt = (attempt: AttemptToSign) => {
  readonly headers: Readonly<Record<string, string>>;
  readonly kid?: string;
};

export interface DrainPorts extends BodyPorts {
  readonly store: ItemStore;
  /** wake-slow: what is passed on, and what is looked at again soon. */
  readonly slow: WakeQueue;
  /** For operational events: a session may not write messages. */
  readonly jobs: JobQueue;
  readonly sender: WebhookSender;
  readonly sign: SignAttempt;
  readonly sealer: Sealer;
  readonly crypto: Pick<Crypto, 'hash'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
  /** Where a message that is no token goes, whole. */
  readonly dead: Pick<DeadQueue, 'send'>;
  readonly receipts: ReceiptBox;
}

export interface DrainRules {
  /** Which of the two functions this is. */
  readonly lane: 'fast' | 'slow';
  readonly timings: OutboundTimings;
  readonly retentionMs: number;
  /** The environment's waits after failures, seconds. */
  readonly waits: readonly number[];
  readonly probe: { readonly baseSeconds: number; readonly capSeconds: number };
  readonly autoDisableDays: number | false;
  readonly attemptLog: 'failures' | 'all';
}

/** One run of the function. Sessions of one batch share it. */
export interface Invocation {
  readonly startedAt: EpochMs;
  /** When the process is stopped. */
  readonly deadline: EpochMs;
  /** Bytes of bodies in hand, of all sessions. */
  readonly held: { bytes: number };
}
