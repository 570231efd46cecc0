/** What the package's public entries export, read out of their text: name, kind, file, and the docstring before it. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** Entry point to the file that lists its exports. */
export const ENTRIES: Readonly<Record<string, string>> = {
  holdfast: 'sdk/index.ts',
  'holdfast/testing': 'sdk/testing/index.ts',
  'holdfast/publish': 'sdk/publish/index.ts',
  'holdfast/cdk': 'cdk/index.ts',
};

export interface PublicExport {
  readonly name: string;
  readonly isType: boolean;
  /** Where it is declared, from the root. */
  readonly file: string;
  /** Without the stars; undefined where there is none. */
  readonly doc: string | undefined;
}

/** Throws for an export whose declaration is not found: an alias or a default hides where it comes from. */
export function exportsOf(entry: string): readonly PublicExport[] {
  const text = readFileSync(join(ROOT, entry), 'utf8');
  return [...text.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)';/gm)].flatMap(([, type, list = '', from = '']) =>
    list
      .split(',')
      .map(each => each.trim())
      .filter(Boolean)
      .map(each => describe(each.replace(/^type /, ''), type !== undefined || each.startsWith('type '), entry, from)),
  );
}

function describe(name: string, isType: boolean, entry: string, from: string): PublicExport {
  const path = from.startsWith('#') ? from.slice(1) : relative(ROOT, join(ROOT, dirname(entry), from));
  const text = readFileSync(join(ROOT, path), 'utf8');
  const at = text.search(new RegExp(`^export (?:async )?(?:function|const|class|interface|type) ${name}\\b`, 'm'));
  if (at < 0) throw new Error(`${entry} exports ${name}, which ${path} does not declare under this name`);
  const doc = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(text.slice(0, at))?.[1];
  return { name, isType, file: path, doc: doc?.replace(/^[ \t]*\*? ?/gm, '').trim() };
}
