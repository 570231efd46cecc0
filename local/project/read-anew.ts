/** A module that is read anew takes along what it imports by a path, at any depth: Node keeps each file that it has read. */
import { statSync } from 'node:fs';
// By its default: a Node without registerHooks could not even load this file, which leads to the sentence that it is too old.
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const watched = new Set<string>();
const ANEW = /\?anew=[\d.]+$/;

/** Begins to watch what this file imports. Packages stay as they were read. */
function watch(file: string): void {
  if (watched.size === 0) {
    module.registerHooks?.({
      resolve(name, context, next) {
        const found = next(name, context);
        const from = context.parentURL ?? '';
        if (!name.startsWith('.') || !watched.has(from.replace(ANEW, ''))) return found;
        watched.add(found.url);
        return { ...found, url: `${found.url}${ANEW.exec(from)?.[0] ?? ''}` };
      },
    });
  }
  watched.add(pathToFileURL(file).href);
}

/** `anew`: with every file of its own as it is now. */
export function importFile(file: string, anew = false): Promise<unknown> {
  watch(file);
  return import(`${pathToFileURL(file).href}${anew ? `?anew=${writtenAt(file)}` : ''}`);
}

/** When the file, or one that what was read here imports, was last written, epoch ms; 0 where there is none. */
export function writtenAt(file: string): number {
  watch(file);
  return Math.max(0, ...[...watched].map(url => statSync(fileURLToPath(url), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
