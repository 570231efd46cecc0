/** The key an event is stored under. */
import { type EventKey, isEventKey } from '#core/glossary.ts';
import type { Crypto } from '#core/ports.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';

/** The provider's id as it is, or its hash where it cannot be a key (too long, odd characters). */
export function eventKeyOf(id: string, crypto: Pick<Crypto, 'hash'>): EventKey {
  return isEventKey(id) ? id : (toHex(crypto.hash('sha256', utf8(id))) as EventKey);
}
