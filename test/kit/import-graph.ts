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

/** All files that these load, near or far. `more`: files that one loads in a way its text does not show. */
export function loadedBy(
  paths: readonly string[],
  more: Readonly<Record<string, readonly string[]>> = {},
): ReadonlySet<string> {
  const loaded = new Set<string>();
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    open.push(...importsOf(path), ...(more[path] ?? []));
  }
  return loaded;
}
