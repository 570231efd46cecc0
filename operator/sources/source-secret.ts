import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { secretName } from '#core/names.ts';
import type { SourceSecret } from '#core/ports.ts';
import { needsSecret } from '#core/provider/source-needs.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { commandToSet } from './stored-state.ts';

/** The stored secret of a source. Throws OperatorError with the command that sets it when there is none. */
export async function readSourceSecret(operator: Operator, source: ResolvedSource): Promise<SourceSecret | undefined> {
  if (!needsSecret(source.spec)) return undefined;
  const { secrets } = await operator.gateway();
  const stored = await secrets.read(secretName(operator.deployment.config, source.id));
  const parsed = parseSecret(stored.text);
  if (parsed.kind === 'secret') return parsed.secret;
  throw new OperatorError(
    `${source.id} has no secret in ${operator.environment}.\nSet it: ${operator.command(commandToSet(source))}`,
  );
}
