/** Parses a JSON object, or undefined for anything else. `__proto__` keys are dropped, so that a merge cannot pollute. */
export function decodeJsonObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/**
 * A stored object whose keys are names that others chose, empty for anything else: only what is written in it is found,
 * not what every object inherits (`constructor` is a good name for a source).
 */
export function decodeByName(text: string | undefined): Readonly<Record<string, unknown>> {
  return Object.assign(Object.create(null), decodeJsonObject(text ?? '{}'));
}

/** JSON.parse without own `__proto__` keys. Throws SyntaxError as JSON.parse does. */
export function parseJson(text: string): unknown {
  return text.includes('__proto__')
    ? JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
    : JSON.parse(text);
}

/** True where a JSON value has no more than that many lists and objects inside each other. */
export function isShallow(value: unknown, levels: number): boolean {
  let layer: readonly unknown[] = [value];
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > levels) return false;
    layer = layer.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return true;
}
