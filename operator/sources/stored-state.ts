import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { secretName } from '#core/names.ts';
import type { SecretResult } from '#core/ports.ts';
import { storesSecret } from '#core/provider/source-needs.ts';
import type { StoredSecret } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';

/** Of a source, by its id; never printed. */
export async function readStored(operator: Operator, source: string): Promise<StoredSecret> {
  const { secrets } = await operator.gateway();
  return await secrets.read(secretName(operator.deployment.config, source));
}

/** What is stored. Undefined where it is malformed. */
export function parsedOf(stored: StoredSecret): SecretResult | undefined {
  try {
    return parseSecret(stored.text);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * `pairing`: its provider may bring one now. A window that is over has left it `empty`. `malformed`: somebody mistyped it by
 * hand; functions keep the last good one, and new ones answer 503.
 */
export function stateOf(stored: StoredSecret, now: number): StoredSecret['kind'] | 'pairing' | 'malformed' {
  if (stored.kind !== 'set') return stored.kind;
  const parsed = parsedOf(stored);
  if (parsed === undefined) return 'malformed';
  if (parsed.kind !== 'unset') return 'set';
  return now < (parsed.pairingUntil ?? 0) ? 'pairing' : 'empty';
}

/** The command that gives a source its secret: some providers bring it themselves. */
export function commandToSet({ id, spec }: ResolvedSource): string {
  return `sources ${storesSecret(spec) ? 'pair' : 'set-secret'} ${id}`;
}

/** Throws OperatorError (not found) when there is no place for a secret of this source. */
export function mustExist(operator: Operator, source: ResolvedSource, kind: StoredSecret['kind']): void {
  if (kind !== 'absent') return;
  const deploy = operator.environment === 'local' ? 'npm start' : `npm run deploy -- ${operator.environment}`;
  throw new OperatorError(
    `${source.id} has no place for a secret in ${operator.environment}: it needs no secret, or it is not deployed yet (${deploy})`,
    'not_found',
  );
}
