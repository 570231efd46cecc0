/** Pages of docs/ for who has no checkout at hand: runbooks of alarms, pages of providers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '#operator/operator-error.ts';

const DOCS = join(import.meta.dirname, '../../docs');

/** The page's Markdown. Throws OperatorError (not found). */
export async function readGuide(kind: 'runbooks' | 'providers', name: string): Promise<string> {
  if (/^[a-z0-9-]{1,80}$/.test(name)) {
    try {
      return await readFile(join(DOCS, kind, `${name}.md`), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new OperatorError(
    `There is no page "${name.slice(0, 80)}" in docs/${kind}: choose one from the list there`,
    'not_found',
  );
}
