/** What verification says. One cause per refusal for metrics and logs; the caller of the gateway sees one flat answer. */
import type { Strength } from '#core/provider/provider-spec.ts';

/**
 * `missing` no signature in the form this provider sends · `malformed` not of that form · `mismatch` the check failed ·
 * `stale`, `future` outside the time window (the signature was good) · `binding` a good signature over something else
 * (another body, audience, topic) · `no_key` no usable secret or setting · `key_fetch` the provider's key could not be
 * fetched · `key_unknown` the request names a place for its key that is not known and was not asked, or did not answer ·
 * `duplicate_header` a signature header twice, with different values.
 */
export type RefusalCause =
  | 'missing'
  | 'malformed'
  | 'mismatch'
  | 'stale'
  | 'future'
  | 'binding'
  | 'no_key'
  | 'key_fetch'
  | 'key_unknown'
  | 'duplicate_header';

export interface ItemVerdict {
  readonly path: string;
  readonly verified: boolean;
  readonly cause?: RefusalCause;
}

export type MatchedSecret = 'current' | 'previous' | 'fetched' | 'none';

export interface Verified {
  readonly kind: 'verified';
  /** Id of the scheme that verified; `none` for a provider without authentication. */
  readonly scheme: string;
  readonly strength: Strength;
  readonly matchedSecret: MatchedSecret;
  /** What was signed includes a time, and that was within its window: no old captured request. */
  readonly signedFresh?: true;
  /** Batches that are verified per item: one verdict each. */
  readonly items?: readonly ItemVerdict[];
}

/** One scheme's good answer: whose secret it was. */
export interface Matched {
  readonly kind: 'matched';
  readonly matchedSecret: MatchedSecret;
}

export interface Refused {
  readonly kind: 'refused';
  readonly cause: RefusalCause;
  /** A word for the log, never a secret, a MAC or text of the request. */
  readonly hint?: string;
}

export type Verdict = Verified | Refused;

export function refused(cause: RefusalCause, hint?: string): Refused {
  return hint === undefined ? { kind: 'refused', cause } : { kind: 'refused', cause, hint };
}

/** The further a check got, the more its cause explains. */
const CLOSENESS: Readonly<Record<RefusalCause, number>> = {
  missing: 0,
  no_key: 1,
  malformed: 2,
  duplicate_header: 2,
  key_unknown: 3,
  key_fetch: 3,
  mismatch: 4,
  binding: 5,
  future: 6,
  stale: 6,
};

/** Of two refusals the one that got further; the first when equal. */
export function closer(first: Refused | undefined, second: Refused): Refused {
  return first === undefined || CLOSENESS[second.cause] > CLOSENESS[first.cause] ? second : first;
}

/** What is checked with a key. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly signatures: readonly Uint8Array[];
  readonly time: string | undefined;
  readonly timeMs: number | undefined;
  readonly urls: readonly (string | undefined)[];
}

/** A message that a signature was found for, and whose secret that was. */
export interface Found extends Matched {
  readonly message: readonly Uint8Array[];
}
