/** `npm run deploy -- <environment>` and `npm run destroy -- <environment>`: the stacks in a real account, or in a local AWS that runs. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { commandToSetAlarmSecret, unheardPages } from '#core/config/alarm-services.ts';
import type { DeployedSource, Deployment } from '#core/config/deployment.ts';
import { narrowAllowLists } from '#core/config/range-cover.ts';
import { given } from '#core/given.ts';
import { nameIn } from '#core/names.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import { findLocalAws, type LocalAws } from '#local/emulator/emulator.ts';
import { checkTypes } from '#local/project/check-types.ts';
import { readDeployment, writtenConfig } from '#local/project/sources.ts';
import { alarmServicesWithoutSecret, fillLocalSecrets, sourcesWithoutSecret } from '#local/project/stored-secrets.ts';
import { terminalProgress } from '#local/shell/progress.ts';
import { FLAG, readArguments } from '#local/shell/read-arguments.ts';
import { runMain } from '#local/shell/run-main.ts';
import { UserError } from '#local/shell/user-error.ts';
import { DRILL_ENVIRONMENT, LOCAL_ENVIRONMENT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { adoptSecrets } from '#local/stacks/adopt-secrets.ts';
import { cdkArguments } from '#local/stacks/cdk-arguments.ts';
import { cdkCommand } from '#local/stacks/cdk-cli.ts';
import type { StackPair } from '#local/stacks/compare-templates.ts';
import { deployStacks } from '#local/stacks/deploy-stacks.ts';
import { emptyBodies } from '#local/stacks/empty-bodies.ts';
import { findStack } from '#local/stacks/find-stack.ts';
import { keptUnderOtherNames } from '#local/stacks/kept-under-other-names.ts';
import { leftStacks } from '#local/stacks/left-stacks.ts';
import { unprotectFailedStack } from '#local/stacks/unprotect-failed-stack.ts';
import { commandToSet } from '#operator/sources/stored-state.ts';

const ON_THIS_MACHINE: Readonly<Record<string, string>> = {
  [LOCAL_ENVIRONMENT]: 'npm start',
  [DRILL_ENVIRONMENT]: 'npm run drill -- dead-letter',
};

const DEEP = 'It sends signed events through the public URL and reads them back.';

interface Options {
  readonly deployment: Deployment;
  readonly destroy: boolean;
  readonly yes: boolean;
  /** A further gateway in this account and region is meant. */
  readonly beside: boolean;
}

async function main(): Promise<number> {
  const { deployment, destroy, yes, beside } = readOptions();
  const environment = deployment.config.environment;
  const here = environment in ON_THIS_MACHINE ? await runningAws(environment) : undefined;
  if (!destroy) await terminalProgress().step('Check the types', () => checkTypes(PROJECT_ROOT));
  if (here !== undefined) return await deployHere(deployment, here);
  const client = new SecretsManagerClient(settingsOf(deployment));

  // The first deployment creates the secrets; from then on a source that cannot verify anything stops the next one.
  // Asked before a destruction, too: without credentials it says so, in our words and not in CDK's.
  const isFirst = !(await isDeployed(deployment)) || destroy;
  const missing = isFirst ? [] : await sourcesWithoutSecret(client, deployment);
  if (missing.length > 0) {
    throw new UserError(
      `Not deployed: ${listOf(missing)} in ${environment} would answer 503 to every webhook, because it has no secret. Set it (or remove the source from gateway.config.ts), then deploy again:\n\n${missing.map(each => secretCommand(each, environment)).join('\n')}\n`,
    );
  }
  if (isFirst && !destroy && !beside) await refuseOtherNames(deployment);
  // What compares templates takes a third of a second to load.
  const announced = isFirst
    ? undefined
    : await (await import('#local/stacks/announce-changes.ts')).announceChanges(deployment);
  if (!yes) await confirm(deployment, destroy);

  if (!destroy) await clearFailedStart(deployment);
  if (announced) await takeSecretsBack(deployment, client, announced.pairs);
  const assembly = announced?.assembly;
  if (destroy && deployment.disposable) await emptyBucketsOf(deployment);
  const code = await runCdk(cdkArguments(deployment, { destroy, yes, ...given({ assembly }) }));
  if (code === 0) for (const { line } of await leftStacks(deployment)) console.log(`\nStill there: ${line}`);
  if (code !== 0 || destroy) return code;

  // After all that CloudFormation printed, where it is read.
  console.log(`\nSee it work: npm run holdfast -- doctor --deep --env ${environment}\n${DEEP}`);
  const unheard = unheardPages(deployment);
  if (unheard !== undefined) console.log(`\n${unheard}`);
  for (const line of narrowAllowLists(deployment)) console.log(`\n${line}`);
  const unset = await sourcesWithoutSecret(client, deployment);
  if (unset.length > 0) {
    console.log(`\nNo secret yet for ${listOf(unset)}: webhooks get 503 until it is set. Each command asks for it:\n`);
    for (const each of unset) console.log(secretCommand(each, environment));
  }
  const silent = await alarmServicesWithoutSecret(client, deployment);
  if (silent.length > 0) {
    const region = await client.config.region();
    console.log('\nNobody hears of alarms there until it has its URL or key (docs/operate/alarms.md):\n');
    for (const each of silent) console.log(`  ${commandToSetAlarmSecret(deployment.config, each, region)}`);
  }
  return 0;
}

