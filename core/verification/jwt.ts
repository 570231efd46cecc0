/**
 * JSON Web Tokens in compact form (RFC 7515, 7519). The algorithm is the one the spec pins: what the token says about it
 * is only compared, so that `none` or a public key used as an HMAC secret gets nowhere.
 */
import type { Scheme } from '#core/provider/provider-spec.ts';
import { fromBase64, textOf, utf8 } from '#core/scan/bytes.ts';
import { claimText, claimValue, type RequestReader } from './request-reader.ts';
import { type Refused, refused } from './verdict.ts';

/** Tokens in headers are bounded by the header; one that is the body brings certificates and tokens of its own. */
const MAX_TOKEN_LENGTH = 262_144;

export interface DecodedJwt {
  readonly kind: 'jwt';
  readonly kid: string | undefined;
  /** Certificates the token brings, base64 of DER, the signer's first; nothing is trusted yet. */
  readonly x5c: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Splits and decodes a token; nothing is trusted yet. */
export function decodeJwt(token: string, alg: NonNullable<Scheme['jwtAlg']>): DecodedJwt | Refused {
  if (token.length > MAX_TOKEN_LENGTH) return refused('malformed', 'token_too_long');
  const [head = '', payload = '', tail = '', ...more] = token.split('.');
  const header = decodePart(head);
  const claims = decodePart(payload);
  const signature = fromBase64(tail, 'base64url');
  // RFC 7515, 2: no padding.
  if (!header || !claims || !signature || tail === '' || more.length > 0 || token.includes('='))
    return refused('malformed', 'not_a_jwt');
  if (header['alg'] !== alg) return refused('malformed', 'other_jwt_algorithm');
  // RFC 7515, 4.1.11: an extension that is not understood must be refused.
  if (Object.hasOwn(header, 'crit')) return refused('malformed', 'jwt_extension');
  const { kid, x5c } = header;
  return {
    kind: 'jwt',
    kid: typeof kid === 'string' ? kid : undefined,
    x5c: Array.isArray(x5c) && x5c.every(it => typeof it === 'string') ? x5c : [],
    claims,
    signed: utf8(`${head}.${payload}`),
    signature,
  };
}

function decodePart(part: string): Record<string, unknown> | undefined {
  const bytes = fromBase64(part, 'base64url');
  const text = bytes && textOf(bytes);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const DEFAULT_LEEWAY_SECONDS = 30;

/** Expiry, not-before, age. A token must be limited in time by `exp`, or by `iat` and the scheme's greatest age. */
export function checkJwtTimes(
  claims: Readonly<Record<string, unknown>>,
  scheme: Scheme,
  nowMs: number,
): Refused | undefined {
  const leewayMs = (scheme.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS) * 1_000;
  const [exp, nbf, iat] = ['exp', 'nbf', 'iat'].map(name => numberClaim(claims, name));
  for (const time of [exp, nbf, iat])
    if (time !== undefined && Number.isNaN(time)) return refused('malformed', 'claim');
  const maxAge = scheme.maxAgeSeconds;
  if (!scheme.timeless && exp === undefined && (iat === undefined || maxAge === undefined))
    return refused('malformed', 'token_never_ends');
  if (exp !== undefined && nowMs > exp + leewayMs) return refused('stale', 'exp');
  if (maxAge !== undefined && iat === undefined) return refused('malformed', 'claim_iat');
  if (maxAge !== undefined && iat !== undefined && nowMs > iat + maxAge * 1_000) return refused('stale', 'iat');
  if (nbf !== undefined && nowMs < nbf - leewayMs) return refused('future', 'nbf');
  if (iat !== undefined && nowMs < iat - leewayMs) return refused('future', 'iat');
  return undefined;
}

/** Milliseconds of a time claim; NaN when it is not a time. */
function numberClaim(claims: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (value === undefined) return undefined;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value * 1_000 : Number.NaN;
}

export type ExpectedClaim = readonly [name: string, value: string | undefined];

/** What the spec demands, with the source's settings filled in; undefined where a setting is missing. */
export function expectedClaims(scheme: Scheme, reader: RequestReader): ExpectedClaim[] {
  return Object.entries(scheme.claims ?? {}).map(([name, wanted]) => {
    if (wanted === 'url') return [name, reader.bareUrl()];
    return [name, wanted.startsWith('config:') ? reader.text(wanted) : wanted];
  });
}

/** The same demands on a signed JSON body: a provider that signs for all its customers with one key. */
export function checkBodyClaims(scheme: Scheme, reader: RequestReader): Refused | undefined {
  for (const [path, wanted] of expectedClaims(scheme, reader)) {
    if (wanted === undefined || wanted === '') return refused('no_key', 'setting_not_configured');
    if (reader.text(`json:${path}`) !== wanted) return refused('binding', `claim_${path}`);
  }
  return undefined;
}

/** The claims a scheme requires. An array (as `aud` may be) must contain the value. */
export function checkClaims(
  claims: Readonly<Record<string, unknown>>,
  expected: readonly ExpectedClaim[],
): Refused | undefined {
  for (const [name, value] of expected) {
    if (value === undefined || value === '') return refused('no_key', 'setting_not_configured');
    const found = claimValue(claims, name);
    const holds = Array.isArray(found) ? found.includes(value) : claimText(claims, name) === value;
    if (!holds) return refused('binding', `claim_${name}`);
  }
  return undefined;
}
