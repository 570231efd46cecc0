import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './pages.ts';

it('the protocol names every answer of the front door, and no other', () => {
  const replies = readFileSync(join(ROOT, 'core/inbound/ingest/reply.ts'), 'utf8');
  const codes = [...replies.matchAll(/(?:error: |\| )'([a-z_]+)'/g)].map(match => match[1]);
  const page = readFileSync(join(ROOT, 'docs/protocol.md'), 'utf8');
  const table = page.slice(page.indexOf('## What a sender hears'), page.indexOf('## The processor'));
  const named = [...table.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[a-z_]+(?=`)/g) ?? [],
  );
  expect(named.filter(name => name !== 'error').sort()).toEqual(
    [...new Set(codes)].filter(it => it !== 'accepted' && it !== 'already_processed').sort(),
  );
});
