import { type CloudFormationClient, paginateDescribeStacks } from '@aws-sdk/client-cloudformation';
import type { Deployment } from '#core/config/deployment.ts';
import { nameIn } from '#core/names.ts';

/** The data stack of any gateway. */
const DATA = /^(?:[a-z][a-z0-9]*-)?holdfast-[a-z0-9-]+-data$/;

/**
 * Data stacks that are kept there, of no environment in the configuration, while this environment's own is not there: after a
 * changed prefix or name its data is in one of them, and a deploy would begin empty beside it. `environments`: all names in the
 * configuration. Nothing is asked of a disposable environment. Throws what AWS answers.
 */
export async function keptUnderOtherNames(
  client: CloudFormationClient,
  { config, disposable }: Pick<Deployment, 'config' | 'disposable'>,
  environments: readonly string[],
): Promise<readonly string[]> {
  if (disposable) return [];
  const ours = environments.map(environment => nameIn({ ...config, environment }, 'data'));
  const others: string[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    for (const { StackName = '', EnableTerminationProtection } of Stacks) {
      if (StackName === nameIn(config, 'data')) return [];
      if (EnableTerminationProtection && DATA.test(StackName) && !ours.includes(StackName)) others.push(StackName);
    }
  return others;
}
