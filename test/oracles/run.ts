/**
 * `npm run oracles`: official SDKs and our engine on the same requests. Prints who agrees and writes test/oracles/RESULTS.md; fails
 * for a disagreement that disagreements.ts does not explain, and for an explanation of none.
 */
import { nodeCrypto } from '../../adapters/crypto/node-crypto.ts';
import type { ProviderSpec } from '../../core/provider/provider-spec.ts';
import type { VerifyContext } from '../../core/verification/verify-context.ts';
import { verifyRequest } from '../../core/verification/verify-request.ts';
import { providerById } from '../../providers/index.ts';
import { type Case, makeCases } from './cases.ts';
import { explain, unusedExplanations } from './disagreements.ts';
import { type Oracle, PUBLIC_URL } from './oracle.ts';
import { type Compared, printReport, versionOf, writeReport } from './report.ts';
import { BODY_SIGNED } from './sdks/body-signed.ts';
import { OTHER } from './sdks/other.ts';
import { TIME_SIGNED } from './sdks/time-signed.ts';
import { URL_SIGNED } from './sdks/url-signed.ts';

const startedAt = performance.now();
const compared: Compared[] = [];
for (const oracle of [...BODY_SIGNED, ...TIME_SIGNED, ...URL_SIGNED, ...OTHER]) compared.push(await compare(oracle));
printReport(compared);
const unknown = compared.flatMap(({ oracle, disagreements }) =>
  disagreements
    .filter(({ explanation }) => explanation === undefined)
    .map(
      it => `${oracle.provider} ${oracle.call}, ${it.name}: the SDK ${said(it.sdk)}, we ${said(it.ours)} (${it.cause})`,
    ),
);
const unused = unusedExplanations();
for (const problem of [...unknown, ...unused]) console.error(`✗ ${problem}`);
if (unknown.length + unused.length > 0) {
  console.error(`\n${unknown.length} disagreements are not explained, ${unused.length} explanations are of none.`);
  process.exit(1);
}
await writeReport(compared);
console.log(`\ntest/oracles/RESULTS.md is written (${Math.round((performance.now() - startedAt) / 1_000)} s).`);
// Some SDKs leave timers behind.
process.exit(0);

function said(accepted: boolean): string {
  return accepted ? 'accepts' : 'refuse';
}

async function compare(oracle: Oracle): Promise<Compared> {
  const whole = providerById(oracle.provider);
  const scheme = whole.verify.find(({ id }) => oracle.scheme === undefined || id === oracle.scheme);
  if (!scheme) throw new RangeError(`provider "${oracle.provider}" has no scheme "${oracle.scheme}"`);
  const spec = { ...whole, verify: [scheme] };
  const cases = await makeCases(spec, scheme, oracle);
  const result: Compared = { oracle, version: versionOf(oracle.sdk), cases: cases.length, disagreements: [] };
  for (const one of cases) {
    const sdk = await sdkAccepts(oracle, one);
    const { ours, cause } = await weAccept(spec, oracle, one);
    if (one.name.startsWith('genuine') && !(sdk && ours)) {
      throw new Error(`${oracle.provider}: "${one.name}" must be accepted by both (SDK ${sdk}, we ${ours}, ${cause})`);
    }
    if (sdk === ours) continue;
    result.disagreements.push({ name: one.name, sdk, ours, cause, explanation: explain(oracle, one.name, sdk) });
  }
  return result;
}

async function sdkAccepts(oracle: Oracle, { request }: Case): Promise<boolean> {
  try {
    return await oracle.accepts(request);
  } catch {
    return false;
  }
}

async function weAccept(
  spec: ProviderSpec,
  oracle: Oracle,
  { request }: Case,
): Promise<{ ours: boolean; cause: string }> {
  const context: VerifyContext = {
    secret: { current: oracle.secret },
    nowMs: Date.now(),
    publicUrl: PUBLIC_URL,
    settings: oracle.settings ?? {},
    crypto: nodeCrypto,
    ...(oracle.keys === undefined ? {} : { keys: oracle.keys }),
  };
  const verdict = await verifyRequest(spec, request, context);
  return verdict.kind === 'verified' ? { ours: true, cause: 'verified' } : { ours: false, cause: verdict.cause };
}
