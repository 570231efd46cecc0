/**
 * `npm run changelog -- <version>`: joins the files of changes/ into a section of CHANGELOG.md, above the others, and removes
 * them. A file says `added`, `changed`, `fixed` or `removed` in its first line, and what a user should know below it.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';

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

/** The changelog with a section for these changes, above the newest one. */
export function withRelease(changelog: string, version: string, day: string, changes: readonly Change[]): string {
  const parts = KINDS.flatMap(kind => {
    const texts = changes.filter(change => change.kind === kind).map(({ text }) => text);
    const lines = texts.map(text => (text.startsWith('- ') ? text : `- ${text.replaceAll('\n', '\n  ')}`));
    return lines.length === 0 ? [] : [`### ${kind[0]?.toUpperCase()}${kind.slice(1)}\n${lines.join('\n')}\n`];
  });
  const at = changelog.indexOf('\n## ');
  if (at < 0) throw new Error('CHANGELOG.md has no section: it must have a line that begins with "## "');
  return `${changelog.slice(0, at)}\n## ${version} (${day})\n\n${parts.join('\n')}${changelog.slice(at)}`;
}

if (import.meta.main) {
  const [version = ''] = argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    console.error(`Give the version to release, such as 0.2.0. Given: ${JSON.stringify(version)}.`);
    process.exitCode = 1;
  } else {
    const [file, changes] = [join(ROOT, 'CHANGELOG.md'), readChanges()];
    const day = new Date().toISOString().slice(0, 10);
    writeFileSync(file, withRelease(readFileSync(file, 'utf8'), version, day, changes));
    for (const change of changes) rmSync(join(ROOT, 'changes', change.file));
    console.log(`CHANGELOG.md has ${changes.length} changes under ${version}.`);
  }
}
