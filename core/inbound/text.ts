/** Text that goes into records and logs: bounded, without control characters. */

/** Strips control characters and cuts to `limit` characters; a cut is marked with an ellipsis. */
export function capText(text: string, limit: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1)}…`;
}

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
