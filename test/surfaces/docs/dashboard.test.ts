/** docs/dashboard.svg is the dashboard that is deployed: npm run docs:dashboard draws it again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDashboard } from './dashboard/body.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const shown = readFileSync(join(DOCS, 'dashboard.svg'), 'utf8');

async function titles(): Promise<readonly string[]> {
  const { widgets } = await readDashboard('prod');
  return widgets.flatMap(it => it.properties.title ?? []);
}

it('the picture has every widget of prod, in its order, and says what its numbers are', async () => {
  const drawn = [...shown.matchAll(/<text x="10" y="18" class="title">([^<]*)</g)].map(match => match[1]);
  expect(drawn, 'npm run docs:dashboard').toEqual(await titles());
  expect(shown).toContain('Not a screenshot of CloudWatch. The numbers are two simulated hours');
});

it('the page names a widget for each question, and no widget is without one', async () => {
  const page = readFileSync(join(DOCS, 'dashboard.md'), 'utf8');
  const rows = page.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| question'));
  const named = rows.flatMap(
    line =>
      line
        .split('|')[2]
        ?.split(';')
        .map(it => it.trim()) ?? [],
  );
  expect(named.toSorted()).toEqual((await titles()).toSorted());
});
