/** Under which licences a project gets what it installs with Holdfast, by the lock file of this repository. */
import { holdfastManifest, type Manifest, PEERS } from '#packages/manifest.ts';

interface Locked {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly inBundle?: boolean;
}

/** One line: each licence and how many packages have it. Throws for a package that says none. */
export function licencesOf(own: Manifest, locked: Readonly<Record<string, Locked>>): string {
  const found = new Map<string, string>();
  const visit = (name: string, from: string): void => {
    const path = placeOf(name, from, locked);
    if (path === undefined || found.has(path)) return;
    const { license, dependencies = {} } = locked[path] ?? {};
    if (license === undefined) throw new Error(`${path} says no licence in package-lock.json`);
    found.set(path, license);
    for (const each of Object.keys(dependencies)) visit(each, path);
  };
  for (const name of Object.keys({ ...holdfastManifest(own).dependencies, ...PEERS })) visit(name, '');
  // Those that are inside of another package.
  for (const [path, { license, inBundle }] of Object.entries(locked))
    if (inBundle && license !== undefined && [...found.keys()].some(outer => path.startsWith(`${outer}/`)))
      found.set(path, license);
  const counts = new Map<string, number>();
  for (const licence of found.values()) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const list = [...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  return `${found.size} packages: ${list.map(([licence, count]) => `${licence} ${count}`).join(', ')}.`;
}

/** As Node looks for it: beside the package that wants it, then further out. */
function placeOf(name: string, from: string, locked: Readonly<Record<string, Locked>>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (locked[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}
