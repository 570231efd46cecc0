/** Requests that prove themselves with a JSON Web Token: signature first, then what it is bound to, then its times. */
import type { Scheme } from '#core/provider/provider-spec.ts';
import { checkBindings, type ExpectedClaim, expectedClaims } from './check-bindings.ts';
import { chainKey, findPublicKeys } from './find-public-keys.ts';
import { type DecodedJwt, decodeJwt } from './jwt.ts';
import { checkQueryHash } from './named/jira-connect.ts';
import type { Signatures } from './read-signatures.ts';
import { claimText, claimValue, type RequestReader } from './request-reader.ts';
import { liveSecrets, secretKey } from './secret-keys.ts';
import { type Matched, type MatchedSecret, type Refused, refused } from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';

export async function verifyJwt(
  scheme: Scheme,
  signatures: Signatures,
  reader: RequestReader,
  context: VerifyContext,
): Promise<Matched | Refused> {
  const { jwtAlg } = scheme;
  const [token] = signatures.values;
  if (jwtAlg === undefined || token === undefined) return refused('no_key', 'no_jwt_algorithm');
  const jwt = decodeJwt(token, jwtAlg);
  if (jwt.kind === 'refused') return jwt;
  const matched = await matchKey(scheme, jwtAlg, jwt, reader, context);
  if (matched.kind === 'refused') return matched;
  const { claims } = jwt;
  return (
    checkClaims(claims, expectedClaims(scheme, reader)) ??
    checkBindings(scheme, reader, { claims }, context) ??
    (scheme.code === 'jira-connect' ? checkQueryHash(claims, reader, context) : undefined) ??
    checkJwtTimes(claims, scheme, context.nowMs) ??
    matched
  );
}

async function matchKey(
  scheme: Scheme,
  alg: NonNullable<Scheme['jwtAlg']>,
  jwt: DecodedJwt,
  reader: RequestReader,
  context: VerifyContext,
): Promise<Matched | Refused> {
  const { crypto } = context;
  const matched = (matchedSecret: MatchedSecret): Matched => ({ kind: 'matched', matchedSecret });
  if (alg === 'HS256') {
    let refusal = refused('no_key', 'no_usable_secret');
    for (const secret of liveSecrets(context.secret, context.nowMs)) {
      const key = secretKey(scheme, secret.text, crypto);
      if (!key) continue;
      if (crypto.equal(jwt.signature, crypto.hmac('sha256', key, jwt.signed))) return matched(secret.which);
      refusal = refused('mismatch');
    }
    return refusal;
  }
  const found =
    scheme.key?.provider === 'x5c'
      ? await chainKey(scheme, jwt.x5c, context)
      : await findPublicKeys(scheme, reader, { claims: jwt.claims }, context, jwt.kid);
  if (found.kind === 'refused') return found;
  for (const { key, matchedSecret } of found.keys) {
    const good =
      alg === 'ES256'
        ? typeof key !== 'string' && (await crypto.verifyEcdsaP256(key, jwt.signed, jwt.signature, 'p1363'))
        : await crypto.verifyRsa('sha256', key, jwt.signed, jwt.signature);
    if (good) return matched(matchedSecret);
  }
  return refused('mismatch');
}

const DEFAULT_LEEWAY_SECONDS = 30;

/** Expiry, not-before, age. A token must be limited in time by `exp`, or by `iat` and the scheme's greatest age. */
function checkJwtTimes(claims: Readonly<Record<string, unknown>>, scheme: Scheme, nowMs: number): Refused | undefined {
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

/** The claims a scheme requires. An array (as `aud` may be) must contain the value. */
function checkClaims(
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
