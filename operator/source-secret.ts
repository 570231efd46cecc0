import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { Run } from '#cli/run.ts';
import { secretName } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { SourceSecret } from '#core/ports.ts';
import { needsSecret } from '#core/provider/source-needs.ts';
import { CliError } from './operator-error.ts';
import { commandToSet } from './stored-state.ts';

/** The stored secret of a source. Throws CliError with the command that sets it when there is none. */
export async function readSourceSecret(run: Run, source: ResolvedSource): Promise<SourceSecret | undefined> {
  if (!needsSecret(source.spec)) return undefined;
  const { secrets } = await run.gateway();
  const stored = await secrets.read(secretName(run.environment, source.id));
  const parsed = parseSecret(stored.text);
  if (parsed.kind === 'secret') return parsed.secret;
  throw new CliError(`${source.id} has no secret in ${run.environment}.\nSet it: ${run.command(commandToSet(source))}`);
}
