/**
 * The stack of an error in the files that people wrote, by the source maps beside the code. Only places: no message and
 * no name of a function, so nothing of a body or a secret can be in it.
 */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { basename, join } from 'node:path';
import type { ErrorPlaces } from '#core/ports.ts';

/** What the map of a built file holds beside its mappings. lib/bundling/source-maps.ts writes it. */
interface MapFile {
  readonly version: number;
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
  /** Where text was put into the built file afterwards: later columns of the line moved by `length` characters. */
  readonly inserted?: readonly { readonly line: number; readonly column: number; readonly length: number }[];
}

const STACK_LIMIT = 20_000;
const FRAMES_LIMIT = 30;
/** The end of a frame: file, line, column. Everything before it is the name of a function. */
const PLACE = /[/(]([\w.-]{1,100}\.mjs):(\d{1,7}):(\d{1,7})\)?$/;

const maps = new Map<string, { readonly file: MapFile; readonly map: SourceMap } | undefined>();

/** Where it was thrown. `folder`: of the code and its maps. */
export function mapStack(error: Error, folder: string = import.meta.dirname): ErrorPlaces {
  const { stack } = error;
  if (typeof stack !== 'string') return { frames: [] };
  const lines = stack.slice(0, STACK_LIMIT).split('\n');
  const frames = lines.flatMap(line => placeOf(line, folder) ?? []).slice(0, FRAMES_LIMIT);
  const own = frames.find(isOwn);
  return own === undefined ? { frames } : { frames, own: own.replace(/:\d+$/, '') };
}

/** Not of Holdfast, nor of a package: those are named so in the map. */
function isOwn(frame: string): boolean {
  return !/^(?:holdfast:|node_modules\/)/.test(frame);
}

/** A line of a stack as `file:line:column` of what was written. Undefined: no frame, or none of our code. */
function placeOf(line: string, folder: string): string | undefined {
  if (!line.startsWith('    at ')) return undefined;
  const [, name = '', at = '', column = ''] = PLACE.exec(line) ?? [];
  const known = name === '' ? undefined : mapOf(name, folder);
  if (known === undefined) return undefined;
  // A stack counts from 1, a map from 0.
  const atLine = Number(at) - 1;
  const moved = (known.file.inserted ?? []).reduce(
    (sum, { line: on, column: from, length }) =>
      on === atLine && Number(column) - 1 - sum - length >= from ? sum + length : sum,
    0,
  );
  const found = known.map.findEntry(atLine, Number(column) - 1 - moved) as Partial<SourceMapping>;
  if (found.originalSource === undefined || found.originalLine === undefined) return undefined;
  return `${found.originalSource}:${found.originalLine + 1}:${(found.originalColumn ?? 0) + 1}`;
}

/** Read once. Undefined: there is none. */
function mapOf(name: string, folder: string) {
  const path = join(folder, `${basename(name)}.map`);
  if (!maps.has(path)) {
    try {
      const file = JSON.parse(readFileSync(path, 'utf8')) as MapFile;
      const payload = { file: name, sourceRoot: '', sourcesContent: [], ...file };
      maps.set(path, { file, map: new SourceMap({ ...payload, sources: [...file.sources], names: [] } as never) });
    } catch {
      maps.set(path, undefined);
    }
  }
  return maps.get(path);
}
