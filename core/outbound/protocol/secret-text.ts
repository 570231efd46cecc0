/**
 * Secrets as people see them (Standard Webhooks): `whsec_` and base64 of 24 to 64 bytes; of a key pair `whsk_` and base64 of
 * seed and public key, and `whpk_` for the public key alone.
 */
import type { SigningCrypto } from '#core/ports.ts';
import { concatBytes, fromBase64, textOf, toBase64, toHex, utf8 } from '#core/scan/bytes.ts';
import type { StoredKey } from './items.ts';

/** What is sealed and signs: bytes of an HMAC key, or the seed of a key pair. */
export interface SecretBytes {
  readonly alg: StoredKey['alg'];
  readonly bytes: Uint8Array;
  readonly plain?: true;
}
type Keys = Pick<SigningCrypto, 'publicEd25519' | 'equal'>;

/** Bytes of a shared secret, by Standard Webhooks. */
const LENGTHS = { min: 24, max: 64 };
const SEED_BYTES = 32;

/** The text that the owner of an endpoint gets. For a key pair it is the private one. */
export function secretText({ alg, bytes }: SecretBytes, crypto: Pick<SigningCrypto, 'publicEd25519'>): string {
  if (alg === 'sha256') return `whsec_${toBase64(bytes)}`;
  return `whsk_${toBase64(concatBytes([bytes, crypto.publicEd25519(bytes)]))}`;
}

/** The text whose letters are the key, for the forms that are keyed so: as it was brought along, or `whsec_…`. */
export const keyText = (secret: SecretBytes, crypto: Pick<SigningCrypto, 'publicEd25519'>): string =>
  secret.plain ? new TextDecoder().decode(secret.bytes) : secretText(secret, crypto);

/**
 * The key of a receiver that takes the letters of its secret as the key (Convoy, Outpost): the bytes, where they are letters;
 * of a secret that was made before the endpoint had such a receiver, which nobody can type, their hex.
 */
export function letterKey(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly text: string } {
  const text = textOf(bytes);
  if (text !== undefined && !/\p{Cc}/u.test(text)) return { bytes, text };
  const hex = toHex(bytes);
  return { bytes: utf8(hex), text: hex };
}

const PLAIN = /^[\x20-\x7e]{16,128}$/;
/** A secret of another system, for the forms that are keyed by its text; undefined: it begins as one of ours, or is none. */
export function plainSecret(text: string): SecretBytes | undefined {
  return /^wh(?:sec|sk|pk)_/.test(text) || !PLAIN.test(text)
    ? undefined
    : { alg: 'sha256', bytes: utf8(text), plain: true };
}

/** The text that a receiver verifies with: the secret itself, or the public key of a pair. */
export function verifyingText({ alg, bytes }: SecretBytes, crypto: Pick<SigningCrypto, 'publicEd25519'>): string {
  return alg === 'sha256' ? `whsec_${toBase64(bytes)}` : `whpk_${toBase64(crypto.publicEd25519(bytes))}`;
}

/** Reads a secret that somebody gives; `problem` says what is allowed and never repeats the secret. */
export function parseSecretText(
  text: string,
  crypto: Keys,
  { min, max } = LENGTHS,
): { readonly kind: 'secret'; readonly secret: SecretBytes } | { readonly kind: 'problem'; readonly problem: string } {
  const problem = (said: string) => ({ kind: 'problem' as const, problem: said });
  const [, prefix, base64 = ''] = /^(whsec_|whsk_|whpk_)(.*)$/s.exec(text) ?? [];
  if (prefix === undefined)
    return problem(
      'a secret that begins with whsec_ (shared) or whsk_ (key pair); another text of 16 to 128 characters goes with the forms timestamp-sha256, body-sha256 and t-v1',
    );
  if (prefix === 'whpk_') return problem('the private key, which begins with whsk_; whpk_ is the public one');
  const bytes = fromBase64(base64);
  if (!bytes) return problem(`base64 after ${prefix}`);
  if (prefix === 'whsec_') {
    const fits = bytes.length >= min && bytes.length <= max;
    if (!fits) return problem(`${min} to ${max} bytes in base64 after whsec_; this secret has ${bytes.length}`);
    return { kind: 'secret', secret: { alg: 'sha256', bytes } };
  }
  if (bytes.length !== 2 * SEED_BYTES)
    return problem(`64 bytes in base64 after whsk_, the seed and the public key; this secret has ${bytes.length}`);
  const seed = bytes.slice(0, SEED_BYTES);
  if (!crypto.equal(crypto.publicEd25519(seed), bytes.subarray(SEED_BYTES)))
    return problem('a seed and its own public key after whsk_; here they do not belong together');
  return { kind: 'secret', secret: { alg: 'ed25519', bytes: seed } };
}
