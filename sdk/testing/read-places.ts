/** Where an error was thrown, in the files that the project's people wrote: what source maps tell of a deployed handler. */
import { join, relative } from 'node:path';
import { cwd } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ErrorPlaces } from '#core/ports.ts';

const HOLDFAST = join(import.meta.dirname, '../..');
/** Its rooms that are on the way to a handler. */
const OURS = /^(?:adapters|core|sdk)[\\/]/;
const FRAMES_LIMIT = 30;
/** The end of a frame: file, line, column. */
const PLACE = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Z]:\\)[^()]*?):(\d+):(\d+)\)?$/;

/** Nothing of a stack that is no text. */
export function readPlaces({ stack }: Error): ErrorPlaces {
  if (typeof stack !== 'string') return { frames: [] };
  const frames = stack.split('\n').flatMap(line => placeOf(line) ?? []);
  const [own] = frames;
  return { frames: frames.slice(0, FRAMES_LIMIT), ...(own !== undefined && { own: own.replace(/:\d+$/, '') }) };
}

/** Relative to where the tests run. Undefined: a package, Node, or Holdfast itself. */
function placeOf(line: string): string | undefined {
  const [, name = '', at = '', column = ''] = PLACE.exec(line) ?? [];
  if (name === '') return undefined;
  const file = name.startsWith('file:') ? fileURLToPath(name) : name;
  const path = relative(cwd(), file);
  if (path.startsWith('..') || /(?:^|[\\/])node_modules[\\/]/.test(path) || OURS.test(relative(HOLDFAST, file)))
    return undefined;
  return `${path}:${at}:${column}`;
}
