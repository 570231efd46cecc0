/** Reading what another system exported: JSON or NDJSON, the objects as its API answers them. It holds secrets: no error repeats any of it. */
import { OperatorError } from '#operator/operator-error.ts';
import { parseJson } from '#operator/parse-json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * The document of a file: one JSON object, or one on each line (NDJSON), whose lists are put together. Throws OperatorError
 * (usage) that names the line.
 */
export function readExport(text: string): Fields {
  const whole = parseJson(text.replace(/^\uFEFF/, ''));
  if (isFields(whole)) return whole;
  const lines = text.split(/\r?\n/).map((line, at) => ({ line: line.trim(), at: at + 1 }));
  const parts = lines.flatMap(({ line, at }) => {
    if (line === '') return [];
    const part = parseJson(line);
    if (isFields(part)) return [part];
    throw new OperatorError(
      `Line ${at} of the file is not a JSON object: give one JSON object, or one on each line (NDJSON)`,
      'usage',
    );
  });
  if (parts.length === 0)
    throw new OperatorError('The file is empty: give an export, as docs/send/moving.md describes it', 'usage');
  const names = new Set(parts.flatMap(part => Object.keys(part)));
  return Object.fromEntries([...names].map(name => [name, merged(parts.map(part => part[name]))]));
}

/** Pages as they are, also of several answers: `[…]`, `{data: […]}`, `{data: {content: […]}}`, `{models: […]}`. */
export function itemsOf(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap(each => (isPage(each) ? itemsOf(each) : isFields(each) ? [each] : []));
  if (!isFields(value)) return [];
  return itemsOf(value['data'] ?? value['models'] ?? value['content']);
}

/** One object, out of `{data: {…}}` where an answer wraps it so. */
export function objectOf(value: unknown): Fields {
  if (!isFields(value)) return {};
  return 'status' in value && isFields(value['data']) ? value['data'] : value;
}

export const textIn = (from: Fields, name: string): string | undefined => {
  const value = from[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
export const textsIn = (from: Fields, name: string): readonly string[] => {
  const value = from[name];
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
};

/** A list of what is wanted, where none and `*` are everything; undefined for what is neither: an empty list of ours is everything. */
export function wantedIn(from: Fields, name: string): readonly string[] | undefined {
  const value = from[name] ?? '*';
  if (value === '*') return [];
  if (!Array.isArray(value) || value.length === 0 || !value.every(each => typeof each === 'string')) return undefined;
  return value.includes('*') ? [] : value;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPage = (value: unknown): boolean =>
  isFields(value) && ['data', 'models', 'content'].some(name => Array.isArray(value[name]) || isPage(value[name]));

function merged(values: readonly unknown[]): unknown {
  const given = values.filter(value => value !== undefined);
  return given.length > 1 ? given.flat() : given[0];
}
