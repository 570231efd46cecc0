/** Pages of docs/ for who has no checkout at hand: runbooks of alarms, pages of providers. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameIn, type Place } from '#core/names.ts';
import { shortAlarm } from '#core/words.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';

const DOCS = join(import.meta.dirname, '../../docs');

/** The page's Markdown; of a runbook also by the id of an alarm that it is about. Throws OperatorError (not found). */
export async function readGuide(kind: 'runbooks' | 'providers', name: string): Promise<string> {
  if (/^[a-z0-9-]{1,80}$/.test(name)) {
    try {
      return await readFile(join(DOCS, kind, `${name}.md`), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  const ofAlarm = kind === 'runbooks' ? await pageOfAlarm(name) : undefined;
  if (ofAlarm !== undefined) return ofAlarm;
  throw new OperatorError(
    `There is no page "${name.slice(0, 80)}" in docs/${kind}${await nearOf(kind, name)}`,
    'not_found',
  );
}

/** The page that lists the alarm: by its own id, or as `id-…` for one that goes on behind a hyphen. */
async function pageOfAlarm(alarm: string): Promise<string | undefined> {
  let found: { readonly name: string; readonly text: string } | undefined;
  for (const page of await namesOf('runbooks')) {
    const text = await readFile(join(DOCS, 'runbooks', `${page}.md`), 'utf8');
    for (const [, name = ''] of text.matchAll(/`([a-z-]+?)(?:-…)?` \((?:page|ticket|notice), /g)) {
      const isOf = alarm === name || alarm.startsWith(`${name}-`);
      if (isOf && name.length > (found?.name.length ?? 0)) found = { name, text };
    }
  }
  return found?.text;
}

/** Any page of docs/, by the path that a message names it with. Throws OperatorError (not found). */
async function readPage(path: string): Promise<string> {
  if (/^docs\/([a-z0-9-]+\/)*[A-Za-z0-9-]+\.md$/.test(path)) {
    const text = await readFile(join(DOCS, path.slice('docs/'.length)), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  throw new OperatorError(`There is no page "${path.slice(0, 80)}"`, 'not_found');
}

export interface Guide {
  readonly name: string;
  /** Its first heading. */
  readonly title: string;
}

/** All pages of a kind, by name. */
export async function listGuides(kind: 'runbooks' | 'providers'): Promise<readonly Guide[]> {
  const names = (await namesOf(kind)).filter(name => name !== 'README');
  return Promise.all(
    names.map(async name => {
      const text = await readFile(join(DOCS, kind, `${name}.md`), 'utf8');
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name };
    }),
  );
}

async function namesOf(kind: string): Promise<readonly string[]> {
  const files = await readdir(join(DOCS, kind)).catch(() => []);
  return files
    .filter(file => file.endsWith('.md'))
    .map(file => file.slice(0, -3))
    .toSorted();
}

/** What somebody may have meant: the pages that share most words with the name. */
async function nearOf(kind: string, name: string): Promise<string> {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word.length > 2);
  const shared = (page: string): number => page.split('-').filter(word => words.includes(word)).length;
  const near = (await namesOf(kind)).filter(page => shared(page) > 0).toSorted((a, b) => shared(b) - shared(a));
  const meant = near.length === 0 ? '' : `. Did you mean ${near.slice(0, 3).join(', ')}?`;
  return `${meant}${kind === 'runbooks' ? '\n  fix: holdfast runbook, which lists all' : ''}`;
}

/**
 * What to do about an alarm, by its name, its page's, or the path that a message names it with; with the environment filled
 * in. Throws OperatorError (not found).
 */
export async function readRunbook(
  operator: Pick<Operator, 'environment' | 'program' | 'deployment'>,
  alarm: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const name = pageOf(alarm, operator.environment);
  const isPage = alarm.startsWith('docs/') && !alarm.startsWith('docs/runbooks/');
  return { name, text: filledIn(await (isPage ? readPage(alarm) : readGuide('runbooks', name)), operator) };
}

/** `holdfast-prod-process-queue-age` and `process-queue-age.md` are the page `process-queue-age`. */
function pageOf(alarm: string, environment: string): string {
  return shortAlarm(alarm.replace(/^.*\//, '').replace(/\.md$/, ''), environment);
}

/** A page is read where no configuration can be, too. */
function placeOf(operator: Parameters<typeof readRunbook>[0]): Place {
  try {
    return operator.deployment.config;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { environment: operator.environment };
  }
}

/** `1` in the table of what to do is a step of "Repair" below it: in a terminal nothing else says so. */
function withRepairs(markdown: string): string {
  const [whole = '', table = ''] = /\n## Decide\n([\s\S]*?)\n## Repair\n\n1\. /.exec(markdown) ?? [];
  const named = table
    .split('\n')
    .map(line => {
      const last = line.lastIndexOf('|', line.length - 2) + 1;
      return line.slice(0, last) + line.slice(last).replaceAll(/(?<=^ | )([1-9])(?=[,;: ]|$)/g, 'repair $1');
    })
    .join('\n');
  return markdown.replace(whole, () => whole.replace(table, () => named));
}

/** The page's commands as this person types them here. */
function filledIn(markdown: string, operator: Parameters<typeof readRunbook>[0]): string {
  const { environment, program } = operator;
  return withRepairs(markdown)
    .replaceAll(/^ENV=\S+$\n?/gm, '')
    .replaceAll('$ENV', environment)
    .replaceAll('holdfast-<environment>-', nameIn(placeOf(operator), ''))
    .replaceAll(/(?<=`)holdfast (?=[a-z])/g, `${program} `)
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .trimEnd();
}
