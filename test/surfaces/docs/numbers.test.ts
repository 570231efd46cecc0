/** Numbers of the README that the code has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROVIDERS } from '#providers/index.ts';
import { MUTANTS } from '#test/proof/mutants/mutants.ts';
import { ROOT } from './pages.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

it('the README counts the bugs put in on purpose and the providers as they are', () => {
  expect(readme).toContain(`tests that fail for each of ${MUTANTS.length} bugs put in on purpose`);
  expect(readme).toContain(`[${Object.keys(PROVIDERS).length} are there](docs/providers.md)`);
});
