/**
 * JSON Web Tokens in compact form (RFC 7515, 7519). The algorithm is the one the spec pins: what the token says about it
 * is only compared, so that `none` or a public key used as an HMAC secret gets nowhere.
 */
import type { Scheme } from '#core/provider/provider-spec.ts';
import { fromBase64, textOf, utf8 } from '#core/scan/bytes.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
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
  return text === undefined ? undefined : decodeJsonObject(text);
}
