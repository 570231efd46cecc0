import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  binaryOf,
  bytesOfBinary,
  concatBytes,
  crc32,
  fromBase64,
  fromHex,
  textOf,
  toBase64,
  toHex,
  utf8,
} from '#core/scan/bytes.ts';

const bytes = fc.uint8Array({ maxLength: 300 });
const buffer = (array: Uint8Array) => Buffer.from(array.buffer, array.byteOffset, array.length);

describe('encodings', () => {
  it('agree with Node for any bytes', () => {
    fc.assert(
      fc.property(bytes, array => {
        expect(toHex(array)).toBe(buffer(array).toString('hex'));
        expect(toBase64(array)).toBe(buffer(array).toString('base64'));
        expect(toBase64(array, 'base64url')).toBe(buffer(array).toString('base64url'));
        expect(fromHex(toHex(array))).toEqual(array);
        expect(fromHex(toHex(array).toUpperCase())).toEqual(array);
        expect(fromBase64(toBase64(array))).toEqual(array);
        expect(fromBase64(toBase64(array).replace(/=+$/, ''))).toEqual(array);
        expect(fromBase64(toBase64(array, 'base64url'), 'base64url')).toEqual(array);
        expect(bytesOfBinary(binaryOf(array))).toEqual(array);
      }),
    );
  });

  it('refuse every stranger in the text', () => {
    for (const text of ['0', 'abc', 'zz', '0x12', ' 12', '12 ', '1 2', '+1', 'é1', '１２'])
      expect(fromHex(text)).toBeUndefined();
    for (const text of [
      'A',
      'AAAAA',
      'AA=A',
      'A===',
      'AA===',
      'AAA==',
      '=',
      'AA AA',
      'AAAA\n',
      'A-_A',
      'AAéA',
      'AAAA=',
    ]) {
      expect(fromBase64(text)).toBeUndefined();
    }
    expect(fromBase64('A+/A', 'base64url')).toBeUndefined();
    expect(fromBase64('')).toEqual(new Uint8Array());
  });

  it('never throw and never guess: what decodes, encodes back to itself', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), text => {
        const hex = fromHex(text);
        if (hex) expect(toHex(hex)).toBe(text.toLowerCase());
        const base64 = fromBase64(text);
        if (base64) expect(base64).toEqual(new Uint8Array(Buffer.from(text, 'base64')));
      }),
    );
  });
});

describe('text', () => {
  it('is read only from UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), text => {
        expect(textOf(utf8(text))).toBe(text);
      }),
    );
    for (const junk of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], Array(100).fill(0x80)]) {
      expect(textOf(new Uint8Array(junk))).toBeUndefined();
    }
    expect(textOf(utf8('\ufeffa'))).toBe('\ufeffa');
    expect(textOf(utf8(`\ufeff${'a'.repeat(100)}`))).toHaveLength(101);
  });

  it('parts are joined in order, a single one as it is', () => {
    const one = utf8('one');
    expect(concatBytes([one])).toBe(one);
    expect(concatBytes([one, utf8(''), utf8('two')])).toEqual(utf8('onetwo'));
    expect(concatBytes([])).toEqual(new Uint8Array());
  });
});

describe('CRC-32', () => {
  it('is the one of IEEE 802.3, unsigned', () => {
    expect(crc32(utf8('123456789'))).toBe(0xcbf43926);
    expect(crc32(utf8(''))).toBe(0);
    expect(crc32(utf8('a'))).toBe(0xe8b7be43);
  });
});
