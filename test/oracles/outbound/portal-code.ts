/**
 * The code that the portal gives to customers, in its six languages, as receivers of what our signer signs in each form.
 * Each must accept what is genuine and refuse everything else. Fails when one does not, or when none could be asked; a
 * language that is not installed is named.
 */
import { FORMS, LANGUAGES } from '../../../portal/app/verify-code.ts';
import { askSnippet, interpreterOf, snippetCases } from '../../kit/verify-snippets.ts';

let wrong = 0;
let asked = 0;
for (const language of LANGUAGES) {
  const version = interpreterOf(language);
  if (version === undefined) {
    console.error(`\n!!! NOT RUN: the portal's ${language} code, because ${language} is not installed !!!\n`);
    continue;
  }
  asked += 1;
  let accepted = 0;
  let refused = 0;
  for (const profile of Object.keys(FORMS)) {
    const cases = snippetCases(profile);
    const verdicts = askSnippet(language, profile, cases);
    if (verdicts.length !== cases.length)
      throw new Error(`${language}, ${profile}: ${verdicts.length} answers to ${cases.length} cases`);
    accepted += verdicts.filter(Boolean).length;
    refused += verdicts.filter(each => !each).length;
    for (const [n, { name, genuine }] of cases.entries()) {
      if (verdicts[n] === genuine) continue;
      wrong += 1;
      console.error(`✗ ${language}, ${profile}: "${name}" ${genuine ? 'refused' : 'accepted'}`);
    }
  }
  console.log(`portal code in ${language} (${version}): ${accepted} accepted, ${refused} refused`);
}
console.log(`${asked} of ${LANGUAGES.length} languages, ${wrong} wrong`);
process.exit(wrong === 0 && asked > 0 ? 0 : 1);
