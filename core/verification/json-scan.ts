/**
 * A strict JSON scanner over raw bytes: it says where every value stands, changes nothing, and reads numbers as the text
 * they are (an id above 2^53 keeps its last digits). Nesting is capped; a BOM is skipped; a key `__proto__` is a key like
 * any other. Bytes that are not UTF-8 are tolerated inside strings but such a string has no text.
 */
import { textOf, utf8 } from './bytes.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';

const OBJECT = 0;
const ARRAY = 1;
const STRING = 2;
const ESCAPED_STRING = 3;
const NUMBER = 4;
const TRUE = 5;
const FALSE = 6;
const NULL = 7;
const KINDS: readonly JsonKind[] = ['object', 'array', 'string', 'string', 'number', 'true', 'false', 'null'];

/** Deeper nesting is not scanned (RFC 8259 allows a limit); handlers' JSON has the same one. */
export const MAX_JSON_DEPTH = 64;

/** Each node takes four numbers of the tape: kind, start, end, index of the node after its subtree. */
const STRIDE = 4;

class Scanner {
  readonly bytes: Uint8Array;
  tape: Int32Array;
  size = 0;
  at: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.tape = new Int32Array(STRIDE * Math.max(16, bytes.length >> 4));
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  document(): boolean {
    if (!this.value(0)) return false;
    this.space();
    return this.at === this.bytes.length;
  }

  private space(): void {
    const { bytes } = this;
    let { at } = this;
    for (;;) {
      const byte = bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      at++;
    }
    this.at = at;
  }

  private open(kind: number, start: number): number {
    const node = this.size;
    this.size += STRIDE;
    if (this.size > this.tape.length) {
      const larger = new Int32Array(this.tape.length * 2);
      larger.set(this.tape);
      this.tape = larger;
    }
    this.tape[node] = kind;
    this.tape[node + 1] = start;
    return node;
  }

  private close(node: number): true {
    this.tape[node + 2] = this.at;
    this.tape[node + 3] = this.size;
    return true;
  }

  private value(depth: number): boolean {
    this.space();
    switch (this.bytes[this.at]) {
      case 0x22:
        return this.string();
      case 0x7b:
        return depth < MAX_JSON_DEPTH && this.object(depth + 1);
      case 0x5b:
        return depth < MAX_JSON_DEPTH && this.array(depth + 1);
      case 0x74:
        return this.word(TRUE, 'true');
      case 0x66:
        return this.word(FALSE, 'false');
      case 0x6e:
        return this.word(NULL, 'null');
      default:
        return this.number();
    }
  }

  private object(depth: number): boolean {
    const node = this.open(OBJECT, this.at++);
    this.space();
    if (this.bytes[this.at] === 0x7d) {
      this.at++;
      return this.close(node);
    }
    for (;;) {
      this.space();
      if (this.bytes[this.at] !== 0x22 || !this.string()) return false;
      this.space();
      if (this.bytes[this.at++] !== 0x3a) return false;
      if (!this.value(depth)) return false;
      this.space();
      const next = this.bytes[this.at++];
      if (next === 0x7d) return this.close(node);
      if (next !== 0x2c) return false;
    }
  }

  private array(depth: number): boolean {
    const node = this.open(ARRAY, this.at++);
    this.space();
    if (this.bytes[this.at] === 0x5d) {
      this.at++;
      return this.close(node);
    }
    for (;;) {
      if (!this.value(depth)) return false;
      this.space();
      const next = this.bytes[this.at++];
      if (next === 0x5d) return this.close(node);
      if (next !== 0x2c) return false;
    }
  }

