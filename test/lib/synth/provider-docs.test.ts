import { describe, expect, it } from 'vitest';
import { renderProviderDocs } from '#cli/generate-provider-docs.ts';
import { PROVIDERS } from '#providers/index.ts';

const pages = renderProviderDocs();

describe('the documentation of the providers', () => {
  it('shows on each page what is not confirmed, and nothing undefined', () => {
    for (const spec of Object.values(PROVIDERS)) {
      const text = pages.get(`docs/providers/${spec.id}.md`) ?? '';
      for (const note of spec.unconfirmed ?? []) expect(text).toContain(note);
      expect(text).toContain(spec.checkedOn);
      expect(text).not.toMatch(/undefined|\[object/);
    }
  });
});
