import { describe, expect, it } from 'vitest';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { computeIdleCost } from './idle-cost.ts';
import { synthEnvironment } from './synth-environment.ts';

describe('the idle cost', () => {
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
