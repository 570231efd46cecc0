import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REFUSALS } from '#core/inbound/ingest/refusals.ts';
import { ROOT } from './pages.ts';

it('the protocol names every answer of the front door, and no other', () => {
  const codes = Object.values(REFUSALS).map(({ error }) => error);
  const page = readFileSync(join(ROOT, 'docs/understand/how-receiving-works.md'), 'utf8');
  const table = page.slice(page.indexOf('## How a provider is answered'), page.indexOf('## The processor'));
  const named = [...table.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[a-z_]+(?=`)/g) ?? [],
  );
  expect(named.filter(name => name !== 'error').sort()).toEqual([...new Set(codes)].sort());
});
