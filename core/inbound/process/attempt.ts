/** One run of a handler: what it is of, and how it ended. */
import type { EpochMs } from '#core/glossary.ts';
import type { Outcome } from '#core/handler/handler-contract.ts';
import type { EventIn } from '#core/inbound/protocol/event-item.ts';
import type { EffectWrite } from '#core/ports.ts';
import type { RetryProfile } from '#core/retry/backoff.ts';
import type { AttemptTrace } from './attempt-trace.ts';

export interface Attempt {
  readonly item: EventIn<'processing'>;
  readonly claimId: string;
  readonly startedAt: EpochMs;
  readonly retry: RetryProfile;
  readonly trace?: AttemptTrace | undefined;
  /** The handler's breaker is open: what fails now has failed for everybody. */
  readonly breaker?: { readonly name: string; readonly backAt: EpochMs } | undefined;
}

/** How one attempt ended, in one word for the record. */
export type AttemptEnd =
  | {
      readonly kind: 'outcome';
      readonly outcome: Outcome;
      readonly effects: readonly EffectWrite[];
      /** Of each of the effects: what becomes of the event if its condition does not hold. */
      readonly onRefused?: readonly (Outcome | undefined)[];
    }
  | { readonly kind: 'ignored'; readonly reason: string }
  | ({ readonly kind: 'failed' | 'permanent'; readonly cause: string; readonly message: string } & Thrown)
  /** Not the handler's fault: tried again without spending the attempt. */
  | { readonly kind: 'unready'; readonly cause: string; readonly message: string; readonly splitNext?: string };

interface Thrown {
  /** Where an error was thrown, from the throw upwards: for the log. */
  readonly frames?: readonly string[];
}
