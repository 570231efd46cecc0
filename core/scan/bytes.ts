/**
 * Text to bytes and back, strictly: an alphabet has no strangers in it, and what is not UTF-8 is not text. Pure, because
 * a decoder that quietly repairs its input makes two different signatures or ids the same.
 */
const encoder = new TextEncoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes, or undefined when they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length <= 64) {
    const ascii = shortAscii(bytes);
    if (ascii !== undefined) return ascii;
  }
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function shortAscii(bytes: Uint8Array): string | undefined {
  let text = '';
  for (const byte of bytes) {
    if (byte > 0x7e) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** One character per byte. Undoes `bytesOfBinary`. */
export function binaryOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

/** One byte per character (0 to 255). */
export function bytesOfBinary(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0]) return parts[0];
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const HEX = '0123456789abcdef';

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += (HEX[byte >> 4] ?? '') + (HEX[byte & 15] ?? '');
  return text;
}

/** Bytes of hex in either case, or undefined. Empty text is no bytes. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = hexDigit(text.charCodeAt(2 * i));
    const low = hexDigit(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return undefined;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64_URL = `${BASE64.slice(0, 62)}-_`;

function reverseTable(alphabet: string): Int8Array {
  const table = new Int8Array(128).fill(-1);
  for (let i = 0; i < alphabet.length; i++) table[alphabet.charCodeAt(i)] = i;
  return table;
}
const FROM_BASE64 = reverseTable(BASE64);
const FROM_BASE64_URL = reverseTable(BASE64_URL);

/** Bytes of base64 (or of the URL alphabet), padding optional, or undefined for any stranger in the text. */
export function fromBase64(text: string, alphabet: 'base64' | 'base64url' = 'base64'): Uint8Array | undefined {
  const table = alphabet === 'base64' ? FROM_BASE64 : FROM_BASE64_URL;
  let end = text.length;
  let padding = 0;
  while (end > 0 && text.charCodeAt(end - 1) === 61 && padding < 2) {
    end--;
    padding++;
  }
  if (end % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < end; i++) {
    const value = table[text.charCodeAt(i)] ?? -1;
    if (value < 0) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

/** Base64 with padding, or the URL alphabet without. */
export function toBase64(bytes: Uint8Array, alphabet: 'base64' | 'base64url' = 'base64'): string {
  const letters = alphabet === 'base64' ? BASE64 : BASE64_URL;
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += (letters[word >> 18] ?? '') + (letters[(word >> 12) & 63] ?? '');
    if (left > 1) text += letters[(word >> 6) & 63] ?? '';
    if (left > 2) text += letters[word & 63] ?? '';
  }
  return alphabet === 'base64' ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text;
}

/** Decodes by name; undefined when the text is not of that encoding. */
export function decode(text: string, encoding: 'utf8' | 'hex' | 'base64' | 'base64url'): Uint8Array | undefined {
  switch (encoding) {
    case 'utf8':
      return utf8(text);
    case 'hex':
      return fromHex(text);
    case 'base64':
    case 'base64url':
      return fromBase64(text, encoding);
  }
}

/** Encodes by name. */
export function encode(bytes: Uint8Array, encoding: 'hex' | 'base64' | 'base64url'): string {
  return encoding === 'hex' ? toHex(bytes) : toBase64(bytes, encoding);
}

/** Made with the first use: a start would compile its loop, for PayPal alone. */
let crcTable: Int32Array | undefined;
function crcOf(byte: number): number {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
}

/** CRC-32 (IEEE) as an unsigned number: PayPal signs it in decimal. */
export function crc32(bytes: Uint8Array): number {
  crcTable ??= new Int32Array(256).map((_, byte) => crcOf(byte));
  let value = -1;
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ -1) >>> 0;
}
