import type { SecretResult } from '#core/ports.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';

/**
 * A stored secret is a plain text, or JSON `{ "current": "…", "previous": "…", "previousNotAfter": <epoch ms or ISO> }`
 * while it is being rotated, or `{ "pairingUntil": <epoch ms> }` while the provider may bring one. Text that is no such
 * object is the secret itself: a secret of digits stays a text. Empty means not set yet. Throws when such an object is
 * malformed: guessing would accept with half a secret.
 */
export function parseSecret(text: string | undefined): SecretResult {
  if (text === undefined || text.trim() === '') return { kind: 'unset' };
  const object = decodeJsonObject(text);
  if (object && 'pairingUntil' in object && !('current' in object)) return pairing(object['pairingUntil']);
  if (object === undefined || !('current' in object)) return { kind: 'secret', secret: { current: text } };
  const { current, previous, previousNotAfter } = object;
  if (current === '') return { kind: 'unset' };
  if (typeof current !== 'string')
    throw new TypeError('The stored secret has a "current" that is not a text: set it again');
  if (previous === undefined || previous === '') return { kind: 'secret', secret: { current } };
  if (typeof previous !== 'string')
    throw new TypeError('The stored secret has a "previous" that is not a text: set it again');
  if (previousNotAfter === undefined) return { kind: 'secret', secret: { current, previous } };
  const until = typeof previousNotAfter === 'string' ? Date.parse(previousNotAfter) : previousNotAfter;
  if (typeof until !== 'number' || !Number.isFinite(until)) {
    throw new TypeError(
      'The stored secret has a "previousNotAfter" that is neither epoch milliseconds nor an ISO time: set it again',
    );
  }
  return { kind: 'secret', secret: { current, previous, previousNotAfter: until } };
}

function pairing(until: unknown): SecretResult {
  if (typeof until !== 'number' || !Number.isFinite(until)) {
    throw new TypeError('The stored secret has a "pairingUntil" that is not epoch milliseconds: set it again');
  }
  return { kind: 'unset', pairingUntil: until };
}
