import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { oneAtATime } from '#local/shell/one-at-a-time.ts';
import type { Progress } from '#local/shell/progress.ts';
import { LOCAL_ENVIRONMENT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { prepareAssembly } from './assembly.ts';
import { runLocalCdk } from './cdk-cli.ts';
import { forgetDeployedHere, readDeployedHere, saveDeployedHere } from './deployed-here.ts';
import { type DeployedStack, readDeployedStack } from './deployed-stack.ts';
import { findStack } from './find-stack.ts';
import { applyFixUps } from './fix-ups.ts';

/**
 * Deploys the stacks of an environment (default `local`): the same app, CLI and bundles as to a real account. Skips the deployment
 * when this local AWS already has exactly these templates, and waits for another process that deploys to it. `app` is the
 * folder of the CDK app, `context` more of what it is asked. Throws UserError with the CLI's own words when it fails.
 */
export async function deployStacks(
  aws: LocalAws,
  clients: AwsClients,
  progress: Progress,
  app: string = PROJECT_ROOT,
  environment = LOCAL_ENVIRONMENT,
  context: readonly string[] = [],
): Promise<readonly DeployedStack[]> {
  const onWait = (pid: number): void => progress.line(`  · Waiting for process ${pid}, which is deploying here`);
  const deploy = () => deployAlone(aws, clients, progress, app, environment, context);
  return await oneAtATime(join(aws.directory, 'deploy.lock'), deploy, { onWait });
}

async function deployAlone(
  aws: LocalAws,
  clients: AwsClients,
  progress: Progress,
  app: string,
  environment: string,
  context: readonly string[],
): Promise<readonly DeployedStack[]> {
  const directory = join(aws.directory, `cdk.out-${environment}`);
  await rm(join(aws.directory, 'cdk.log'), { force: true });
  await rm(directory, { recursive: true, force: true });
  // A failed synthesis must not leave the bootstrap running behind the error.
  const bootstrap = bootstrapIfNeeded(aws, clients);
  bootstrap.catch(() => undefined);
  const assembly = await progress.step('Synthesize and bundle', async () => {
    await runLocalCdk(
      aws,
      ['synth', `${environment}/*`, '-c', `environment=${environment}`, ...context, '--quiet', '--output', directory],
      { cwd: app },
    );
    return await prepareAssembly(directory, environment, aws.endpoint);
  });
  await progress.step('Bootstrap the local account', () => bootstrap);

  const unchanged = (await readDeployedHere(aws, environment))?.hash === assembly.hash;
  if (unchanged) {
    progress.line('  · Stacks unchanged, not deployed again');
  } else {
    await progress.step('Deploy the stacks', async note => {
      await forgetDeployedHere(aws, environment);
      const onLine = (line: string): void => {
        const resource = /\|\s*(?:CREATE|UPDATE)_COMPLETE\s*\|\s*(AWS::\S+)/.exec(line);
        if (resource) note(resource[1] ?? '');
      };
      await runLocalCdk(aws, deployArguments(directory, environment), { cwd: app, onLine });
      note('');
    });
  }
  const stacks = await Promise.all(assembly.stacks.map(stack => readDeployedStack(clients.cloudFormation, stack)));
  if (!unchanged) {
    await progress.step('Set what the local AWS drops', async note => {
      note([...new Set(await applyFixUps(clients, stacks))].join(', '));
    });
    await saveDeployedHere(aws, environment, assembly);
  }
  return stacks;
}

function deployArguments(directory: string, environment: string): readonly string[] {
  const quiet = ['--require-approval', 'never', '--progress', 'events'];
  return ['deploy', '--app', directory, `${environment}/*`, '--method=direct', ...quiet];
}

async function bootstrapIfNeeded(aws: LocalAws, clients: AwsClients): Promise<void> {
  const toolkit = await findStack(clients.cloudFormation, 'CDKToolkit');
  if (toolkit === undefined) await runLocalCdk(aws, ['bootstrap', '--app', '', `aws://unknown-account/${aws.region}`]);
}
