import type { SecretResult } from '#core/ports.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';

/**
 * A stored secret is a plain text, or JSON `{ "current": "…", "previous": "…", "previousNotAfter": <epoch ms or ISO> }`
 * while it is being rotated, or `{ "pairingUntil": <epoch ms> }` while the provider may bring one. Text that is no such
 * object is the secret itself: a secret of digits stays a text; the line end of a file is no part of it. Empty means not
 * set yet. Throws when such an object is malformed, and for what was meant to be one: guessing would accept with half a
 * secret, or refuse every request.
 */
export function parseSecret(text: string | undefined): SecretResult {
  if (text === undefined || text.trim() === '') return { kind: 'unset' };
  // Trimmed: of spaces, and of the mark that some editors put before a text.
  const object = decodeJsonObject(text.trim());
  if (object === undefined) return { kind: 'secret', secret: { current: plain(text) } };
  if ('pairingUntil' in object && !('current' in object)) return pairing(object['pairingUntil']);
  const { current, previous, previousNotAfter } = object;
  if (current === undefined)
    throw new TypeError(
      'The stored secret is an object without "current": set it again, as the text alone or in "current", as a text',
    );
  if (typeof current !== 'string')
    throw new TypeError('The stored secret has a "current" that is not a text: set it again');
  if (current.trim() === '') return { kind: 'unset' };
  const secret = { current: withoutLineEnd(current) };
  if (previous === undefined || previous === '') return { kind: 'secret', secret };
  if (typeof previous !== 'string')
    throw new TypeError('The stored secret has a "previous" that is not a text: set it again');
  const both = { ...secret, previous: withoutLineEnd(previous) };
  if (previousNotAfter === undefined) return { kind: 'secret', secret: both };
  const until = typeof previousNotAfter === 'string' ? Date.parse(previousNotAfter) : previousNotAfter;
  if (typeof until !== 'number' || !(until >= LEAST_MS && until < Number.POSITIVE_INFINITY)) {
    throw new TypeError(
      'The stored secret has a "previousNotAfter" that is neither epoch milliseconds nor an ISO time: set it again',
    );
  }
  return { kind: 'secret', secret: { ...both, previousNotAfter: until } };
}

/** In 1973. A smaller number was meant as seconds: the previous secret would be over at once. */
const LEAST_MS = 1e11;
/** The begin of an object of ours, however its rest was mistyped. */
const MEANT_AS_OBJECT = /^\{\s*(?:["'\u201c\u201d]\s*)?(?:current|previous|previousNotAfter|pairingUntil)\b/i;

function plain(text: string): string {
  if (MEANT_AS_OBJECT.test(text.trim()))
    throw new TypeError('The stored secret begins like a rotation, and is no JSON object: set it again');
  return withoutLineEnd(text);
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function pairing(until: unknown): SecretResult {
  if (typeof until !== 'number' || !Number.isFinite(until)) {
    throw new TypeError('The stored secret has a "pairingUntil" that is not epoch milliseconds: set it again');
  }
  return { kind: 'unset', pairingUntil: until };
}
