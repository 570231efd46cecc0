/**
 * The public keys that may have signed a request: pasted by the operator, or fetched from where the provider publishes
 * them. A fetched key's address is pinned by the spec: the request may say where its key is, never whose it is.
 */

import type { Crypto, Jwk } from '#core/ports.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { concatBytes, fromBase64 } from '#core/scan/bytes.ts';
import { UnknownKeyPlaceError } from '#core/unknown-key-place.ts';
import type { AsymmetricAlgorithm } from './check-signature.ts';
import { buildMessage } from './message.ts';
import type { RequestReader, Scope } from './request-reader.ts';
import { liveSecrets, parsePublicKey, publicKey } from './secret-keys.ts';
import { type Found, type MatchedSecret, type Prepared, type Refused, refused } from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';

export interface PublicKeys {
  readonly kind: 'keys';
  readonly keys: readonly { readonly key: Uint8Array | string | Jwk; readonly matchedSecret: MatchedSecret }[];
}

/** Any of the keys with any of the signatures, over any spelling of the URL. */
export async function matchPublicKey(
  scheme: Scheme,
  alg: AsymmetricAlgorithm,
  prepared: Prepared,
  reader: RequestReader,
  scope: Scope,
  context: VerifyContext,
): Promise<Found | Refused> {
  const messages: (readonly Uint8Array[])[] = [];
  for (const url of prepared.urls) {
    const message = buildMessage(scheme, { reader, scope, time: prepared.time, url });
    if ('kind' in message) return message;
    messages.push(message);
  }
  const found = await findPublicKeys(scheme, reader, scope, context);
  if (found.kind === 'refused') return found;
  for (const { key, matchedSecret } of found.keys) {
    for (const message of messages) {
      for (const signature of prepared.signatures) {
        if (await verifyAsymmetric(alg, key, message, signature, context.crypto))
          return { kind: 'matched', matchedSecret, message };
      }
    }
  }
  return refused('mismatch');
}

export async function findPublicKeys(
  scheme: Scheme,
  reader: RequestReader,
  scope: Scope,
  context: VerifyContext,
  kid?: string,
): Promise<PublicKeys | Refused> {
  const { provider = 'static', from, hosts, paths } = scheme.key ?? {};
  // Only a token brings its certificates (verify-jwt.ts).
  if (provider === 'x5c') return refused('no_key', 'no_certificates');
  if (provider === 'static') return pastedKeys(scheme, context);
  if (provider === 'plaid') return plaidKey(reader, context, kid);
  const locator = provider === 'jwksUrl' ? configured(from, reader) : keyUrl(from ?? '', reader, scope);
  if (locator === undefined) {
    return provider === 'jwksUrl' ? refused('no_key', 'setting_not_configured') : refused('missing', 'no_key_url');
  }
  if (provider === 'x509Url' && !isPinnedUrl(locator, hosts, paths)) return refused('binding', 'key_url_not_allowed');
  return fetchOne(context, provider, locator, kid);
}

/** Signer, one issuer and the root are three; a few more are no attack, a hundred would be. */
const MAX_CHAIN = 6;

/** The key of a token's signer, whose certificates it brings: they must lead to a root that the spec pins. */
export async function chainKey(
  scheme: Scheme,
  x5c: readonly string[],
  { crypto, nowMs }: VerifyContext,
): Promise<PublicKeys | Refused> {
  const rules = scheme.key?.chain;
  if (rules === undefined) return refused('no_key', 'no_root_pinned');
  const chain = x5c.length > MAX_CHAIN ? [] : x5c.map(text => fromBase64(text));
  if (chain.length < 2 || !chain.every(it => it !== undefined)) return refused('malformed', 'certificates');
  const key = await crypto.verifyChain(chain, rules, nowMs);
  return key === undefined
    ? refused('mismatch', 'certificates_not_trusted')
    : { kind: 'keys', keys: [{ key, matchedSecret: 'none' }] };
}

