import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderProviderDocs } from '#cli/generate-provider-docs.ts';
import { PROVIDERS } from '#providers/index.ts';

const root = new URL('../../../', import.meta.url);
const pages = renderProviderDocs();

describe('the documentation of the providers', () => {
  it('is what npm run docs:providers makes of providers/', () => {
    const stale = [...pages].filter(([path, text]) => readFileSync(new URL(path, root), 'utf8') !== text);
    expect(
      stale.map(([path]) => path),
      'run npm run docs:providers and commit the pages',
    ).toEqual([]);
  });

  it('has no page without a provider', () => {
    const names = readdirSync(new URL('docs/providers', root)).map(name => `docs/providers/${name}`);
    expect(names.filter(name => !pages.has(name))).toEqual([]);
  });

  it('shows on each page what is not confirmed, and nothing undefined', () => {
    for (const spec of Object.values(PROVIDERS)) {
      const text = pages.get(`docs/providers/${spec.id}.md`) ?? '';
      for (const note of spec.unconfirmed ?? []) expect(text).toContain(note);
      expect(text).toContain(spec.checkedOn);
      expect(text).not.toMatch(/undefined|\[object/);
    }
  });
});
