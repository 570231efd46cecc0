/** A spec of one's own whose parts have the wrong shape is refused with words, whatever the part: no check may stumble over it. */
import { expect, it } from 'vitest';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { ConfigError, resolveConfig } from '#core/config/resolve-config.ts';
import type { ConfigProblem } from '#core/problem.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { PROVIDERS } from '#providers/index.ts';

type Tree = Record<string, unknown>;

const GENERIC = PROVIDERS['generic'] as ProviderSpec;
const own = (part: object): Tree => ({ ...GENERIC, id: 'own', ...part });

function problemsOf(provider: unknown, providers: Readonly<Record<string, unknown>> = {}): readonly ConfigProblem[] {
  const environments = { prod: { publicUrl: 'https://a.example', alarmTargets: 'nobody' } };
  const config = { sources: { acme: { provider } }, environments } as unknown as GatewayConfig;
  try {
    resolveConfig(config, 'prod', { ...PROVIDERS, ...providers } as typeof PROVIDERS);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

it.each([
  ['verify', { verify: {} }, '{}', 'a list', 'square brackets'],
  ['verify', { verify: 'hmac' }, '"hmac"', 'a list', 'square brackets'],
  ['verify', { verify: undefined }, 'nothing', 'this key is required', 'add verify'],
  ['verify[0]', { verify: ['hmac-sha256'] }, '"hmac-sha256"', 'an object', 'write {'],
  ['verify[0].sig', { verify: [{ alg: 'hmac-sha256' }] }, 'nothing', 'this key is required', 'add sig'],
  ['identity', { identity: [] }, '[]', 'an object', 'write {'],
  ['identity.key[0]', { identity: { key: ['json:id'], type: [] } }, '"json:id"', 'a list', 'square brackets'],
  ['handshakes', { handshakes: {} }, '{}', 'a list', 'square brackets'],
])('%s, given as %j', (field, part, given, allowed, fix) => {
  const told = [
    {
      path: `sources.acme.provider.${field}`,
      given: `${given}, in the spec of the provider "own"`,
      allowed,
      fix: expect.stringContaining(fix),
    },
  ];
  expect(problemsOf(own(part))).toEqual(told);
  // The same from a file of providers/.
  expect(problemsOf('own', { own: own(part) })).toEqual(told);
});

it('a list in place of a spec', () => {
  expect(problemsOf([GENERIC])).toMatchObject([{ path: 'sources.acme.provider', allowed: 'an object' }]);
});

const WRONG = [{}, 'x', [], 5, null, [null], ['x'], true, undefined];

/** The spec with one of its parts, at any depth, in another shape. */
function* misshapen(node: Tree, whole: (part: Tree) => Tree): Generator<Tree> {
  for (const [key, value] of Object.entries(node)) {
    const withPart = (part: unknown): Tree => {
      const copy = (Array.isArray(node) ? [...node] : { ...node }) as Tree;
      copy[key] = part;
      return whole(copy);
    };
    for (const wrong of WRONG) yield withPart(wrong);
    if (typeof value === 'object' && value !== null) yield* misshapen(value as Tree, withPart);
  }
}

it.each(['generic', 'hubspot', 'asana', 'twilio'])('no part of %s makes a check stumble', id => {
  const spec = PROVIDERS[id] as unknown as Tree;
  let refused = 0;
  for (const wrong of misshapen(spec, it => it)) if (problemsOf(wrong).length > 0) refused += 1;
  expect(refused).toBeGreaterThan(100);
});
