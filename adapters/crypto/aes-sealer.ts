import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Sealer } from '#core/outbound/ports.ts';

/** The master secret of an environment, as Secrets Manager holds it; `previous` opens what it sealed. */
export interface MasterSecret {
  readonly current: string;
  readonly previous?: string;
}

const FORM = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MIN_CHARACTERS = 32;

/**
 * AES-256-GCM under a key derived from the master secret (HKDF-SHA-256), with `about` as associated data: what was sealed
 * for one endpoint does not open for another. Sealed text: `v1.` and base64url of 12 random bytes, the bytes, the tag.
 * Throws RangeError when the master secret is too short.
 */
export function aesSealer({ current, previous }: MasterSecret): Sealer {
  const key = keyOf(current);
  const keys = previous === undefined ? [key] : [key, keyOf(previous)];
  return {
    keyName: masterName(current),
    seal(plain, about) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(about));
      const bytes = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${FORM}${bytes.toString('base64url')}`;
    },
    isCurrent: (sealed, about) => opened(bytesOf(sealed), key, about) !== undefined,
    open(sealed, about) {
      const bytes = bytesOf(sealed);
      for (const each of keys) {
        const plain = opened(bytes, each, about);
        if (plain) return plain;
      }
      throw new RangeError(
        'the secret cannot be opened: it was sealed with another master secret, or for another endpoint',
      );
    },
  };
}

/** A new master secret: 384 random bits. */
export const freshMaster = (): string => randomBytes(48).toString('base64url');

/** Names a master secret; nobody finds the secret by it. Throws RangeError as above. */
export const masterName = (master: string): string =>
  Buffer.from(derived(master, 'holdfast master name', 6)).toString('hex');

const keyOf = (master: string): Uint8Array => derived(master, 'holdfast outbound secrets', 32);

function derived(master: string, purpose: string, bytes: number): Uint8Array {
  if (master.length < MIN_CHARACTERS)
    throw new RangeError(`the master secret has ${master.length} characters; at least ${MIN_CHARACTERS} are needed`);
  return new Uint8Array(hkdfSync('sha256', master, '', purpose, bytes));
}

const bytesOf = (sealed: string): Buffer =>
  sealed.startsWith(FORM) ? Buffer.from(sealed.slice(FORM.length), 'base64url') : Buffer.alloc(0);

function opened(bytes: Buffer, key: Uint8Array, about: string): Uint8Array | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]));
  } catch {
    return undefined;
  }
}
