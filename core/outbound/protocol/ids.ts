/** Ids of the outbound side. Each is its prefix and 26 characters of Crockford's base 32, lower case. */
import type { EpochMs } from '#core/glossary.ts';
import type { Crypto } from '#core/ports.ts';

export type AppId = `app_${string}`;
export type EndpointId = `ep_${string}`;
export type MessageId = `msg_${string}`;
export type JobId = `job_${string}`;
export type ContactId = `con_${string}`;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** The first 130 bits of some bytes as 26 characters. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < LENGTH) {
      bits -= 5;
      text += ALPHABET.charAt((held >>> bits) & 31);
    }
    held &= 31;
  }
  return text;
}

/**
 * The id of a message: the same for the same application and idempotency key, so that a producer's repetition meets its
 * own message. Unique per application only: one customer's key never blocks another's.
 */
export function messageIdOf(app: AppId, key: string, crypto: Pick<Crypto, 'hash'>): MessageId {
  return `msg_${toBase32(crypto.hash('sha256', new TextEncoder().encode(`${app}\n${key}`)))}`;
}

/** A fresh id, ordered by time: 10 characters of milliseconds, 16 of the uuid's random bits. */
export function freshId<Prefix extends 'app' | 'ep' | 'job' | 'con'>(
  prefix: Prefix,
  now: EpochMs,
  uuid: string,
): `${Prefix}_${string}` {
  let time = '';
  for (let rest = now, at = 0; at < 10; at++) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  // Digit 12 of a version 4 uuid is its version, digit 16 its variant: neither is random.
  const hex = uuid.replaceAll('-', '');
  const digits = hex.slice(0, 12) + hex.slice(13, 16) + hex.slice(17, 22);
  const bytes = Uint8Array.from({ length: 10 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
  return `${prefix}_${time}${toBase32(bytes)}`;
}

/** Of an id or `uid:<uid>`, and more: of what is longer the tables take no key. */
export const LONGEST_ID = 250;
