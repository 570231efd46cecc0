/** The key an event is stored under. */
import { type EventKey, type EventPk, isEventKey, splitEventPk } from '#core/glossary.ts';
import type { Crypto } from '#core/ports.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';

/** The provider's id as it is, or its hash where it cannot be a key (too long, odd characters). */
export function eventKeyOf(id: string, crypto: Pick<Crypto, 'hash'>): EventKey {
  return isEventKey(id) ? id : (toHex(crypto.hash('sha256', utf8(id))) as EventKey);
}

/** Spreads the events of a source over the keys of an index. */
export function hashOf(pk: EventPk): number {
  return hashText(splitEventPk(pk).eventKey);
}

/** 32 bits, the same for ever: keys are made of it. */
export function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return hash >>> 0;
}
