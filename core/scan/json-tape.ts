/**
 * A strict JSON scanner over raw bytes: it writes down where every value is, and changes nothing. Nesting is capped; a
 * BOM is skipped; a key `__proto__` is a key like any other. Bytes that are not UTF-8 are tolerated inside strings.
 */

/** The kinds of a node on the tape. An escaped string's text is not the bytes between its quotes. */
export const OBJECT = 0;
export const ARRAY = 1;
export const STRING = 2;
export const ESCAPED_STRING = 3;
export const NUMBER = 4;
export const TRUE = 5;
export const FALSE = 6;
export const NULL = 7;

/** Deeper nesting is not scanned (RFC 8259 allows a limit); handlers' JSON has the same one. */
export const MAX_JSON_DEPTH = 64;

/**
 * Each node takes four numbers of the tape: kind, start, end, index of the node after its subtree. A member of an object
 * is its key's node, then its value's.
 */
export const STRIDE = 4;

class Scanner {
  tape: Int32Array;
  readonly #bytes: Uint8Array;
  #size = 0;
  #at: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.tape = new Int32Array(STRIDE * Math.max(16, bytes.length >> 4));
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  document(): boolean {
    if (!this.#value(0)) return false;
    this.#space();
    return this.#at === this.#bytes.length;
  }

  #space(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (;;) {
      const byte = bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      at++;
    }
    this.#at = at;
  }

  #open(kind: number, start: number): number {
    const node = this.#size;
    this.#size += STRIDE;
    if (this.#size > this.tape.length) {
      const larger = new Int32Array(this.tape.length * 2);
      larger.set(this.tape);
      this.tape = larger;
    }
    this.tape[node] = kind;
    this.tape[node + 1] = start;
    return node;
  }

  #close(node: number): true {
    this.tape[node + 2] = this.#at;
    this.tape[node + 3] = this.#size;
    return true;
  }

  #value(depth: number): boolean {
    this.#space();
    switch (this.#bytes[this.#at]) {
      case 0x22:
        return this.#string();
      case 0x7b:
        return depth < MAX_JSON_DEPTH && this.#object(depth + 1);
      case 0x5b:
        return depth < MAX_JSON_DEPTH && this.#array(depth + 1);
      case 0x74:
        return this.#word(TRUE, 'true');
      case 0x66:
        return this.#word(FALSE, 'false');
      case 0x6e:
        return this.#word(NULL, 'null');
      default:
        return this.#number();
    }
  }

  #object(depth: number): boolean {
    const node = this.#open(OBJECT, this.#at++);
    this.#space();
    if (this.#bytes[this.#at] === 0x7d) {
      this.#at++;
      return this.#close(node);
    }
    for (;;) {
      this.#space();
      if (this.#bytes[this.#at] !== 0x22 || !this.#string()) return false;
      this.#space();
      if (this.#bytes[this.#at++] !== 0x3a) return false;
      if (!this.#value(depth)) return false;
      this.#space();
      const next = this.#bytes[this.#at++];
      if (next === 0x7d) return this.#close(node);
      if (next !== 0x2c) return false;
    }
  }

  #array(depth: number): boolean {
    const node = this.#open(ARRAY, this.#at++);
    this.#space();
    if (this.#bytes[this.#at] === 0x5d) {
      this.#at++;
      return this.#close(node);
    }
    for (;;) {
      if (!this.#value(depth)) return false;
      this.#space();
      const next = this.#bytes[this.#at++];
      if (next === 0x5d) return this.#close(node);
      if (next !== 0x2c) return false;
    }
  }

  #string(): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start + 1;
    let kind = STRING;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < 0x20) return false;
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        kind = ESCAPED_STRING;
        at = this.#afterEscape(at + 1);
        if (at < 0) return false;
      } else at++;
    }
    this.#at = at + 1;
    return this.#close(this.#open(kind, start));
  }

  #afterEscape(at: number): number {
    switch (this.#bytes[at]) {
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
        for (let i = 1; i <= 4; i++) if (!isHexDigit(this.#bytes[at + i])) return -1;
        return at + 5;
      }
      default:
        return -1;
    }
  }

  #number(): boolean {
    const start = this.#at;
    if (this.#bytes[this.#at] === 0x2d) this.#at++;
    if (this.#bytes[this.#at] === 0x30) this.#at++;
    else if (!this.#digits()) return false;
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      if (!this.#digits()) return false;
    }
    const exponent = this.#bytes[this.#at];
    if (exponent === 0x65 || exponent === 0x45) {
      this.#at++;
      const sign = this.#bytes[this.#at];
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      if (!this.#digits()) return false;
    }
    return this.#close(this.#open(NUMBER, start));
  }

  #digits(): boolean {
    const start = this.#at;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || byte < 0x30 || byte > 0x39) break;
      this.#at++;
    }
    return this.#at > start;
  }

  #word(kind: number, word: string): boolean {
    const start = this.#at;
    for (let i = 0; i < word.length; i++) if (this.#bytes[start + i] !== word.charCodeAt(i)) return false;
    this.#at += word.length;
    return this.#close(this.#open(kind, start));
  }
}

function isHexDigit(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66))
  );
}

/** The tape of a body, or undefined when it is not JSON or nested deeper than 64. Never throws. */
export function scanTape(bytes: Uint8Array): Int32Array | undefined {
  const scanner = new Scanner(bytes);
  return scanner.document() ? scanner.tape : undefined;
}
