/** What `holdfast prove` breaks in the middle of its events, what must ring for it, and how it is mended. */
import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteResourcePolicyCommand, PutResourcePolicyCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { MINUTE_MS } from '#core/time.ts';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import { SWEEP } from './guard.ts';

export interface BreakStage {
  readonly clients: Omit<AwsClients, 'ses'> & { readonly lambda: LambdaClient };
  /** Of the gateway's stack. Throws where it has none of the name. */
  output(name: string): string;
  /** What a function may have at once while nothing is broken. */
  readonly reserved: { readonly process: number };
  /** Messages that wait in the work queue. */
  waiting(): Promise<number>;
  /** Share of the events that were sent since the break began and are at their end. */
  ended(): Promise<number>;
}

export interface Break {
  readonly name: string;
  /** How long it stays broken behind its events, on AWS. On this machine seconds do. */
  readonly holdMs: number;
  readonly localHoldMs: number;
  /** Beginnings of the ids of alarms that must ring where it is held as long as that. */
  readonly rings: readonly string[];
  /** Why the local AWS does not show it. Absent: it does. */
  readonly notLocally?: string;
  begin(stage: BreakStage): Promise<void>;
  /** Behind its events, before it is mended: did it bite? */
  bites(stage: BreakStage, since: Date): Promise<boolean>;
  /** May be called at any time, and again. */
  mend(stage: BreakStage): Promise<void>;
}

const limit = (stage: BreakStage, name: string, ReservedConcurrentExecutions: number): Promise<unknown> =>
  stage.clients.lambda.send(
    new PutFunctionConcurrencyCommand({ FunctionName: stage.output(name), ReservedConcurrentExecutions }),
  );

/** Asks a function without giving it anything to do. */
async function isOff({ clients, output }: BreakStage, name: string): Promise<boolean> {
  try {
    const Payload = Buffer.from('{"Records":[]}');
    await clients.lambda.send(new InvokeCommand({ FunctionName: output(name), Payload }));
    return false;
  } catch (error) {
    return error instanceof Error && error.name === 'TooManyRequestsException';
  }
}

const setWriteLimit = ({ clients, output }: BreakStage, MaxWriteRequestUnits: number): Promise<unknown> =>
  clients.dynamo.send(
    new UpdateTableCommand({ TableName: output('EventsTable'), OnDemandThroughput: { MaxWriteRequestUnits } }),
  );

const tableThrottled: Break = {
  name: 'the table of records takes one write a second',
  holdMs: MINUTE_MS,
  localHoldMs: 1_000,
  rings: ['ingest-table-throttled'],
  notLocally: 'it throttles no table',
  begin: async stage => void (await setWriteLimit(stage, 1)),
  async bites({ clients, output }, since) {
    const { Datapoints = [] } = await clients.cloudWatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'AWS/DynamoDB',
        MetricName: 'WriteThrottleEvents',
        Dimensions: [{ Name: 'TableName', Value: output('EventsTable') }],
        StartTime: since,
        EndTime: new Date(),
        Period: 60,
        Statistics: ['Sum'],
      }),
    );
    return Datapoints.some(({ Sum = 0 }) => Sum > 0);
  },
  // -1: no limit of ours.
  mend: async stage => void (await setWriteLimit(stage, -1)),
};

async function tableArn({ clients, output }: BreakStage): Promise<string> {
  const { FunctionArn = '' } = await clients.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: output('ProcessFunction') }),
  );
  const [, partition, , region, account] = FunctionArn.split(':');
  return `arn:${partition}:dynamodb:${region}:${account}:table/${output('EventsTable')}`;
}

const denied: Break = {
  name: 'the role of process may not touch the table of records',
  holdMs: 2 * MINUTE_MS,
  localHoldMs: 1_000,
  rings: ['process-'],
  notLocally: 'it evaluates no policy',
  async begin(stage) {
    const { Role } = await stage.clients.lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: stage.output('ProcessFunction') }),
    );
    const [ResourceArn, AWS] = [await tableArn(stage), Role];
    const denies = { Effect: 'Deny', Principal: { AWS }, Action: 'dynamodb:*', Resource: ResourceArn };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [denies] });
    await stage.clients.dynamo.send(new PutResourcePolicyCommand({ ResourceArn, Policy }));
  },
  bites: async stage => (await stage.ended()) < 0.5,
  mend: async stage => {
    await stage.clients.dynamo.send(new DeleteResourcePolicyCommand({ ResourceArn: await tableArn(stage) }));
  },
};

const processorOff: Break = {
  name: 'process may not run, and its queue is purged',
  holdMs: 5 * MINUTE_MS,
  localHoldMs: 5_000,
  rings: ['process-queue-age'],
  begin: async stage => void (await limit(stage, 'ProcessFunction', 0)),
  async bites(stage) {
    const off = await isOff(stage, 'ProcessFunction');
    const waiting = await stage.waiting();
    await stage.clients.sqs.send(new PurgeQueueCommand({ QueueUrl: stage.output('WorkQueueUrl') }));
    return off && waiting > 0;
  },
  mend: async stage => void (await limit(stage, 'ProcessFunction', stage.reserved.process)),
};

const sweeperOff: Break = {
  name: 'sweep does not run',
  holdMs: 12 * MINUTE_MS,
  localHoldMs: 5_000,
  rings: ['sweep-not-running'],
  begin: async stage => void (await limit(stage, 'SweepFunction', 0)),
  bites: stage => isOff(stage, 'SweepFunction'),
  mend: async stage => void (await limit(stage, 'SweepFunction', SWEEP)),
};

const replaced: Break = {
  name: 'ingest and process are replaced, as a deploy does',
  holdMs: MINUTE_MS,
  localHoldMs: 1_000,
  rings: [],
  async begin({ clients, output }) {
    for (const FunctionName of [output('IngestFunction'), output('ProcessFunction')]) {
      const Description = `holdfast prove, ${new Date().toISOString()}`;
      await clients.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Description }));
    }
  },
  bites: () => Promise.resolve(true),
  mend: () => Promise.resolve(),
};

export const BREAKS: readonly Break[] = [tableThrottled, denied, processorOff, sweeperOff, replaced];

/** What the events themselves must ring for: forged ones and poison. */
export const ALWAYS_RINGS = ['process-new-dead-letters', 'process-dead-letters-open'] as const;
