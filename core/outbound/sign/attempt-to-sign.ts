/** What a signer gets, and what it answers. */
import type { EpochMs } from '#core/glossary.ts';
import type { EndpointItem, MessageItem } from '#core/outbound/protocol/items.ts';
import type { SecretBytes } from '#core/outbound/protocol/secret-text.ts';

/** A secret that signs now, opened. */
export interface LiveKey extends SecretBytes {
  readonly kid: string;
}
/** One request, before it is signed. */
export interface AttemptToSign {
  /** `webhook-id`: the same for every attempt, endpoint and replay. */
  readonly id: string;
  readonly endpoint: Pick<EndpointItem, 'signature' | 'signatureHeader' | 'keyId' | 'compatibility' | 'headers'>;
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
