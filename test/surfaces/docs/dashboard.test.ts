/** docs/operate/watch.md explains every widget of the dashboard. Its picture: test/written/written.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDashboard } from './dashboard/body.ts';

const DOCS = join(import.meta.dirname, '../../../docs');

async function titles(): Promise<readonly string[]> {
  const { widgets } = await readDashboard('prod');
  return widgets.flatMap(it => it.properties.title ?? []);
}

it('the page names a widget for each question, and no widget is without one', async () => {
  const page = readFileSync(join(DOCS, 'operate/watch.md'), 'utf8').split('## The dashboard')[1] ?? '';
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
