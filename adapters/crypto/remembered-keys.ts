import type { KeyObject } from 'node:crypto';

const MAX_KEYS = 64;
const keys = new Map<string, KeyObject>();

/** Parsing a key costs more than using it, and a source has few. */
export function rememberedKey(name: string, parse: () => KeyObject): KeyObject {
  const known = keys.get(name);
  if (known) return known;
  const key = parse();
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(name, key);
  return key;
}
