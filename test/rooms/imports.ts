/** What a file imports, and what of it its room may not. */
import { dirname, join, normalize } from 'node:path';
import { MOVED, ROOMS } from './rooms.ts';

/** Modules that a text imports, as they are written: `./x.ts`, `#core/ask.ts`, `node:fs`, `preact/hooks`. */
export function importsIn(text: string): readonly string[] {
  const found = [
    ...text.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'/gm),
    ...text.matchAll(/^import '([^']+)'/gm),
    ...text.matchAll(/\bimport\('([^']+)'\)/g),
  ];
  return found.map(([, spec = '']) => spec);
}

/** The room of a file or folder, by the longest name that fits; `undefined` outside of all (tests, bench, packages). */
export function roomOf(path: string): string | undefined {
  if (MOVED[path] !== undefined) return MOVED[path];
  for (let at = path; at !== '.'; at = dirname(at)) if (Object.hasOwn(ROOMS, at)) return at;
  return undefined;
}

/** Where an import leads: a path from the repository's root, `node:*`, or `npm:` and a package. */
export function targetOf(spec: string, file: string): string {
  if (spec.startsWith('#')) return spec.slice(1);
  if (spec.startsWith('.')) return normalize(join(dirname(file), spec));
  if (spec.startsWith('node:')) return 'node:*';
  return `npm:${spec.split('/', spec.startsWith('@') ? 2 : 1).join('/')}`;
}

function allows(entry: string, target: string): boolean {
  if (entry === target || entry === 'npm:*') return entry === target || target.startsWith('npm:');
  if (target.startsWith('npm:')) return entry.endsWith('/*') && target.startsWith(entry.slice(0, -1));
  if (entry.endsWith('/**')) return target.startsWith(entry.slice(0, -2));
  if (/\.tsx?$/.test(entry))
    return new RegExp(`^${entry.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`).test(target);
  return roomOf(target) === entry;
}

/** Sentences: each import of the file that its room does not allow, and where to say so. */
export function forbiddenImports(file: string, text: string): readonly string[] {
  const room = roomOf(file);
  if (room === undefined) return [];
  const may = (ROOMS[room] ?? '').split(' ').filter(entry => entry !== '');
  return importsIn(text).flatMap(spec => {
    const target = targetOf(spec, file);
    const own = roomOf(target) === room;
    if (!own && !may.some(entry => allows(entry, target)))
      return [`${file} imports ${spec}: ${room} may import ${may.join(', ') || 'nothing'} (test/rooms/rooms.ts)`];
    if (
      room.startsWith('core') &&
      (spec.startsWith('../') || (spec.startsWith('#') && dirname(target) === dirname(file)))
    )
      return [`${file} imports ${spec}: in core/ say ./file.ts in the same folder and #core/room/file.ts for another`];
    return [];
  });
}

/** Rooms that import each other, however far round; empty when there is no circle. `arrows`: by room, those it imports. */
export function circleOf(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const open = new Map(arrows);
  // Takes away the rooms that import none of those left, until none is left: what stays is a circle.
  for (;;) {
    const free = [...open].filter(([, to]) => [...to].every(room => !open.has(room))).map(([room]) => room);
    if (free.length === 0) return [...open.keys()];
    for (const room of free) open.delete(room);
  }
}