function readOptions(): Options {
  const names = Object.keys(writtenConfig().environments).filter(name => !(name in ON_THIS_MACHINE));
  const usage = (destroy: boolean): string =>
    `Usage: npm run ${destroy ? 'destroy' : 'deploy'} -- <environment> [--yes]${destroy ? '' : ' [--beside]'}\nEnvironments in gateway.config.ts: ${names.join(', ')}`;
  const options = { destroy: FLAG, yes: { ...FLAG, short: 'y' }, beside: FLAG, help: { ...FLAG, short: 'h' } } as const;
  const { values, positionals } = readArguments({ options, allowPositionals: true }, usage(false));
  const { destroy, yes, beside, help } = values;
  const [environment, ...others] = positionals;
  if (help) {
    console.log(usage(destroy));
    process.exit(0);
  }
  if (environment === undefined || others.length > 0) throw new UserError(usage(destroy), 2);
  const isHere = environment in ON_THIS_MACHINE;
  if (isHere && destroy)
    throw new UserError(
      `The environment "${environment}" ends with its local AWS: press Ctrl-C where it runs\n${usage(true)}`,
      2,
    );
  const deployment = readDeployment(environment);
  if (!yes && !isHere && !process.stdin.isTTY) {
    throw new UserError(`${destroy ? 'Destroying' : 'Deploying'} ${environment} needs a confirmation: add --yes`, 2);
  }
  return { deployment, destroy, yes, beside };
}

async function runningAws(environment: string): Promise<LocalAws> {
  const aws = await findLocalAws();
  if (aws !== undefined) return aws;
  const start = ON_THIS_MACHINE[environment];
  throw new UserError(`No local AWS is running to deploy ${environment} to. Start it in another terminal: ${start}`);
}

/** Puts this checkout into the local AWS that runs: a fixed handler, without a new, empty gateway. */
async function deployHere(deployment: Deployment, aws: LocalAws): Promise<number> {
  const environment = deployment.config.environment;
  const clients = createAwsClients(aws);
  await deployStacks(aws, clients, terminalProgress(), PROJECT_ROOT, environment);
  await fillLocalSecrets(clients.secrets, deployment);
  console.log(`\n${environment} at ${aws.endpoint} runs your code now.`);
  console.log(`See it work: npm run holdfast -- doctor --deep --env ${environment}`);
  return 0;
}

/** True once a deployment of the environment has succeeded; one that failed half-way may be repeated. */
async function isDeployed(deployment: Deployment): Promise<boolean> {
  const stack = await findStack(cloudFormationOf(deployment), nameIn(deployment.config, 'gateway'));
  return /^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(stack?.StackStatus ?? '');
}

