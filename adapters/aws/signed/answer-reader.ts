/**
 * One HTTP answer out of what a connection brings, in whatever pieces. Stricter than a browser: an answer whose end is not
 * certain is none, because the next one on the connection would begin in its middle.
 */
import type { Answered } from './check-answer.ts';

export interface Answer extends Answered {
  readonly status: number;
  /** May the connection carry another call? */
  readonly keep: boolean;
}

/** Of the head, and of a line between two chunks. */
const MAX_HEAD_BYTES = 16_384;
/** Twice what any operation of our services answers. */
const MAX_BODY_BYTES = 32 * 1_048_576;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;
/** A name without blanks, and a value without control characters. */
const HEADER_LINE = /^([!#-'*+.^-z|~\dA-Z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** A size in hexadecimal digits, and what some servers write after it. */
const CHUNK_LINE = /^([\da-f]{1,7})\s*(?:;.*)?$/i;

/** Why it is no answer. */
function noAnswer(why: string): Error {
  return new Error(`no answer: ${why}`);
}

/**
 * Reads one answer: takes each piece as it comes, and gives the answer once it is whole. `begun`: its head is known, the rest
 * of it is not. Throws Error for what is no answer.
 */
export function answerReader(): (piece: Buffer) => Answer | 'begun' | undefined {
  let rest: Buffer = Buffer.alloc(0);
  let head: Omit<Answer, 'bytes'> | undefined;
  const parts: Buffer[] = [];
  let length = 0;
  /** Bytes until the end of the body, or of this chunk of it. */
  let missing = 0;
  /** Of a chunked body: what comes after the missing bytes. */
  let next: 'size' | 'end of chunk' | 'trailer' | undefined;

  return piece => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (head === undefined) {
      const text = upTo('\r\n\r\n');
      if (text === undefined) return undefined;
      begin(text.split('\r\n'));
    }
    while (take() && next) {
      const line = upTo('\r\n');
      if (line === undefined) return 'begun';
      pass(line);
    }
    if (missing > 0) return 'begun';
    if (rest.length > 0) throw noAnswer('more than it announced');
    return { ...head, bytes: Buffer.concat(parts) };
  };

  function upTo(end: string): string | undefined {
    const at = rest.indexOf(end);
    if ((at < 0 ? rest.length : at) > MAX_HEAD_BYTES) throw noAnswer('too large a head');
    if (at < 0) return undefined;
    const text = rest.toString('latin1', 0, at);
    rest = rest.subarray(at + end.length);
    return text;
  }

  function begin([first = '', ...lines]: readonly string[]): void {
    const [, minor, status] = STATUS_LINE.exec(first) ?? [];
    if (status === undefined || status === '101') throw noAnswer('not HTTP/1.1');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      if (name === undefined) throw noAnswer('a garbled header');
      const key = name.toLowerCase();
      headers[key] = (headers[key] === undefined ? '' : `${headers[key]}, `) + value.trim();
    }
    // 100 and its like: the answer itself follows.
    if (status < '200') return;
    const { 'content-length': bytes = status === '204' ? '0' : '', 'transfer-encoding': coding } = headers;
    if (coding?.toLowerCase() === 'chunked' && bytes === '') next = 'size';
    else if (coding === undefined && /^\d+$/.test(bytes)) expect(Number(bytes));
    else throw noAnswer('no certain length');
    head = {
      status: Number(status),
      headers,
      keep: minor === '1' && !/\bclose\b/i.test(headers['connection'] ?? ''),
    };
  }

  function expect(bytes: number): void {
    if (length + bytes > MAX_BODY_BYTES) throw noAnswer('too large');
    missing = bytes;
  }

  /** Moves what is there of the missing bytes into the body. True: none is missing. */
  function take(): boolean {
    const part = rest.subarray(0, missing);
    parts.push(part);
    rest = rest.subarray(part.length);
    missing -= part.length;
    length += part.length;
    return missing === 0;
  }

  /** Goes past a line between two chunks. */
  function pass(line: string): void {
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    if (next === 'trailer') next = line === '' ? undefined : next;
    else if (next === 'end of chunk' && line === '') next = 'size';
    else if (next === 'size' && size !== undefined) {
      expect(Number.parseInt(size, 16));
      next = missing === 0 ? 'trailer' : 'end of chunk';
    } else throw noAnswer('a garbled chunk');
  }
}
