/** Where `holdfast prove` runs: the local AWS, or an account. What differs between them is here and nowhere else. */
import { spawn } from 'node:child_process';
import { paginateDescribeAlarmHistory } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import type { Deployment } from '#core/config/deployment.ts';
import { given } from '#core/given.ts';
import { nameIn } from '#core/names.ts';
import { shortAlarm } from '#core/words.ts';
import { runAlarms } from '#local/alarms/alarms.ts';
import { type AwsClients, clientsWith, createAwsClients } from '#local/emulator/aws-clients.ts';
import { environmentOf, openLocalAws } from '#local/emulator/emulator.ts';
import type { Progress } from '#local/shell/progress.ts';
import { UserError } from '#local/shell/user-error.ts';
import { PROJECT_ROOT } from '#local/shell/workspace.ts';
import { cdkCommand } from '#local/stacks/cdk-cli.ts';
import { deployStacks } from '#local/stacks/deploy-stacks.ts';
import { forgetDeployedHere } from '#local/stacks/deployed-here.ts';

interface PlaceClients extends AwsClients {
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
}

export interface Place {
  readonly emulated: boolean;
  /** For a person. */
  readonly name: string;
  readonly clients: PlaceClients;
  /** With which a program of ours finds it. */
  readonly env: NodeJS.ProcessEnv;
  deploy(progress: Progress): Promise<void>;
  /** After everything was removed. */
  forget(): Promise<void>;
  /** Ids of the alarms that were in ALARM since the deploy. */
  rang(): Promise<ReadonlySet<string>>;
  /** Where an API that is no gateway answers. */
  originOf(output: (name: string) => string): string;
  close(): Promise<void>;
}

const ASKED = ['-c', 'prove=yes'] as const;

export async function openPlace(deployment: Deployment, port: number): Promise<Place> {
  return deployment.emulated ? await openLocal(deployment, port) : await openAccount(deployment);
}

async function openLocal({ config: { environment } }: Deployment, port: number): Promise<Place> {
  const aws = await openLocalAws(port);
  const { endpoint, region, credentials } = aws;
  const settings = { endpoint, region, credentials };
  const own = createAwsClients(aws);
  const clients = {
    ...own,
    lambda: new LambdaClient(settings),
    s3: new S3Client({ ...settings, forcePathStyle: true }),
  };
  const rang = new Set<string>();
  const ended = new AbortController();
  return {
    emulated: true,
    name: `the local AWS (${endpoint})`,
    clients,
    env: { ...process.env, ...environmentOf(aws) },
    async deploy(progress) {
      const stacks = await deployStacks(aws, own, progress, PROJECT_ROOT, environment, ASKED);
      const note = ({ name, to }: { name: string; to: string }): void => {
        if (to === 'ALARM') rang.add(shortAlarm(name, environment));
      };
      runAlarms(aws, own, stacks, note, ended.signal).catch(() => undefined);
    },
    forget: () => forgetDeployedHere(aws, environment),
    rang: () => Promise.resolve(rang),
    originOf: output => `${endpoint}/_aws/execute-api/${output('ProveApiId')}`,
    async close() {
      ended.abort();
      await aws.stop();
    },
  };
}

async function openAccount({ config, region }: Deployment): Promise<Place> {
  const { environment } = config;
  const settings = { ...given({ region }), maxAttempts: 8 };
  const own = { lambda: new LambdaClient(settings), s3: new S3Client(settings) };
  const clients: PlaceClients = { ...clientsWith(settings), ...own };
  let since = new Date();
  return {
    emulated: false,
    name: await clients.lambda.config.region(),
    clients,
    env: process.env,
    async deploy() {
      since = new Date();
      const args = ['deploy', `${environment}/*`, '-c', `environment=${environment}`, ...ASKED];
      const quiet = ['--require-approval', 'never', '--no-notices'];
      const child = spawn(process.execPath, [cdkCommand(), ...args, ...quiet], { cwd: PROJECT_ROOT, stdio: 'inherit' });
      const code = await new Promise(resolve => child.once('close', resolve));
      if (code !== 0) throw new UserError(`cdk deploy ended with ${code}; what it made is removed.`);
    },
    forget: () => Promise.resolve(),
    async rang() {
      const found = new Set<string>();
      const asked = { HistoryItemType: 'StateUpdate', StartDate: since } as const;
      for await (const { AlarmHistoryItems = [] } of paginateDescribeAlarmHistory(
        { client: clients.cloudWatch },
        asked,
      ))
        for (const { AlarmName = '', HistorySummary = '' } of AlarmHistoryItems)
          if (AlarmName.startsWith(nameIn(config, '')) && HistorySummary.endsWith('to ALARM'))
            found.add(shortAlarm(AlarmName, environment));
      return found;
    },
    originOf: output => output('ProveApiUrl'),
    close: () => Promise.resolve(),
  };
}
