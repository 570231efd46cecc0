/** The Crypto port with what sending needs: signatures of our own. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { SigningCrypto } from '#core/ports.ts';
import { nodeCrypto } from './node-crypto.ts';
import { rememberedKey } from './remembered-keys.ts';

/** The bytes before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function fromSeed(seed: Uint8Array): KeyObject {
  if (seed.length !== 32) throw new RangeError(`an Ed25519 seed has 32 bytes, not ${seed.length}`);
  return rememberedKey(`seed:${Buffer.from(seed).toString('latin1')}`, () =>
    createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' }),
  );
}

export const nodeSigningCrypto: SigningCrypto = {
  ...nodeCrypto,
  signEd25519: (seed, message) => sign(null, message, fromSeed(seed)),
  publicEd25519: seed => createPublicKey(fromSeed(seed)).export({ format: 'der', type: 'spki' }).subarray(-32),
};
