/** Signatures by public keys: the part of the Crypto port that most sources never need (node-crypto.ts loads it). */
import { createPublicKey, type JsonWebKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { Jwk } from '#core/ports.ts';
import { rememberedKey } from './remembered-keys.ts';

export { verifyChain } from './verify-chain.ts';

/** Smaller RSA keys are refused: they can be factored (NIST SP 800-131A disallows them). */
const MIN_RSA_BITS = 2_048;

function fromJwk(jwk: Jwk): KeyObject {
  return rememberedKey(`jwk:${JSON.stringify(jwk)}`, () => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
}

function fromSpki(der: Uint8Array): KeyObject {
  return rememberedKey(`spki:${Buffer.from(der).toString('base64')}`, () =>
    createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }),
  );
}

function isJwk(key: Uint8Array | string | Jwk): key is Jwk {
  return typeof key === 'object' && !(key instanceof Uint8Array);
}

function attempt(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  return attempt(() => {
    const x = Buffer.from(publicKey).toString('base64url');
    return verify(null, message, fromJwk({ kty: 'OKP', crv: 'Ed25519', x }), signature);
  });
}

export function verifyEcdsaP256(
  key: Uint8Array | Jwk,
  message: Uint8Array,
  signature: Uint8Array,
  format: 'der' | 'p1363',
): boolean {
  return attempt(() => {
    const publicKey = isJwk(key) ? fromJwk(key) : fromSpki(key);
    if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
    const dsaEncoding = format === 'der' ? 'der' : 'ieee-p1363';
    return verify('sha256', message, { key: publicKey, dsaEncoding }, signature);
  });
}

export function verifyRsa(
  algorithm: 'sha1' | 'sha256',
  key: Uint8Array | string | Jwk,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  return attempt(() => {
    const publicKey = rsaKey(key);
    if (publicKey.asymmetricKeyType !== 'rsa') return false;
    if ((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) return false;
    return verify(algorithm, message, publicKey, signature);
  });
}

function rsaKey(key: Uint8Array | string | Jwk): KeyObject {
  if (typeof key === 'string') return rememberedKey(`pem:${key}`, () => new X509Certificate(key).publicKey);
  return isJwk(key) ? fromJwk(key) : fromSpki(key);
}
