/**
 * The code that the portal gives to customers, run: it takes what our signer signs, under two keys while one ends, and
 * refuses what was changed, is late, or has another secret. Node and Python by default, all six languages in the long run.
 */
import { describe, expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { askSnippet, interpreterOf, SNIPPET_SECRET_ENV, snippetCases } from '#test/kit/verify-snippets.ts';
import { FORMS, LANGUAGES, type Language, verifyCode } from '../../../portal/app/verify-code.ts';

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
