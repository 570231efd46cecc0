/**
 * The files of changes/, and the section of CHANGELOG.md that a release (packages/release.ts) makes of them. A file says `added`, `changed`, `fixed` or `removed` in its first line, and what a user should know below it.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const KINDS = ['added', 'changed', 'fixed', 'removed'] as const;
type Kind = (typeof KINDS)[number];

export interface Change {
  readonly file: string;
  readonly kind: Kind;
  /** Without the first line. */
  readonly text: string;
}

/** The changes that wait for a release, by name. Throws for a file whose first line is no kind, or that says nothing. */
export function readChanges(folder = join(ROOT, 'changes')): readonly Change[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.md') && name !== 'README.md')
    .toSorted()
    .map(name => toChange(name, readFileSync(join(folder, name), 'utf8')));
}

function toChange(file: string, whole: string): Change {
  const [first = '', ...rest] = whole.split('\n');
  const kind = KINDS.find(each => each === first.trim());
  const text = rest.join('\n').trim();
  if (kind === undefined)
    throw new Error(`changes/${file}: the first line is ${JSON.stringify(first)}. Write one of ${KINDS.join(', ')}.`);
  if (text === '')
    throw new Error(`changes/${file} says nothing below its first line. Say what is different for users.`);
  return { file, kind, text };
}

/** The changelog with a section for these changes, and for those of its section "Unreleased", above the newest release. */
export function withRelease(changelog: string, version: string, day: string, changes: readonly Change[]): string {
  const at = changelog.indexOf('\n## ');
  if (at < 0) throw new Error('CHANGELOG.md has no section: it must have a line that begins with "## "');
  const [before, rest] = [changelog.slice(0, at), changelog.slice(at)];
  const [, waiting = ''] = /^\n## Unreleased\n(.*?)(?=\n## |$)/s.exec(rest) ?? [];
  const released = waiting === '' ? rest : rest.slice('\n## Unreleased\n'.length + waiting.length);
  const older = waiting
    .split(/^### /m)
    .slice(1)
    .map(part => part.trim());
  const parts = KINDS.flatMap(kind => {
    const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
    const texts = changes.filter(change => change.kind === kind).map(({ text }) => text);
    const lines = texts.map(text => (text.startsWith('- ') ? text : `- ${text.replaceAll('\n', '\n  ')}`));
    lines.push(...older.filter(part => part.startsWith(`${title}\n`)).map(part => part.slice(title.length + 1)));
    return lines.length === 0 ? [] : [`### ${title}\n${lines.join('\n')}\n`];
  });
  return `${before}\n## ${version} (${day})\n\n${parts.join('\n')}${released}`;
}

/** Writes the section of a release, and removes the files of changes/ that are in it. */
export function writeRelease(version: string, day: string): void {
  const [file, changes] = [join(ROOT, 'CHANGELOG.md'), readChanges()];
  writeFileSync(file, withRelease(readFileSync(file, 'utf8'), version, day, changes));
  for (const change of changes) rmSync(join(ROOT, 'changes', change.file));
}
