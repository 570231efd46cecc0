/** Fields of a form body or a query. Values stay bytes (as one character per byte) until somebody asks for text. */
import { binaryOf, bytesOfBinary, textOf } from './bytes.ts';

/** A body with more fields is not read: sorting them would be work an unauthenticated caller can order. */
const MAX_FIELDS = 1_000;

export interface FormField {
  /** One character per byte. */
  readonly name: string;
  readonly value: string;
}

/** Fields of an `application/x-www-form-urlencoded` body, in order; undefined when there are more than 1,000. */
export function scanForm(body: Uint8Array): readonly FormField[] | undefined {
  return scanPairs(binaryOf(body));
}

/** Fields of a query string without its `?`. */
export function scanQuery(rawQuery: string): readonly FormField[] | undefined {
  // A query is ASCII on the wire; anything else cannot be a field of it.
  return /^[\x20-\x7e]*$/.test(rawQuery) ? scanPairs(rawQuery) : undefined;
}

function scanPairs(text: string): readonly FormField[] | undefined {
  if (text === '') return [];
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) return undefined;
  return pairs
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=');
      return at < 0
        ? { name: unescapeForm(pair), value: '' }
        : { name: unescapeForm(pair.slice(0, at)), value: unescapeForm(pair.slice(at + 1)) };
    });
}

function unescapeForm(text: string): string {
  return text
    .replace(/\+/g, ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The text of the field of this name; undefined when it is missing, not UTF-8, or there twice with different values. */
export function fieldText(fields: readonly FormField[] | undefined, name: string): string | undefined {
  const values = new Set(fields?.filter(field => field.name === name).map(field => field.value));
  const [value] = values;
  return values.size === 1 && value !== undefined ? textOf(bytesOfBinary(value)) : undefined;
}

/**
 * Twilio's canonical form: fields sorted by name (bytes), values of one name made unique and sorted, each as name
 * followed by value, nothing between.
 */
export function sortedForm(fields: readonly FormField[]): Uint8Array {
  const byName = new Map<string, Set<string>>();
  for (const { name, value } of fields) {
    const values = byName.get(name) ?? new Set();
    byName.set(name, values.add(value));
  }
  let text = '';
  for (const name of [...byName.keys()].sort()) {
    for (const value of [...(byName.get(name) ?? [])].sort()) text += name + value;
  }
  return bytesOfBinary(text);
}
