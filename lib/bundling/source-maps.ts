/** The source maps beside the functions' code: read when an error is formatted, never by a start. */
import { isAbsolute, join, relative, sep } from 'node:path';

/** The folders of Holdfast's own code; what lies in others of this repository is the project's. */
const OURS = ['adapters', 'core', 'lambdas', 'lib', 'providers', 'sdk', 'dist'];

interface Places {
  /** Folder of Holdfast itself. */
  readonly holdfast: string;
  /** Folder of the project whose handlers are in it. */
  readonly project: string;
  /** Folder that the paths in the map are relative to. */
  readonly from: string;
}

/**
 * The map as it is deployed: files of the project by their path in it, of Holdfast as `holdfast:core/…`, of packages as
 * `node_modules/…`, and no text of any of them.
 */
export function shortMap(text: string, places: Places): Readonly<Record<string, unknown>> {
  const { mappings, sources } = JSON.parse(text) as { mappings: string; sources: readonly string[] };
  return { version: 3, sources: sources.map(source => nameOf(source, places)), names: [], mappings };
}

function nameOf(source: string, { holdfast, project, from }: Places): string {
  // What a plugin of the build made.
  if (/^[a-z-]+:/.test(source)) return `holdfast:${source}`;
  const path = isAbsolute(source) ? source : join(from, source);
  const inModules = path.lastIndexOf(`node_modules${sep}`);
  const inProject = relative(project, path);
  const inHoldfast = relative(holdfast, path);
  const isInside = (it: string): boolean => !it.startsWith('..') && !isAbsolute(it);
  // Also where Holdfast is a package itself.
  const isOurs = isInside(inHoldfast) && OURS.includes(inHoldfast.split(sep)[0] ?? '');
  if (isOurs) return `holdfast:${inHoldfast}`;
  if (inModules !== -1) return path.slice(inModules);
  return isInside(inProject) ? inProject : isInside(inHoldfast) ? inHoldfast : `holdfast:${inHoldfast}`;
}

/** Text put in the place of another in a built file, as the reader of its map must know. Lines and columns from 0. */
export interface Insertion {
  readonly line: number;
  /** Where the text it took the place of began. */
  readonly column: number;
  /** By how many characters it is longer. */
  readonly length: number;
}

/** Every match of `place` in the text, replaced, and what that moves. */
export function replaceAndNote(
  text: string,
  place: RegExp,
  replacement: string,
): { readonly text: string; readonly inserted: readonly Insertion[] } {
  const inserted: Insertion[] = [];
  const replaced = text.replace(place, (match, ...rest) => {
    const at = rest.find(it => typeof it === 'number') as number;
    const before = text.slice(0, at);
    const line = before.split('\n').length - 1;
    const column = at - (before.lastIndexOf('\n') + 1);
    inserted.push({ line, column, length: replacement.length - match.length });
    return replacement;
  });
  return { text: replaced, inserted };
}
