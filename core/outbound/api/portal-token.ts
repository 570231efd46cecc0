/**
 * The token of a customer: claims and an HMAC over them, `hfp_<claims>.<mac>`. It is good for one application, for hours,
 * and until it is revoked: alone, by its id, which the application's item names for a day; or with all of the application:
 * `rev` must be the stamp that its item holds now, so no clock decides that. It is never an AWS credential.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { Crypto } from '#core/ports.ts';
import { fromBase64, textOf, toBase64, utf8 } from '#core/scan/bytes.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { HOUR_MS } from '#core/time.ts';

/** What a token may allow; `read` is in every one. */
export const CAPABILITIES = ['read', 'read_bodies', 'manage', 'secrets', 'test', 'replay', 'ack'] as const;
export type Capability = (typeof CAPABILITIES)[number];
export const READ_ONLY: readonly Capability[] = ['read', 'read_bodies'];

export interface PortalClaims {
  readonly v: 1;
  /** Its id, by which it alone is revoked; absent: made by an older version. */
  readonly jti?: string;
  readonly env: string;
  readonly app: AppId;
  readonly caps: readonly Capability[];
  /** Who, in the producer's own words. */
  readonly sub?: string;
  /** `tokensRevokedAt` of the application when the token was made; 0: never revoked. */
  readonly rev: EpochMs;
  readonly iat: EpochMs;
  readonly exp: EpochMs;
}

/** Of the id by which a token is revoked, never the token itself. */
export const isTokenId = (text: string): boolean => /^tok_[0-9a-f]{32}$/.test(text);

const PREFIX = 'hfp_';
const LONGEST = 2_048;
/** Of clocks that differ. */
const SLACK_MS = 30_000;

export interface TokenPorts {
  readonly crypto: Pick<Crypto, 'hmac' | 'equal'>;
  /** The newest first; the others verify what they signed before. */
  readonly portalKeys: readonly Uint8Array[];
}

/** Signed with the newest key. Throws RangeError where there is none. */
export function mintToken({ crypto, portalKeys: [key] }: TokenPorts, claims: PortalClaims): string {
  if (key === undefined) throw new RangeError('there is no key for portal tokens');
  const payload = toBase64(utf8(JSON.stringify(claims)), 'base64url');
  return `${PREFIX}${payload}.${toBase64(crypto.hmac('sha256', key, utf8(payload)), 'base64url')}`;
}

export type TokenVerdict =
  | { readonly kind: 'claims'; readonly claims: PortalClaims }
  | { readonly kind: 'refused'; readonly cause: 'token_missing' | 'token_invalid' | 'token_expired' };

/** `authorization`: the header as it came. Whether it was revoked, the application says. */
export function readToken(
  { crypto, portalKeys }: TokenPorts,
  authorization: string | undefined,
  { environment, now }: { readonly environment: string; readonly now: EpochMs },
): TokenVerdict {
  const refused = (cause: 'token_missing' | 'token_invalid' | 'token_expired'): TokenVerdict => ({
    kind: 'refused',
    cause,
  });
  if (authorization === undefined || authorization === '') return refused('token_missing');
  if (authorization.length > LONGEST) return refused('token_invalid');
  const [, payload = '', mac = ''] = /^Bearer hfp_([\w-]+)\.([\w-]+)$/i.exec(authorization) ?? [];
  const given = fromBase64(mac, 'base64url');
  if (payload === '' || given === undefined) return refused('token_invalid');
  // Every key is tried, so that the time tells nothing about which one it was.
  const good = portalKeys.map(key => crypto.equal(crypto.hmac('sha256', key, utf8(payload)), given));
  if (!good.includes(true)) return refused('token_invalid');
  const claims = claimsOf(payload);
  if (claims === undefined || claims.env !== environment) return refused('token_invalid');
  return claims.exp + SLACK_MS < now ? refused('token_expired') : { kind: 'claims', claims };
}

/** We signed it, but maybe with another version. */
function claimsOf(payload: string): PortalClaims | undefined {
  const claims = decodeJsonObject(textOf(fromBase64(payload, 'base64url') ?? new Uint8Array()) ?? '');
  const { v, app, caps, rev, exp } = claims ?? {};
  const whole = v === 1 && typeof app === 'string' && typeof rev === 'number' && typeof exp === 'number';
  return whole && Array.isArray(caps) ? (claims as unknown as PortalClaims) : undefined;
}

/** Longer than any token is good. */
const REVOKED_KEPT_MS = 25 * HOUR_MS;
/** The application is read with every message: its item stays small. */
export const MOST_REVOKED = 50;

const revokedOf = (stored: string | undefined, now: EpochMs): readonly (readonly [id: string, until: number])[] =>
  (stored ?? '')
    .split(',')
    .map(each => [each.split(':')[0] ?? '', Number(each.split(':')[1])] as const)
    .filter(([, until]) => until > now);

export const isRevoked = (stored: string | undefined, { jti }: PortalClaims, now: EpochMs): boolean =>
  jti !== undefined && revokedOf(stored, now).some(([id]) => id === jti);

/** With one more, without those that are over; undefined: there are too many. */
export function withRevoked(stored: string | undefined, id: string, now: EpochMs): string | undefined {
  const others = revokedOf(stored, now).filter(([each]) => each !== id);
  if (others.length >= MOST_REVOKED) return undefined;
  return [...others, [id, now + REVOKED_KEPT_MS]].map(each => each.join(':')).join(',');
}
