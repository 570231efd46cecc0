const PLACEHOLDER = /^(?:…|\.\.\.|<.*>)$/;

/**
 * Why somebody does something, as it is recorded: trimmed, at most 500 characters. Undefined: nothing was said, or the `"…"`
 * of a command that was pasted.
 */
export function readReason(given: string | undefined): string | undefined {
  const text = given?.trim() ?? '';
  return text === '' || PLACEHOLDER.test(text) ? undefined : text.slice(0, 500);
}
