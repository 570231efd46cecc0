import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIXED_COSTS_FILE } from '#operator/cost/fixed-costs.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { computeFixedCosts, computeIdleCost, IDLE_COST_PAGE, renderIdleCostPage } from './idle-cost.ts';
import { synthEnvironment } from './synth-environment.ts';

describe('the idle cost', () => {
  it('on the page is the one of the templates', async () => {
    expect(readFileSync(IDLE_COST_PAGE, 'utf8'), 'run: node test/lib/synth/idle-cost.ts').toBe(
      await renderIdleCostPage(),
    );
  });

  it('in the cost command is the one on the page', async () => {
    expect(JSON.parse(readFileSync(FIXED_COSTS_FILE, 'utf8')), 'run: node test/lib/synth/idle-cost.ts').toEqual(
      await computeFixedCosts(),
    );
  });

  it('in the README is the one on the page', () => {
    const page = readFileSync(IDLE_COST_PAGE, 'utf8');
    const totals = /\*\*together\*\* \| \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\*/.exec(page);
    const readme = readFileSync(join(IDLE_COST_PAGE, '../../README.md'), 'utf8');
    expect(totals).not.toBeNull();
    for (const dollars of totals?.slice(1) ?? []) expect(readme).toContain(`$${dollars}`);
  });

  it('follows the templates: a source more, a warm environment more', async () => {
    const total = async (config: Parameters<typeof synthEnvironment>[1]) =>
      computeIdleCost(await synthEnvironment('prod', config)).reduce((sum, line) => sum + line.dollars, 0);
    const plain = await total(gateway);
    const more = { ...gateway, sources: { ...gateway.sources, second: { provider: 'stripe' } } };
    expect((await total(more)) - plain).toBeGreaterThan(0.4);
    const warm = { ...gateway, environments: { prod: { ingestProvisionedConcurrency: 2 } } };
    expect((await total(warm)) - plain).toBeCloseTo(2 * 4.38, 1);
  });

  it('stays at a few tens of dollars', async () => {
    const lines = computeIdleCost(await synthEnvironment('prod'));
    expect(lines.reduce((sum, line) => sum + line.dollars, 0)).toBeLessThan(40);
  });
});
