/** Which files of the repository load which others, by what their text imports. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FACES: Readonly<Record<string, string>> = {
  holdfast: 'sdk/index.ts',
  'holdfast/testing': 'sdk/testing/index.ts',
  'holdfast/publish': 'sdk/publish/index.ts',
};
const known = new Map<string, readonly string[]>();

/** The files that a file imports itself, types included. Paths begin at the repository's root. */
function importsOf(path: string): readonly string[] {
  const found = known.get(path);
  if (found) return found;
  const text = readFileSync(join(ROOT, path), 'utf8');
  const specs = [...text.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*'([^']+)'/g)].map(match => match[1] ?? '');
  const files = specs.flatMap(spec => {
    const file = spec.startsWith('#')
      ? spec.slice(1)
      : spec.startsWith('.')
        ? relative(ROOT, join(ROOT, dirname(path), spec))
        : FACES[spec];
    return file !== undefined && /\.tsx?$/.test(file) && existsSync(join(ROOT, file)) ? [file] : [];
  });
  known.set(path, files);
  return files;
}

/**
 * Every file that a file loads, near or far, with how many imports lie between: 0 is the file itself. `more`: files that one
 * loads in a way its text does not show.
 */
export function distancesFrom(
  path: string,
  more: Readonly<Record<string, readonly string[]>> = {},
): ReadonlyMap<string, number> {
  const found = new Map([[path, 0]]);
  // A map is walked in the order in which it grows.
  for (const [file, far] of found)
    for (const next of [...importsOf(file), ...(more[file] ?? [])]) if (!found.has(next)) found.set(next, far + 1);
  return found;
}

/** The names that a text of code uses: not those of comments, and of quoted texts only single words. */
export function wordsOfCode(text: string): readonly string[] {
  const code = text.replace(/\/\*.*?\*\/|^\s*\/\/[^\n]*/gms, '');
  const sentences = /(?<=[\s(:,=[{?])'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'/g;
  return code.replace(sentences, '').match(/\w+/g) ?? [];
}
