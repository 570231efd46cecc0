/** `searchable` of a source, as a person writes it. */
import { expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { ConfigError, resolveConfig } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';

const configOf = (searchable: Readonly<Record<string, string>>) =>
  defineGateway({ sources: { shop: { provider: 'shopify', searchable } }, environments: { local: {} } });

function problemsOf(searchable: Readonly<Record<string, string>>): string {
  try {
    resolveConfig(configOf(searchable), 'local', PROVIDERS);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

it('reaches the running code as it was written, and is absent where it was not', () => {
  const fields = { order: '/id', customer: '/customer/email', odd: '/a~1b/0' };
  expect(resolveConfig(configOf(fields), 'local', PROVIDERS).sources[0]?.searchable).toEqual(fields);
  const none = defineGateway({ sources: { shop: { provider: 'shopify' } }, environments: { local: {} } });
  expect(resolveConfig(none, 'local', PROVIDERS).sources[0]).not.toHaveProperty('searchable');
});

it.each([
  [{ Order: '/id' }, 'sources.shop.searchable.Order: given'],
  [{ order: 'id' }, 'a place in the body that begins with a slash'],
  [{ order: '' }, 'a place in the body that begins with a slash'],
  [{ order: '/a~2' }, 'a place in the body that begins with a slash'],
  [{ a: '/a', b: '/b', c: '/c', d: '/d', e: '/e', f: '/f' }, 'at most 5: each costs a write unit per event'],
])('refuses %j and says what is allowed', (searchable, words) => {
  expect(problemsOf(searchable)).toContain(words);
});
