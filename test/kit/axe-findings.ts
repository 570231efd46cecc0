/** What axe finds wrong with a page, one line each. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** By all its rules, or by those that colours decide. */
export async function axeFindings(page: Page, rules: 'all' | 'colours'): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    async options => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Finding[] }> } };
      return (await axe.run(options)).violations;
    },
    rules === 'all' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] },
  );
  return found.map(({ id, nodes }) => {
    const places = nodes.map(({ target }) => target.join(' '));
    return `${id}: ${places.slice(0, 3).join(' | ')}`;
  });
}
