/** What the drain asks of the outside, and the numbers it goes by. */
import type { EpochMs } from '#core/glossary.ts';
import type { OutboundPorts, Sealer } from '#core/outbound/ports.ts';
import type { OutboundTimings } from '#core/outbound/protocol/timings.ts';
import type { BodyPorts } from '#core/outbound/publish/message-body.ts';
import type { SignAttempt } from '#core/outbound/sign/attempt-to-sign.ts';
import type { DeadQueue, ReceiptBox } from '#core/ports.ts';
import type { DisableAt, OpensAt } from './schedule.ts';

/** `jobs`: for operational events, as a session may not write messages. */
export interface DrainPorts extends BodyPorts, Omit<OutboundPorts, 'blobs' | 'sealer' | 'wake'> {
  readonly sign: SignAttempt;
  readonly sealer: Pick<Sealer, 'open'>;
  /** Where a message that is no wake-up goes, whole. */
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
  /** The first hold, and the longest. */
  readonly hold: { readonly baseSeconds: number; readonly capSeconds: number };
  /** Failures among the last results that open the breaker. Absent: five in a row, or half of twenty. */
  readonly opensAt?: OpensAt | undefined;
  readonly autoDisableDays: number | false;
  /** Absent: no rate of failures disables. */
  readonly disableAt?: DisableAt | undefined;
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
