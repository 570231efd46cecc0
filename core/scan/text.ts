/** Text that goes into records and logs: bounded, without control characters. */

/**
 * Strips control characters, replaces halves of characters (no store takes them), and cuts to `limit` bytes of UTF-8,
 * never inside a character; a cut ends in an ellipsis.
 */
export function capText(text: string, limit: number): string {
  const start = text.slice(0, 4 * limit).toWellFormed();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const clean = start.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= limit && text.length <= 4 * limit) return clean;
  const ellipsis = '…';
  return new TextDecoder().decode(bytes.subarray(0, limit - 3)).replace(/(?<!\ufffd)\ufffd+$/, '') + ellipsis;
}

/** Percent escapes understood; a text that is not well encoded stays as it is. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