/** A changed prefix or name would make new, empty tables beside those that hold the events. */
async function refuseOtherNames(deployment: Deployment): Promise<void> {
  const environments = Object.keys(writtenConfig().environments);
  const others = await keptUnderOtherNames(cloudFormationOf(deployment), deployment, environments);
  if (others.length === 0) return;
  throw new UserError(
    `Not deployed, and nothing was changed: ${nameIn(deployment.config, 'data')} is not there, but ${others.join(', ')}, of no environment in gateway.config.ts. After a changed \`prefix\` or a renamed environment everything would begin empty: events, customers, secrets. Put the old name back. If it is another gateway, and this one is new beside it: npm run deploy -- ${deployment.config.environment} --beside`,
  );
}

/** Without this, a first deploy that failed half-way could not be repeated. */
async function clearFailedStart(deployment: Deployment): Promise<void> {
  const client = cloudFormationOf(deployment);
  const stack = nameIn(deployment.config, 'data');
  if (await unprotectFailedStack(client, stack)) console.log(`The first deploy of ${stack} failed; it is made anew.`);
}

/** Of sources that were taken out and are back: a second secret of the name would be refused. */
async function takeSecretsBack(
  deployment: Deployment,
  secrets: SecretsManagerClient,
  pairs: readonly StackPair[],
): Promise<void> {
  const pair = pairs.find(each => each.name === nameIn(deployment.config, 'data'));
  if (pair === undefined) return;
  const adopted = await adoptSecrets({ cloudFormation: cloudFormationOf(deployment), secrets }, pair);
  if (adopted.length > 0) console.log(`Kept from before, with their values: ${adopted.join(', ')}.`);
}

/** A bucket that holds a body would stop the destruction half-way. */
async function emptyBucketsOf(deployment: Deployment): Promise<void> {
  const clients = { cloudFormation: cloudFormationOf(deployment), s3: new S3Client(settingsOf(deployment)) };
  const deleted = await emptyBodies(nameIn(deployment.config, 'data'), clients);
  if (deleted > 0) console.log(`Deleted ${deleted} large bodies.`);
}

async function confirm(deployment: Deployment, destroy: boolean): Promise<void> {
  const environment = deployment.config.environment;
  const where = `account ${deployment.account ?? 'of your AWS credentials'}, region ${deployment.region ?? 'of your AWS profile'}`;
  const fate = deployment.disposable
    ? 'Stored events are deleted with the stacks.'
    : `The stack ${nameIn(deployment.config, 'data')} is kept: tables, bodies, queues and secrets. The next deploy uses it again, with new URLs.`;
  const question = destroy
    ? `Destroy ${environment} (${where})? ${fate} Type its name to go on: `
    : `Deploy ${environment} (${where})? [y/N] `;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = (await terminal.question(question)).trim();
  terminal.close();
  const agreed = destroy ? answer === environment : /^y(es)?$/i.test(answer);
  if (!agreed) throw new UserError(`Nothing was ${destroy ? 'destroyed' : 'deployed'}.`);
}

function runCdk(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cdkCommand(), ...args, '--no-notices'], {
      cwd: PROJECT_ROOT,
      stdio: 'inherit',
    });
    child.once('error', reject);
    child.once('close', code => resolve(code ?? 1));
  });
}

/** The command that asks for the secret of a source, reads it from a file, or makes it: it is never an argument. */
function secretCommand({ source }: DeployedSource, environment: string): string {
  return `  npm run holdfast -- ${commandToSet(source)} --env ${environment}`;
}

/** Without an answer within seconds it is said that nothing answers. */
function settingsOf({ region }: Deployment) {
  const requestHandler = { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true };
  return { ...given({ region }), requestHandler };
}

const cloudFormationOf = (deployment: Deployment) => new CloudFormationClient(settingsOf(deployment));

function listOf(sources: readonly DeployedSource[]): string {
  return sources.map(each => each.source.id).join(', ');
}

await runMain(main);
