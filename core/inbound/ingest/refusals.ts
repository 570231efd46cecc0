/**
 * Every refusal of the front door, by its cause: what the sender is answered, and what the operator reads. A cause that a
 * check or a count names and that is not here does not compile.
 */
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { methodsOf } from '#core/provider/spec-defaults.ts';
import type { RefusalCause } from '#core/verification/verdict.ts';

interface Answer {
  /** `spec`: status and body are the provider's own, where its spec has them. */
  readonly status: number | 'spec';
  /** For programs; docs/understand/how-receiving-works.md lists them. */
  readonly error: string;
  /** For people. Says nothing about a signature: the cause is a counter, not a hint for an attacker. */
  readonly message: string | ((source: ResolvedSource) => string);
  readonly headers?: (source: ResolvedSource) => Readonly<Record<string, string>>;
}

const SIGNATURE: Answer = {
  status: 'spec',
  error: 'invalid_signature',
  message: 'HMAC signature verification failed',
};
const IN_30_SECONDS = () => ({ 'retry-after': '30' });
/** Nothing durable happened, or the source is not ready: the provider should send it again. */
const later = (error: string): Answer => ({
  status: 503,
  error,
  message: 'The event was not accepted; send it again',
  headers: IN_30_SECONDS,
});

/** What the checks of a signature find, and what is found before and after them. */
export type Cause =
  | RefusalCause
  | 'item'
  | 'method'
  | 'forbidden_source'
  | 'too_large'
  | 'secret_not_set'
  | 'secret_unreadable'
  | 'handshake'
  | 'pairing'
  | 'not_paired'
  | 'confirm'
  | 'not_recorded'
  | 'not_through_edge'
  | 'unknown_source'
  | 'internal_error';

export const REFUSALS: Readonly<Record<Cause, Answer>> = {
  mismatch: SIGNATURE,
  missing: SIGNATURE,
  malformed: SIGNATURE,
  stale: SIGNATURE,
  future: SIGNATURE,
  binding: SIGNATURE,
  no_key: SIGNATURE,
  duplicate_header: SIGNATURE,
  item: SIGNATURE,
  handshake: SIGNATURE,
  key_fetch: later('key_unreachable'),
  // A key that nobody has used here yet, and no time to ask for it. No 5xx: anybody can bring it about, and 5xx wake people.
  key_unknown: {
    status: 429,
    error: 'key_not_known_yet',
    message: 'The key of this request could not be looked up now; send it again',
    headers: IN_30_SECONDS,
  },
  method: {
    status: 405,
    error: 'method_not_allowed',
    message: ({ spec }) => `Use ${methodsOf(spec).join(' or ')}`,
    headers: ({ spec }) => ({ allow: methodsOf(spec).join(', ') }),
  },
  forbidden_source: {
    status: 403,
    error: 'forbidden_source',
    message: 'The source address is not on the allow-list of this source',
  },
  too_large: {
    status: 413,
    error: 'body_too_large',
    message: ({ maxBodyBytes }) => `The body is larger than the ${maxBodyBytes} bytes this source accepts`,
  },
  secret_not_set: later('secret_not_set'),
  secret_unreadable: later('secret_unreadable'),
  pairing: { status: 403, error: 'pairing_closed', message: 'This source takes no secret now' },
  not_paired: later('not_paired'),
  confirm: later('not_confirmed'),
  not_recorded: later('not_recorded'),
  not_through_edge: {
    status: 403,
    error: 'not_through_edge',
    message: 'This address takes no webhooks; use the URL you were given',
  },
  unknown_source: { status: 404, error: 'unknown_source', message: 'No source is configured at this path' },
  internal_error: {
    status: 500,
    error: 'internal_error',
    message: 'The event was not accepted; send it again',
  },
};

/** What is likely wrong, as the operator reads it. A table of its own, so that the functions do not carry the sentences. */
export const LIKELY: Readonly<Record<Cause, string>> = {
  mismatch:
    'The secret here is not the one that the provider signs with, or something on the way changed the body; where others of this source pass, somebody forges.',
  missing: 'It has no signature: it is not from the provider, or something on the way removed the header.',
  malformed: 'Its signature does not have the form that this provider uses: it is from another provider, or forged.',
  stale:
    "It was signed too long ago: somebody sent a captured request again, it was delayed on the way, or the sender's clock is slow.",
  future: "It was signed in the future: the sender's clock is fast.",
  binding: 'The signature is good, but for another body, address or audience: the provider may know another URL.',
  no_key: 'No usable secret or setting is stored for this source.',
  key_fetch:
    'The published key of the provider could not be fetched: we answered 503, and the provider will send it again.',
  key_unknown: 'It names a key that no genuine request has named: it is forged, or the provider has a new key.',
  duplicate_header: 'It carries its signature header twice, with different values.',
  item: 'Some items of the batch did not verify: perhaps the secret was rotated. The provider keeps the batch.',
  method: 'The provider of this source does not use this HTTP method.',
  forbidden_source: 'Its address is not on the allow list of the source.',
  too_large: 'Its body is larger than the source accepts.',
  secret_not_set: 'No secret is stored for this source.',
  secret_unreadable: 'The secret could not be read: Secrets Manager did not answer, or the function may not read it.',
  handshake: 'A handshake of the provider brought a wrong token or signature, or a text that we do not sign.',
  pairing: 'It brought a secret, but no pairing window was open: `holdfast sources pair` opens one.',
  not_paired: 'It brought a secret that could not be stored: Secrets Manager did not answer. The provider asks again.',
  confirm: 'The subscription could not be confirmed: the address of the provider did not answer with success.',
  not_recorded:
    'Neither the table nor the queue took the event in time: we answered 503, and the provider sends it again.',
  not_through_edge: 'It came beside CloudFront, and the environment refuses such requests (`edge.direct`).',
  unknown_source: 'No source is configured at its path.',
  internal_error: 'A fault in the gateway: the logs of the ingest function say more.',
};

/** Whether a stored cause, perhaps of another version, is one of this table. */
export function isCause(cause: string): cause is Cause {
  return Object.hasOwn(REFUSALS, cause);
}
