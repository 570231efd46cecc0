/**
 * The official Standard Webhooks libraries, as receivers of what our sender puts on the wire: one key and several, over a
 * rotation. Each must accept what is genuine for its secret and refuse everything else. Fails when one does not.
 */
import { captureRequests } from '../../kit/samples/captured-requests.ts';
import { LIBRARIES } from './libraries.ts';

const cases = (await captureRequests(Date.now())).filter(({ secret }) => secret.startsWith('whsec_'));
let wrong = 0;
for (const { name, ask } of LIBRARIES) {
  const verdicts = ask(cases);
  if (verdicts.length !== cases.length) throw new Error(`${name} answered ${verdicts.length} of ${cases.length} cases`);
  const disagreements = cases.filter(({ genuine }, i) => verdicts[i] !== genuine);
  const accepted = verdicts.filter(Boolean).length;
  console.log(`${name}: ${accepted} accepted, ${cases.length - accepted} refused, ${disagreements.length} wrong`);
  for (const { name: title, genuine } of disagreements)
    console.error(`✗ ${name}: "${title}" ${genuine ? 'refused' : 'accepted'}`);
  wrong += disagreements.length;
}
process.exit(wrong === 0 ? 0 : 1);
