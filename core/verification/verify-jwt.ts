/** Requests that prove themselves with a JSON Web Token: signature first, then what it is bound to, then its times. */
import type { Scheme } from '#core/provider/provider-spec.ts';
import { checkBindings } from './check-bindings.ts';
import { chainKey, findPublicKeys } from './find-public-keys.ts';
import { checkClaims, checkJwtTimes, type DecodedJwt, decodeJwt, expectedClaims } from './jwt.ts';
import { checkQueryHash } from './named/jira-connect.ts';
import type { Signatures } from './read-signatures.ts';
import type { RequestReader } from './request-reader.ts';
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
      ? chainKey(scheme, jwt.x5c, context)
      : await findPublicKeys(scheme, reader, { claims: jwt.claims }, context, jwt.kid);
  if (found.kind === 'refused') return found;
  for (const { key, matchedSecret } of found.keys) {
    const good =
      alg === 'ES256'
        ? typeof key !== 'string' && crypto.verifyEcdsaP256(key, jwt.signed, jwt.signature, 'p1363')
        : crypto.verifyRsa('sha256', key, jwt.signed, jwt.signature);
    if (good) return matched(matchedSecret);
  }
  return refused('mismatch');
}
