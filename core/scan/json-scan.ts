/**
 * A JSON body as it is: where every value is, byte for byte, and numbers as the text they are (an id above 2^53 keeps
 * its last digits). A string whose bytes are not UTF-8 has no text.
 */
import { textOf, utf8 } from './bytes.ts';
import { ARRAY, ESCAPED_STRING, FALSE, NULL, NUMBER, OBJECT, STRIDE, STRING, scanTape, TRUE } from './json-tape.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';
const KINDS: readonly JsonKind[] = ['object', 'array', 'string', 'string', 'number', 'true', 'false', 'null'];

/** A scanned document. Nodes are numbers; `ROOT` is the whole. */
export class JsonDocument {
  readonly #bytes: Uint8Array;
  readonly #tape: Int32Array;

  constructor(bytes: Uint8Array, tape: Int32Array) {
    this.#bytes = bytes;
    this.#tape = tape;
  }

  kind(node: number): JsonKind {
    return KINDS[this.#tape[node] ?? NULL] ?? 'null';
  }

  /** The value as it is in the body, byte for byte. */
  slice(node: number): Uint8Array {
    return this.#bytes.subarray(this.#tape[node + 1], this.#tape[node + 2]);
  }

  /**
   * A string's text, a number as written, or `true`/`false`. Undefined for null, objects and arrays, and for strings
   * that are not well-formed Unicode (bytes that are not UTF-8, lone surrogates): they would all look the same.
   */
  text(node: number): string | undefined {
    switch (this.#tape[node]) {
      case STRING:
        return textOf(this.#bytes.subarray((this.#tape[node + 1] ?? 0) + 1, (this.#tape[node + 2] ?? 0) - 1));
      case ESCAPED_STRING: {
        const raw = textOf(this.slice(node));
        if (raw === undefined) return undefined;
        const text = JSON.parse(raw) as string;
        return text.isWellFormed() ? text : undefined;
      }
      case NUMBER:
        return textOf(this.slice(node));
      case TRUE:
        return 'true';
      case FALSE:
        return 'false';
      default:
        return undefined;
    }
  }

  /** The last member of this name, as JSON.parse would choose. */
  member(node: number, name: string): number | undefined {
    if (this.#tape[node] !== OBJECT) return undefined;
    const wanted = utf8(name);
    const end = this.#tape[node + 3] ?? 0;
    let found: number | undefined;
    for (let key = node + STRIDE; key < end; ) {
      const value = key + STRIDE;
      if (this.#isKey(key, name, wanted)) found = value;
      key = this.#tape[value + 3] ?? end;
    }
    return found;
  }

  #isKey(key: number, name: string, wanted: Uint8Array): boolean {
    if (this.#tape[key] === ESCAPED_STRING) return this.text(key) === name;
    const start = (this.#tape[key + 1] ?? 0) + 1;
    if ((this.#tape[key + 2] ?? 0) - 1 - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (this.#bytes[start + i] !== wanted[i]) return false;
    return true;
  }

  /** Elements of an array, in order; none for anything else. */
  elements(node: number): number[] {
    const found: number[] = [];
    if (this.#tape[node] !== ARRAY) return found;
    const end = this.#tape[node + 3] ?? 0;
    for (let at = node + STRIDE; at < end; at = this.#tape[at + 3] ?? end) found.push(at);
    return found;
  }

  /** Members of an object, in order, repeated names included. A name that is not well-formed is left out. */
  members(node: number): { name: string; value: number }[] {
    const found: { name: string; value: number }[] = [];
    if (this.#tape[node] !== OBJECT) return found;
    const end = this.#tape[node + 3] ?? 0;
    for (let key = node + STRIDE; key < end; key = this.#tape[key + STRIDE + 3] ?? end) {
      const name = this.text(key);
      if (name !== undefined) found.push({ name, value: key + STRIDE });
    }
    return found;
  }

  /** The value at a path such as `data.object.id` or `items[0].id`, from a node. */
  find(path: string, from: number = ROOT): number | undefined {
    let node: number | undefined = from;
    for (const step of stepsOf(path)) {
      if (node === undefined) return undefined;
      node = this.#tape[node] === ARRAY ? this.#element(node, step) : this.member(node, step);
    }
    return node;
  }

  /** The text of the value at a path, from a node. */
  textAt(path: string, from: number = ROOT): string | undefined {
    const node = this.find(path, from);
    return node === undefined ? undefined : this.text(node);
  }

  #element(node: number, step: string): number | undefined {
    return /^\d{1,6}$/.test(step) ? this.elements(node)[Number(step)] : undefined;
  }
}

/** The whole document. */
export const ROOT = 0;

const steps = new Map<string, readonly string[]>();

/** Paths come from specs, so this memo is small. */
function stepsOf(path: string): readonly string[] {
  let known = steps.get(path);
  if (!known) {
    known =
      path === ''
        ? []
        : path
            .replace(/\[(\d+)\]/g, '.$1')
            .replace(/^\./, '')
            .split('.');
    if (steps.size < 2_000) steps.set(path, known);
  }
  return known;
}

/** Scans a body, or undefined when it is not JSON or nested deeper than 64. Never throws. */
export function scanJson(bytes: Uint8Array): JsonDocument | undefined {
  const tape = scanTape(bytes);
  return tape && new JsonDocument(bytes, tape);
}
