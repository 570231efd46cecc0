import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { SourceSecret } from '#core/ports.ts';
import { needsSecret } from '#core/provider/source-needs.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { commandToSet, parsedOf, readStored } from './stored-state.ts';

/** The stored secret of a source. Throws OperatorError with the command that sets it when there is none. */
export async function readSourceSecret(operator: Operator, source: ResolvedSource): Promise<SourceSecret | undefined> {
  if (!needsSecret(source.spec)) return undefined;
  const parsed = parsedOf(await readStored(operator, source.id));
  if (parsed?.kind === 'secret') return parsed.secret;
  const what = parsed === undefined ? 'a secret that somebody mistyped' : 'no secret';
  throw new OperatorError(
    `${source.id} has ${what} in ${operator.environment}.\nSet it: ${operator.command(commandToSet(source))}`,
  );
}
