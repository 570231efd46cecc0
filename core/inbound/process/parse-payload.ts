/** Turns the raw body into what a handler reads, after it was verified and stored. */
import { parseJson } from '#core/scan/json-object.ts';

const MAX_DEPTH = 64;
/** Integers of fewer digits are below 2^53. A match inside a string costs time, nothing else. */
const LONG_NUMBER = /\d{16}/;
/** Longer ones are no ids or amounts, and take too long to read. */
const MAX_DIGITS = 1_000;

export type ParsedPayload =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'unparsable'; readonly reason: string };

/** JSON and form bodies by content type; JSON is assumed where none is given. Other types are left as bytes. */
export function parsePayload(bytes: Uint8Array, contentType: string | undefined): ParsedPayload {
  const type = (contentType ?? 'application/json').toLowerCase();
  if (bytes.length === 0 && contentType === undefined) return { kind: 'parsed', value: undefined };
  if (type.includes('json') || type.startsWith('text/plain')) return parseJsonBytes(bytes);
  if (type.startsWith('application/x-www-form-urlencoded')) return parseForm(bytes);
  return { kind: 'parsed', value: undefined };
}

function parseJsonBytes(bytes: Uint8Array): ParsedPayload {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { kind: 'unparsable', reason: 'the body is not UTF-8' };
  }
  if (deeperThan(text, MAX_DEPTH)) return { kind: 'unparsable', reason: `the body is nested deeper than ${MAX_DEPTH}` };
  try {
    return { kind: 'parsed', value: LONG_NUMBER.test(text) ? parseExactJson(text) : parseJson(text) };
  } catch {
    return { kind: 'unparsable', reason: 'the body is not JSON' };
  }
}

function parseForm(bytes: Uint8Array): ParsedPayload {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (name === '__proto__') continue;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    fields[name] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return { kind: 'parsed', value: fields };
}

function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 92) i++;
      else if (c === 34) inString = false;
    } else if (c === 34) inString = true;
    else if (c === 123 || c === 91) {
      if (++depth > limit) return true;
    } else if (c === 125 || c === 93) depth--;
  }
  return false;
}

/** JSON.parse in which an integer that a JavaScript number cannot hold is a bigint, every digit kept. */
function parseExactJson(text: string): unknown {
  const exact = (key: string, value: unknown, { source }: { readonly source?: string }): unknown => {
    if (key === '__proto__') return undefined;
    if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
    return source.length <= MAX_DIGITS && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  // The third argument is ECMAScript 2026 (source text access); the types do not know it yet.
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}