function pastedKeys(scheme: Scheme, context: VerifyContext): PublicKeys | Refused {
  const keys = liveSecrets(context.secret, context.nowMs).flatMap(({ text, which }) => {
    const key = publicKey(scheme, text);
    return key === undefined ? [] : [{ key, matchedSecret: which }];
  });
  return keys.length === 0 ? refused('no_key', 'no_usable_public_key') : { kind: 'keys', keys };
}

/** A single source, or an address with sources in it: `https://keys.example.com{header:x-key-path}`. */
function keyUrl(from: string, reader: RequestReader, scope: Scope): string | undefined {
  if (!from.includes('{')) return reader.text(from, scope);
  let missing = false;
  const url = from.replace(/\{([^{}]+)\}/g, (_, src: string) => {
    const text = reader.text(src, scope);
    missing ||= text === undefined;
    return text ?? '';
  });
  return missing ? undefined : url;
}

function configured(from: string | undefined, reader: RequestReader): string | undefined {
  return from?.startsWith('config:') ? reader.text(from) : from;
}

/** An https URL without user, port, query or fragment, whose host and path fit the patterns as a whole. */
export function isPinnedUrl(url: string, hosts: string | undefined, paths: string | undefined): boolean {
  const match = /^https:\/\/([a-z0-9.-]+)(\/[A-Za-z0-9._~/-]*)$/.exec(url);
  if (!match || hosts === undefined || match[2]?.includes('..')) return false;
  return fits(match[1] ?? '', hosts) && (paths === undefined || fits(match[2] ?? '', paths));
}

function fits(text: string, pattern: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text);
}

const PLAID_HOSTS = new Map([
  ['production', 'https://production.plaid.com'],
  ['sandbox', 'https://sandbox.plaid.com'],
]);

/** Plaid gives its keys only to clients that name themselves: setting `clientId`, and the API secret as secret. */
async function plaidKey(
  reader: RequestReader,
  context: VerifyContext,
  kid: string | undefined,
): Promise<PublicKeys | Refused> {
  const host = PLAID_HOSTS.get(reader.text('config:environment') ?? 'production');
  const [secret] = liveSecrets(context.secret, context.nowMs);
  const clientId = reader.text('config:clientId');
  if (host === undefined || secret === undefined || clientId === undefined)
    return refused('no_key', 'plaid_credentials');
  if (kid === undefined || !/^[A-Za-z0-9._-]{1,200}$/.test(kid)) return refused('malformed', 'key_id');
  return fetchOne(context, 'plaid', host, kid, `${clientId}:${secret.text}`);
}

export async function fetchOne(
  context: VerifyContext,
  kind: 'x509Url' | 'jwksUrl' | 'plaid',
  locator: string,
  kid?: string,
  credential?: string,
): Promise<PublicKeys | Refused> {
  if (!context.keys) return refused('key_fetch', 'no_key_fetcher');
  try {
    const fetched = await context.keys.fetchKey(kind, locator, kid, credential);
    const key = typeof fetched === 'string' ? parsePublicKey(fetched, 'base64') : fetched;
    return key === undefined
      ? refused('no_key', 'unknown_key')
      : { kind: 'keys', keys: [{ key, matchedSecret: 'fetched' }] };
  } catch (error) {
    return refused(error instanceof UnknownKeyPlaceError ? 'key_unknown' : 'key_fetch');
  }
}

/** Whether a signature is by a public key. */
async function verifyAsymmetric(
  alg: AsymmetricAlgorithm,
  key: Uint8Array | string | Jwk,
  message: readonly Uint8Array[],
  signature: Uint8Array,
  crypto: Crypto,
): Promise<boolean> {
  const whole = concatBytes(message);
  switch (alg) {
    case 'ed25519':
      return key instanceof Uint8Array && crypto.verifyEd25519(key, whole, signature);
    case 'ecdsa-p256-sha256':
      return typeof key !== 'string' && crypto.verifyEcdsaP256(key, whole, signature, 'der');
    case 'rsa-sha1':
      return crypto.verifyRsa('sha1', key, whole, signature);
    case 'rsa-sha256':
      return crypto.verifyRsa('sha256', key, whole, signature);
  }
}
