/** Secrets of sources that move to another environment with their events. */

import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { secretName } from '#core/names.ts';
import { utf8 } from '#core/scan/bytes.ts';
import type { Operator } from '#operator/operator.ts';
import { asSecretReader } from '#operator/sealed-secrets.ts';
import { readStored } from './stored-state.ts';

/** As they are stored, a rotation that is on with them, by source; `only`: of one. Throws OperatorError (credentials) for whoever may not. */
export function readSourceSecrets(operator: Operator, only?: string): Promise<Readonly<Record<string, string>>> {
  const rights = `secretsmanager:DescribeSecret and GetSecretValue on ${secretName(operator.deployment.config, '*')}`;
  return asSecretReader(operator, rights, async () => {
    const found: Record<string, string> = {};
    for (const id of operator.sourceIds.filter(each => only === undefined || each === only)) {
      const { text } = await readStored(operator, id);
      if (text !== undefined && parseSecret(text).kind === 'secret') found[id] = text;
    }
    return found;
  });
}

export interface BroughtSecrets {
  readonly set: readonly string[];
  readonly there: readonly string[];
  /** They have another secret here, or no place for one: left as they are. */
  readonly left: readonly string[];
}

/** Sets those that have none. Run twice it sets nothing. */
export async function bringSourceSecrets(
  operator: Operator,
  wanted: Readonly<Record<string, string>>,
  dryRun: boolean,
): Promise<BroughtSecrets> {
  const { secrets } = await operator.gateway();
  const result = { set: [] as string[], there: [] as string[], left: [] as string[] };
  for (const [id, text] of Object.entries(wanted)) {
    const name = secretName(operator.deployment.config, id);
    const stored = await secrets.read(name);
    const isUnset = stored.kind !== 'absent' && parseSecret(stored.text).kind === 'unset';
    if (!operator.sourceIds.some(each => each === id) || stored.kind === 'absent') result.left.push(id);
    else if (isUnset) {
      if (!dryRun) await secrets.write(name, text);
      result.set.push(id);
    } else if (nodeSigningCrypto.equal(utf8(stored.text ?? ''), utf8(text))) result.there.push(id);
    else result.left.push(id);
  }
  return result;
}
