/** A module that is read anew takes along what it imports by a path, at any depth: Node keeps each file that it has read. */
import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const parts = new Map<string, Set<string>>();
const ANEW = /\?anew=[\d.]+$/;

/** Begins to watch what this file imports. Packages stay as they were read. */
function watch(file: string): Set<string> {
  const root = pathToFileURL(file).href;
  const known = parts.get(root);
  if (known !== undefined) return known;
  const tree = new Set([root]);
  parts.set(root, tree);
  registerHooks({
    resolve(name, context, next) {
      const found = next(name, context);
      const from = context.parentURL ?? '';
      if (!name.startsWith('.') || !tree.has(from.replace(ANEW, ''))) return found;
      tree.add(found.url);
      return { ...found, url: `${found.url}${ANEW.exec(from)?.[0] ?? ''}` };
    },
  });
  return tree;
}

/** `anew`: with every file of its own as it is now. */
export function importFile(file: string, anew = false): Promise<unknown> {
  watch(file);
  return import(`${pathToFileURL(file).href}${anew ? `?anew=${writtenAt(file)}` : ''}`);
}

/** When the file, or one that it imports, was last written, epoch ms; 0 where there is none. */
export const writtenAt = (file: string): number =>
  Math.max(0, ...[...watch(file)].map(url => statSync(fileURLToPath(url), { throwIfNoEntry: false })?.mtimeMs ?? 0));
