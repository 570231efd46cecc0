/** Text of strangers is text: nothing in it moves the cursor, turns the line around, or hides. */

const NAMED: Readonly<Record<number, string>> = {
  8203: 'ZWSP',
  8206: 'LRM',
  8207: 'RLM',
  1564: 'ALM',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Control characters and bidirectional marks become symbols that show. */
export function visible(text: string): string {
  return text.replace(UNSEEN, found => {
    const code = found.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `⟨${NAMED[code] ?? `U+${code.toString(16).padStart(4, '0').toUpperCase()}`}⟩`;
  });
}

const LONG = 28;

/** Shortened in the middle: beginnings and ends tell ids apart. */
export function shortId(id: string): string {
  const text = visible(id);
  return text.length <= LONG ? text : `${text.slice(0, LONG - 9)}…${text.slice(-8)}`;
}

/** Percent escapes understood; a text that is not well encoded stays as it is. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
