/** Says what a deploy of this checkout would change in an environment, before it does. */
import { join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { Deployment } from '#core/config/deployment.ts';
import { given } from '#core/given.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { runCommand } from '#local/shell/run-command.ts';
import { UserError } from '#local/shell/user-error.ts';
import { HOLDFAST_DIRECTORY, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { prepareAssembly } from './assembly.ts';
import { cdkCommand, runLocalCdk } from './cdk-cli.ts';
import { type Changes, compareTemplates, renderChanges, type StackPair } from './compare-templates.ts';
import { readStackPairs } from './read-stacks.ts';

export interface SynthesizedChanges {
  /** The cloud assembly that was compared; a deploy of it deploys exactly that. */
  readonly assembly: string;
  readonly changes: Changes;
  readonly pairs: readonly StackPair[];
  readonly lines: readonly string[];
}

/**
 * Synthesizes, reads what is deployed and compares: in the account of the credentials, or in a local AWS. Throws UserError
 * with the CDK CLI's words when the synthesis fails, and what AWS answers when it refuses to show a template.
 */
export async function showChanges(
  deployment: Deployment,
  local?: LocalAws,
  app: string = PROJECT_ROOT,
): Promise<SynthesizedChanges> {
  const { region, config } = deployment;
  const { environment } = config;
  const assembly = join(local?.directory ?? HOLDFAST_DIRECTORY, `cdk.diff-${environment}`);
  const synth = ['synth', `${environment}/*`, '-c', `environment=${environment}`, '--quiet', '--output', assembly];
  if (local === undefined) {
    const { code, output } = await runCommand(process.execPath, [cdkCommand(), ...synth, '--no-notices'], {
      cwd: app,
    });
    if (code !== 0) throw new UserError(output.trim());
  } else {
    await runLocalCdk(local, synth, { cwd: app });
    await prepareAssembly(assembly, environment, local.endpoint);
  }
  const clientOf = (own = region): CloudFormationClient =>
    local ? createAwsClients(local).cloudFormation : new CloudFormationClient(given({ region: own }));
  const pairs = await readStackPairs(join(assembly, `assembly-${environment}`), clientOf);
  const changes = compareTemplates(pairs);
  return { assembly, changes, pairs, lines: renderChanges(environment, changes) };
}
