/** The Crypto port over node:crypto (OpenSSL). A malformed key or signature is a failed check, never an exception. */
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  type KeyObject,
  hash as oneShotHash,
  sign,
  timingSafeEqual,
  verify,
  X509Certificate,
} from 'node:crypto';
import type { Crypto, HashAlgorithm, Jwk } from '#core/ports.ts';

/** Smaller RSA keys are refused: they can be factored (NIST SP 800-131A disallows them). */
const MIN_RSA_BITS = 2_048;

function digest(algorithm: HashAlgorithm, parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return oneShotHash(algorithm, only, 'buffer');
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Parsing a key costs more than verifying with it, and a source has few. */
const parsedKeys = new Map<string, KeyObject>();

function remembered(name: string, parse: () => KeyObject): KeyObject {
  const known = parsedKeys.get(name);
  if (known) return known;
  const key = parse();
  if (parsedKeys.size >= 64) parsedKeys.clear();
  parsedKeys.set(name, key);
  return key;
}

function secretKey(key: Uint8Array): KeyObject {
  return remembered(`secret:${Buffer.from(key).toString('latin1')}`, () => createSecretKey(key));
}

function fromJwk(jwk: Jwk): KeyObject {
  return remembered(`jwk:${JSON.stringify(jwk)}`, () => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
}

function fromSpki(der: Uint8Array): KeyObject {
  return remembered(`spki:${Buffer.from(der).toString('base64')}`, () =>
    createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }),
  );
}

/** The bytes before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function fromSeed(seed: Uint8Array): KeyObject {
  if (seed.length !== 32) throw new RangeError(`an Ed25519 seed has 32 bytes, not ${seed.length}`);
  return remembered(`seed:${Buffer.from(seed).toString('latin1')}`, () =>
    createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' }),
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

export const nodeCrypto: Crypto = {
  hash: (algorithm, ...parts) => digest(algorithm, parts),

  hmac(algorithm, key, ...parts) {
    // A key object costs a quarter of what raw key bytes cost at each use, and as much as they to make.
    const hmac = createHmac(algorithm, key.length === 0 ? key : secretKey(key));
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  },

  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),

  verifyEd25519: (publicKey, message, signature) =>
    publicKey.length === 32 &&
    signature.length === 64 &&
    attempt(() => {
      const x = Buffer.from(publicKey).toString('base64url');
      return verify(null, message, fromJwk({ kty: 'OKP', crv: 'Ed25519', x }), signature);
    }),

  signEd25519: (seed, message) => sign(null, message, fromSeed(seed)),

  publicEd25519: seed => createPublicKey(fromSeed(seed)).export({ format: 'der', type: 'spki' }).subarray(-32),

  verifyEcdsaP256: (key, message, signature, format) =>
    attempt(() => {
      const publicKey = isJwk(key) ? fromJwk(key) : fromSpki(key);
      if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
      const dsaEncoding = format === 'der' ? 'der' : 'ieee-p1363';
      return verify('sha256', message, { key: publicKey, dsaEncoding }, signature);
    }),

  verifyRsa: (algorithm, key, message, signature) =>
    attempt(() => {
      const publicKey =
        typeof key === 'string'
          ? remembered(`pem:${key}`, () => new X509Certificate(key).publicKey)
          : isJwk(key)
            ? fromJwk(key)
            : fromSpki(key);
      if (publicKey.asymmetricKeyType !== 'rsa') return false;
      if ((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) return false;
      return verify(algorithm, message, publicKey, signature);
    }),

  // Read with the first token that brings certificates.
  verifyChain: async (...given) => (await import('./verify-chain.ts')).verifyChain(...given),
};
