/**
 * Headers of one attempt, signature among them. Signed by the engine that verifies inbound requests, from the same specs, so
 * that the two cannot drift apart: once for each key, the values joined where the form has room for several.
 */
import { given } from '#core/given.ts';
import { contentTypeOf, type SignatureProfile } from '#core/outbound/protocol/items.ts';
import { keyText, type SecretBytes, secretText } from '#core/outbound/protocol/secret-text.ts';
import type { SigningCrypto } from '#core/ports.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import type { AttemptToSign, LiveKey, SignAttempt } from './attempt-to-sign.ts';
import { signLike } from './sign-like.ts';
import { BESIDE, isKeyedByText, THEIR_HEADER } from './signature-form.ts';
import { hasRoomForOne } from './signing-keys.ts';

/** The specs that sign, by their own ids (providers/). */
export const SIGNING_SPECS = [
  'standard-webhooks',
  'standard-webhooks-v1a',
  'generic-timestamp-sha256',
  'generic-sha256-body',
  'generic-t-v1',
] as const;
type SpecId = (typeof SIGNING_SPECS)[number];

export interface SigningRules {
  readonly specs: Readonly<Record<SpecId, ProviderSpec>>;
  readonly crypto: Pick<SigningCrypto, 'hash' | 'hmac' | 'signEd25519' | 'publicEd25519'>;
  /** Of the informational headers, e.g. `x-webhook-`. */
  readonly headerPrefix: string;
  readonly userAgent: string;
}

/** The key id is that of the first key. Throws RangeError where there is none. */
export function attemptSigner(rules: SigningRules): SignAttempt {
  return attempt => {
    const [first] = attempt.keys;
    // The endpoint's own come first, so that none of them replaces one of ours.
    const own = Object.entries(attempt.endpoint.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const headers = {
      ...Object.fromEntries(own),
      ...asBefore(rules, attempt),
      ...plainHeaders(rules, attempt, first?.kid),
      ...signature(rules, attempt),
    };
    return { headers, ...(first === undefined ? {} : { kid: first.kid }) };
  };
}

/** Of the system that sent before, where the endpoint asks for it. */
function asBefore(rules: SigningRules, attempt: AttemptToSign): Readonly<Record<string, string>> {
  const { compatibility } = attempt.endpoint;
  if (compatibility === undefined) return {};
  const standard = { ...attempt, endpoint: { ...attempt.endpoint, signature: 'standard' as const } };
  return signLike(rules.crypto, attempt, compatibility, () => signature(rules, standard));
}

function plainHeaders(
  { headerPrefix, userAgent }: SigningRules,
  { id, message, n, endpoint }: AttemptToSign,
  kid: string | undefined,
): Record<string, string> {
  const { type, apiVersion, traceId, sequence } = message;
  return {
    'content-type': contentTypeOf(message),
    'webhook-id': id,
    [`${headerPrefix}event`]: type,
    [`${headerPrefix}attempt`]: String(n),
    ...(apiVersion === undefined ? {} : { [`${headerPrefix}version`]: apiVersion }),
    ...(sequence === undefined ? {} : { [`${headerPrefix}sequence`]: sequence }),
    ...(kid === undefined || endpoint.keyId === 'none' ? {} : { [`${headerPrefix}key-id`]: kid }),
    ...given({ traceparent: traceId }),
    'user-agent': userAgent,
    // Nothing is ever decompressed.
    'accept-encoding': 'identity',
    ...BESIDE[endpoint.signature]?.(type, id),
  };
}

function signature(rules: SigningRules, attempt: AttemptToSign): Record<string, string> {
  const { signature: profile, signatureHeader, keyId = 'signature' } = attempt.endpoint;
  const keys = hasRoomForOne(profile) ? attempt.keys.slice(0, 1) : attempt.keys;
  const signed = keys.map(key => signedBy(rules, attempt, key));
  const [first] = signed;
  if (!first) throw new RangeError('the endpoint has no key: nothing goes out unsigned');
  const values = signed.map(({ value }) => value);
  const name = (isKeyedByText(profile) ? signatureHeader : undefined) ?? first.name;
  return { ...first.time, [name]: JOIN[profile](values, keyId === 'signature' ? keys[0]?.kid : undefined) };
}

/** How one header holds the values of several keys. */
const JOIN: Readonly<Record<SignatureProfile, (values: readonly string[], kid: string | undefined) => string>> = {
  standard: values => values.join(' '),
  'standard-v1a': values => values.join(' '),
  'timestamp-sha256': ([value = ''], kid) => (kid === undefined ? value : `${value},keyId=${kid}`),
  'body-sha256': ([value = '']) => value,
  // One time, then a `v1` of each key.
  't-v1': ([value = '', ...more]) => [value, ...more.map(other => other.slice(other.indexOf(',') + 1))].join(','),
};

const SPEC_OF: Readonly<Record<Exclude<SignatureProfile, 'standard' | 'standard-v1a'>, SpecId>> = {
  'timestamp-sha256': 'generic-timestamp-sha256',
  'body-sha256': 'generic-sha256-body',
  't-v1': 'generic-t-v1',
};

function specId(profile: SignatureProfile, { alg }: SecretBytes): SpecId {
  if (profile !== 'standard' && profile !== 'standard-v1a') return SPEC_OF[profile];
  return alg === 'ed25519' ? 'standard-webhooks-v1a' : 'standard-webhooks';
}

const SIGNATURE_HEADERS = ['webhook-signature', THEIR_HEADER];

function signedBy(
  { specs, crypto }: SigningRules,
  { id, body, now, endpoint }: AttemptToSign,
  key: LiveKey,
): { readonly name: string; readonly value: string; readonly time: Record<string, string> } {
  const { headers } = signRequest(specs[specId(endpoint.signature, key)], {
    body,
    secret: isKeyedByText(endpoint.signature) ? keyText(key, crypto) : secretText(key, crypto),
    nowMs: now,
    headers: { 'webhook-id': id },
    crypto,
    sign: message => crypto.signEd25519(key.bytes, message),
  });
  const name = SIGNATURE_HEADERS.find(candidate => headers[candidate] !== undefined) ?? '';
  const time = headers['webhook-timestamp'];
  return { name, value: headers[name] ?? '', time: time === undefined ? {} : { 'webhook-timestamp': time } };
}
