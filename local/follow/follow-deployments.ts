import { setTimeout as wait } from 'node:timers/promises';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { readDeployedHere } from '#local/stacks/deployed-here.ts';
import { type DeployedStack, readDeployedStack } from '#local/stacks/deployed-stack.ts';

const POLL_MS = 1_000;

/** Calls `onDeployed` with the stacks after every deployment to this local AWS from now on, until aborted. */
export async function followDeployments(
  { aws, environment, client }: { aws: LocalAws; environment: string; client: CloudFormationClient },
  onDeployed: (stacks: readonly DeployedStack[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let known = (await readDeployedHere(aws, environment))?.hash;
  while (!signal.aborted) {
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
    const deployed = await readDeployedHere(aws, environment);
    if (signal.aborted || deployed === undefined || deployed.hash === known) continue;
    try {
      const stacks = await Promise.all(deployed.stacks.map(stack => readDeployedStack(client, stack)));
      known = deployed.hash;
      onDeployed(stacks);
    } catch (error) {
      // A busy local AWS: the next look asks again.
      if (!(error instanceof Error)) throw error;
    }
  }
}
