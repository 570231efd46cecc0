/**
 * The Crypto port over node:crypto (OpenSSL). A malformed key or signature is a failed check, never an exception. Most
 * sources sign with a secret, so public keys are a file of their own, read with the first request that needs them.
 */
import { createHash, createHmac, createSecretKey, hash as oneShotHash, timingSafeEqual } from 'node:crypto';
import type { Crypto, HashAlgorithm } from '#core/ports.ts';
import { rememberedKey } from './remembered-keys.ts';

const publicKeys = () => import('./public-keys.ts');

function digest(algorithm: HashAlgorithm, parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return oneShotHash(algorithm, only, 'buffer');
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export const nodeCrypto: Crypto = {
  hash: (algorithm, ...parts) => digest(algorithm, parts),

  hmac(algorithm, key, ...parts) {
    // A key object costs a quarter of what raw key bytes cost at each use, and as much as they to make.
    const name = `secret:${Buffer.from(key).toString('latin1')}`;
    const hmac = createHmac(algorithm, key.length === 0 ? key : rememberedKey(name, () => createSecretKey(key)));
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  },

  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),

  verifyEd25519: async (...given) => (await publicKeys()).verifyEd25519(...given),
  verifyEcdsaP256: async (...given) => (await publicKeys()).verifyEcdsaP256(...given),
  verifyRsa: async (...given) => (await publicKeys()).verifyRsa(...given),
  verifyChain: async (...given) => (await publicKeys()).verifyChain(...given),
};
