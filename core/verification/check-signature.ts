/** Checks one received signature with one key: decoded, of the right length, compared in constant time. */

import type { Crypto, HashAlgorithm } from '#core/ports.ts';
import type { SchemeAlgorithm } from '#core/provider/provider-spec.ts';

export type SymmetricAlgorithm = 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'digest-sha256';
export type AsymmetricAlgorithm = 'ed25519' | 'ecdsa-p256-sha256' | 'rsa-sha1' | 'rsa-sha256';

const HASH_OF: Readonly<Record<SymmetricAlgorithm, HashAlgorithm>> = {
  'hmac-sha1': 'sha1',
  'hmac-sha256': 'sha256',
  'hmac-sha512': 'sha512',
  'digest-sha256': 'sha256',
};

/** Accepted lengths of decoded signatures in bytes, least and most. */
const LENGTHS: Readonly<Record<SymmetricAlgorithm | AsymmetricAlgorithm, readonly [number, number]>> = {
  'hmac-sha1': [20, 20],
  'hmac-sha256': [32, 32],
  'hmac-sha512': [64, 64],
  'digest-sha256': [32, 32],
  ed25519: [64, 64],
  'ecdsa-p256-sha256': [8, 72],
  'rsa-sha1': [128, 1_024],
  'rsa-sha256': [128, 1_024],
};

export function isSymmetric(alg: SchemeAlgorithm): alg is SymmetricAlgorithm {
  return Object.hasOwn(HASH_OF, alg);
}

export function isAsymmetric(alg: SchemeAlgorithm): alg is AsymmetricAlgorithm {
  return Object.hasOwn(LENGTHS, alg) && !isSymmetric(alg);
}

export function hasSignatureLength(alg: SymmetricAlgorithm | AsymmetricAlgorithm, signature: Uint8Array): boolean {
  const [least, most] = LENGTHS[alg];
  return signature.length >= least && signature.length <= most;
}

/** The MAC of a message; plain digests have the secret in the message instead of a key. */
export function computeMac(
  alg: SymmetricAlgorithm,
  key: Uint8Array,
  message: readonly Uint8Array[],
  crypto: Pick<Crypto, 'hash' | 'hmac'>,
): Uint8Array {
  return alg === 'digest-sha256' ? crypto.hash('sha256', ...message) : crypto.hmac(HASH_OF[alg], key, ...message);
}