  private string(): boolean {
    const { bytes } = this;
    const start = this.at;
    let at = start + 1;
    let kind = STRING;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < 0x20) return false;
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        kind = ESCAPED_STRING;
        at = this.afterEscape(at + 1);
        if (at < 0) return false;
      } else at++;
    }
    this.at = at + 1;
    return this.close(this.open(kind, start));
  }

  private afterEscape(at: number): number {
    switch (this.bytes[at]) {
      case 0x22:
      case 0x5c:
      case 0x2f:
      case 0x62:
      case 0x66:
      case 0x6e:
      case 0x72:
      case 0x74:
        return at + 1;
      case 0x75: {
        for (let i = 1; i <= 4; i++) if (!isHexDigit(this.bytes[at + i])) return -1;
        return at + 5;
      }
      default:
        return -1;
    }
  }

  private number(): boolean {
    const start = this.at;
    if (this.bytes[this.at] === 0x2d) this.at++;
    if (this.bytes[this.at] === 0x30) this.at++;
    else if (!this.digits()) return false;
    if (this.bytes[this.at] === 0x2e) {
      this.at++;
      if (!this.digits()) return false;
    }
    const exponent = this.bytes[this.at];
    if (exponent === 0x65 || exponent === 0x45) {
      this.at++;
      const sign = this.bytes[this.at];
      if (sign === 0x2b || sign === 0x2d) this.at++;
      if (!this.digits()) return false;
    }
    return this.close(this.open(NUMBER, start));
  }

  private digits(): boolean {
    const start = this.at;
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined || byte < 0x30 || byte > 0x39) break;
      this.at++;
    }
    return this.at > start;
  }

  private word(kind: number, word: string): boolean {
    const start = this.at;
    for (let i = 0; i < word.length; i++) if (this.bytes[start + i] !== word.charCodeAt(i)) return false;
    this.at += word.length;
    return this.close(this.open(kind, start));
  }
}

function isHexDigit(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66))
  );
}

/** A scanned document. Nodes are numbers; `ROOT` is the whole. */
export class JsonDocument {
  private readonly bytes: Uint8Array;
  private readonly tape: Int32Array;

  constructor(bytes: Uint8Array, tape: Int32Array) {
    this.bytes = bytes;
    this.tape = tape;
  }

  kind(node: number): JsonKind {
    return KINDS[this.tape[node] ?? NULL] ?? 'null';
  }

  /** The value as it stands in the body, byte for byte. */
  slice(node: number): Uint8Array {
    return this.bytes.subarray(this.tape[node + 1], this.tape[node + 2]);
  }

  /**
   * A string's text, a number as written, or `true`/`false`. Undefined for null, objects and arrays, and for strings
   * that are not well-formed Unicode (bytes that are not UTF-8, lone surrogates): they would all look the same.
   */
  text(node: number): string | undefined {
    switch (this.tape[node]) {
      case STRING:
        return textOf(this.bytes.subarray((this.tape[node + 1] ?? 0) + 1, (this.tape[node + 2] ?? 0) - 1));
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
    if (this.tape[node] !== OBJECT) return undefined;
    const wanted = utf8(name);
    const end = this.tape[node + 3] ?? 0;
    let found: number | undefined;
    for (let key = node + STRIDE; key < end; ) {
      const value = key + STRIDE;
      if (this.isKey(key, name, wanted)) found = value;
      key = this.tape[value + 3] ?? end;
    }
    return found;
  }

  private isKey(key: number, name: string, wanted: Uint8Array): boolean {
    if (this.tape[key] === ESCAPED_STRING) return this.text(key) === name;
    const start = (this.tape[key + 1] ?? 0) + 1;
    if ((this.tape[key + 2] ?? 0) - 1 - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (this.bytes[start + i] !== wanted[i]) return false;
    return true;
  }

  /** Elements of an array, in order; none for anything else. */
  elements(node: number): number[] {
    const found: number[] = [];
    if (this.tape[node] !== ARRAY) return found;
    const end = this.tape[node + 3] ?? 0;
    for (let at = node + STRIDE; at < end; at = this.tape[at + 3] ?? end) found.push(at);
    return found;
  }

  /** Members of an object, in order, repeated names included. A name that is not well-formed is left out. */
  members(node: number): { name: string; value: number }[] {
    const found: { name: string; value: number }[] = [];
    if (this.tape[node] !== OBJECT) return found;
    const end = this.tape[node + 3] ?? 0;
    for (let key = node + STRIDE; key < end; key = this.tape[key + STRIDE + 3] ?? end) {
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
      node = this.tape[node] === ARRAY ? this.element(node, step) : this.member(node, step);
    }
    return node;
  }

  private element(node: number, step: string): number | undefined {
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
  const scanner = new Scanner(bytes);
  return scanner.document() ? new JsonDocument(bytes, scanner.tape) : undefined;
}
