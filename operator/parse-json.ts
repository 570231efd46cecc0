/** Undefined for what is no JSON: the words of a parser repeat the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
