import { describe, expect, it } from 'vitest';
import { defineGateway, type SourceConfig } from '#core/config/gateway-config.ts';
import { ConfigError, resolveConfig } from '#core/config/resolve-config.ts';
import { DAY_MS } from '#core/time.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway as example } from '../../../docs/receive/missing-events-example.ts';

function resolve(source: SourceConfig) {
  const config = defineGateway({ sources: { one: source }, environments: { prod: {} } });
  return resolveConfig(config, 'prod', PROVIDERS).sources[0]?.reconcile;
}
function problemsOf(source: SourceConfig): readonly string[] {
  try {
    resolve(source);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(it => `${it.path}: ${it.given}; ${it.allowed}`);
    throw error;
  }
  return [];
}

describe('reconcile', () => {
  it('is what the guide shows', () => {
    const { sources } = resolveConfig(example, 'prod', PROVIDERS);
    expect(sources.map(it => it.reconcile?.everyMinutes)).toEqual([60, 30]);
  });

  it('is off unless it is asked for, and then has defaults', () => {
    expect(resolve({ provider: 'stripe' })).toBeUndefined();
    expect(resolve({ provider: 'stripe', reconcile: { types: ['invoice.*'] } })).toEqual({
      everyMinutes: 60,
      types: ['invoice.*'],
      lists: [''],
      apiUrl: 'https://api.stripe.com',
      lookbackMs: 86_400_000,
      memoryMs: 30 * DAY_MS,
      settleMs: 900_000,
      callsPerSecond: 5,
      maxPagesPerRun: 200,
    });
    const hooks = ['repos/acme/shop/hooks/1', 'app'];
    const github = resolve({ provider: 'github', reconcile: { hooks, apiUrl: 'https://github.example.com/api/v3' } });
    expect(github).toMatchObject({
      lists: hooks,
      apiUrl: 'https://github.example.com/api/v3',
      memoryMs: 3 * DAY_MS,
    });
  });

  it.each<[string, SourceConfig, RegExp]>([
    ['a provider without a list', { provider: 'shopify', reconcile: {} }, /provider "shopify"; .*: stripe, github$/],
    [
      'Stripe without types',
      { provider: 'stripe', reconcile: {} },
      /^sources\.one\.reconcile\.types: nothing; the event types/,
    ],
    [
      'thin events of Stripe',
      { provider: 'stripe', reconcile: { types: ['invoice.*', 'v2.core.account.*'] } },
      /^sources\.one\.reconcile\.types: "v2\.core\.account\.\*"; types of GET \/v1\/events/,
    ],
    [
      'GitHub without hooks',
      { provider: 'github', reconcile: {} },
      /^sources\.one\.reconcile\.hooks: nothing; the hooks/,
    ],
    [
      'hooks of Stripe',
      { provider: 'stripe', reconcile: { types: ['*'], hooks: ['app'] } },
      /hooks: .*; sources of GitHub/,
    ],
    [
      'a hook by its address',
      { provider: 'github', reconcile: { hooks: ['https://github.com/acme/shop'] } },
      /hooks\[0\]/,
    ],
    [
      'events known by their body',
      { provider: 'stripe', dedupOnBody: true, reconcile: { types: ['*'] } },
      /dedupOnBody/,
    ],
    [
      'a look back, which is gone',
      { provider: 'github', reconcile: { hooks: ['app'], lookbackHours: 100 } as never },
      /lookbackHours: 100; nothing: this key is gone/,
    ],
    ['plain http', { provider: 'stripe', reconcile: { types: ['*'], apiUrl: 'http://localhost:1' } }, /apiUrl/],
    [
      'every minute',
      { provider: 'stripe', reconcile: { types: ['*'], everyMinutes: 1 } },
      /everyMinutes: 1; .*10 to 360/,
    ],
  ])('names what is wrong with %s', (_name, source, wanted) => {
    const problems = problemsOf(source);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(wanted);
  });
});
