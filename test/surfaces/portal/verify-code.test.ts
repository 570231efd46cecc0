/**
 * The code that the portal gives to customers, run: it takes what our signer signs, under two keys while one ends, and
 * refuses what was changed, is late, or has another secret. Node and Python by default, all six languages in the long run.
 */
import { describe, expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { askSnippet, interpreterOf, SNIPPET_SECRET_ENV, snippetCases } from '#test/kit/verify-snippets.ts';
import { FORMS, LANGUAGES, type Language, verifiedBy, verifyCode } from '../../../portal/app/verify-code.ts';

const asked: readonly Language[] = isLongRun() ? LANGUAGES : ['Node.js', 'Python'];

describe.each(asked)('in %s', language => {
  const version = interpreterOf(language);
  if (version === undefined)
    console.warn(`NOT RUN: the portal's ${language} code, because ${language} is not installed`);
  it.skipIf(version === undefined).each(Object.keys(FORMS))(
    'takes what we sign as %s, and nothing else',
    { timeout: 240_000 },
    profile => {
      const cases = snippetCases(profile);
      const verdicts = askSnippet(language, profile, cases);
      expect(cases.map(({ name }, n) => [name, verdicts[n]])).toEqual(
        cases.map(({ name, genuine }) => [name, genuine]),
      );
    },
  );
});

it('is there in six languages, names the secret, and never has its value', () => {
  for (const language of LANGUAGES)
    for (const form of Object.values(FORMS))
      expect(verifyCode(language, form, SNIPPET_SECRET_ENV)).toContain(SNIPPET_SECRET_ENV);
});

describe('what is shown is what is signed', () => {
  const E = '/v1/apps/{app}/endpoints/{ep}' as const;
  const url = 'https://hooks.customer.com/in';
  it.each([
    [{}, undefined, ['v1']],
    [{ alg: 'ed25519' }, undefined, ['v1a']],
    [{ signature: 'standard-v1a' }, undefined, ['v1a']],
    [{}, { alg: 'ed25519' }, ['v1a', 'v1']],
    [{ alg: 'ed25519' }, { alg: 'sha256' }, ['v1', 'v1a']],
    [{}, { alg: 'ed25519', grace_seconds: 0 }, ['v1a']],
    [{ signature: 't-v1' }, undefined, undefined],
  ] as const)('of %j, rotated with %j: %j', async (body, rotation, versions) => {
    const { call, app, publish, settle, sent, pass } = await withEndpoint();
    const { id: ep } = (await call('POST /v1/apps/{app}/endpoints', { app }, { url, ...body })).body;
    if (rotation) await call(`POST ${E}/secret/rotate`, { app, ep }, rotation);
    pass(1_000);
    const from = sent.length;
    const there = (await call(`GET ${E}`, { app, ep })).body;
    await publish(app, '{"key":"k","type":"a","data":1}');
    await settle();
    const lines = sent.slice(from).flatMap(({ headers }) => headers['webhook-signature'] ?? []);
    const signed = lines.map(line => line.split(' ').map(part => part.slice(0, part.indexOf(','))));
    if (versions) expect(signed).toContainEqual([...versions]);
    const { form, hasPair } = verifiedBy(there);
    expect([form?.before, hasPair]).toEqual([
      versions === undefined ? 'v1=' : versions.some(each => each === 'v1') ? 'v1,' : undefined,
      versions?.some(each => each === 'v1a') ?? false,
    ]);
  });
});
