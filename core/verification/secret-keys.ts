/** Turns a source's secrets into keys. A secret that is empty or cannot be decoded is skipped: it never verifies anything. */

import type { Crypto, SourceSecret } from '#core/ports.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { decode, fromBase64, utf8 } from '#core/scan/bytes.ts';

export interface LiveSecret {
  readonly text: string;
  readonly which: 'current' | 'previous';
}

/** The secrets that count now, newest first. `previous` counts up to and including `previousNotAfter`. */
export function liveSecrets(secret: SourceSecret | undefined, nowMs: number): readonly LiveSecret[] {
  if (!secret) return [];
  const { current, previous, previousNotAfter } = secret;
  const live: LiveSecret[] = current === '' ? [] : [{ text: current, which: 'current' }];
  if (previous !== undefined && previous !== '' && (previousNotAfter === undefined || nowMs <= previousNotAfter)) {
    live.push({ text: previous, which: 'previous' });
  }
  return live;
}

/** The secret without the scheme's prefix, e.g. `whsec_`. */
export function strippedSecret({ key }: Scheme, text: string): string {
  const prefix = key?.strip?.find(candidate => text.startsWith(candidate));
  return prefix === undefined ? text : text.slice(prefix.length);
}

/** Key bytes of a shared secret, or undefined when it is empty or not of the scheme's encoding. */
export function secretKey(scheme: Scheme, text: string, crypto: Pick<Crypto, 'hash'>): Uint8Array | undefined {
  const bytes = decode(strippedSecret(scheme, text), scheme.key?.encoding ?? 'utf8');
  if (!bytes || bytes.length === 0) return undefined;
  return scheme.key?.hash === 'sha1' ? crypto.hash('sha1', bytes) : bytes;
}

/** The public key an operator pasted, in the scheme's form. */
export function publicKey(scheme: Scheme, text: string): Uint8Array | string | undefined {
  const encoding = scheme.key?.encoding ?? 'base64';
  return parsePublicKey(strippedSecret(scheme, text.trim()), encoding === 'utf8' ? 'base64' : encoding);
}

/** A public key from PEM, or from bytes in an encoding. Strings in the answer are PEM certificates. */
export function parsePublicKey(
  text: string,
  encoding: 'hex' | 'base64' | 'base64url',
): Uint8Array | string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN CERTIFICATE-----')) return trimmed;
  const pem = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/.exec(trimmed);
  const bytes = pem ? fromBase64((pem[1] ?? '').replace(/\s/g, '')) : decode(trimmed, encoding);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

/** Compares texts of any length in constant time, by their hashes. */
export function sameText(a: string, b: string, crypto: Pick<Crypto, 'hash' | 'equal'>): boolean {
  return crypto.equal(crypto.hash('sha256', utf8(a)), crypto.hash('sha256', utf8(b)));
}
