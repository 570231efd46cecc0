import { describe, expect, it } from 'vitest';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { CONFIG, keysOf, renderConfigPage } from './config-page.ts';

describe('docs/reference/configuration.md', () => {
  it('has every key with what is allowed, and its default or that it is required', () => {
    const rows = renderConfigPage()
      .split('\n')
      .filter(line => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(70);
    for (const row of rows) {
      const [, key = '', values = '', , when] = row.split(/(?<!\\)\|/).map(it => it.trim());
      expect([key, values], row).not.toContain('');
      expect(/\*\*[^*]+\*\*/.test(values), row).toBe(!values.startsWith('required'));
      expect(when !== '', row).toBe(!values.startsWith('required'));
      expect(row).not.toMatch(/NaN|undefined/);
    }
  });

  it('states the defaults that run', () => {
    const config = { sources: { name: { provider: 'generic' } }, environments: { prod: {} } };
    const deployment = resolveDeployment(config, 'prod', PROVIDERS);
    const resolved: Readonly<Record<string, unknown>> = {
      ...deployment,
      ...deployment.config,
      ...deployment.sources[0],
      ...deployment.sources[0]?.source,
    };
    let compared = 0;
    for (const { name, fallback } of [...keysOf(CONFIG, 'EnvironmentConfig'), ...keysOf(CONFIG, 'SourceConfig')]) {
      const stated = /^(?:'(\w+)'|([\d,]+)|(true|false))(?:$|;)/.exec(fallback);
      if (!stated || !Object.hasOwn(resolved, name)) continue;
      const [, text, digits, flag] = stated;
      const value = text ?? (digits === undefined ? flag === 'true' : Number(digits.replaceAll(',', '')));
      expect([name, resolved[name]]).toEqual([name, value]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(9);
  });
});
