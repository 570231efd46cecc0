/** A deployed environment, found by the outputs of its stack: no addresses to copy. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoDbControlStore } from '#adapters/dynamodb/dynamodb-control-store.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbItemStore } from '#adapters/dynamodb/dynamodb-item-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { dynamoDbSearchStore } from '#adapters/dynamodb/dynamodb-search-store.ts';
import { s3Calls } from '#adapters/s3/s3-client.ts';
import { sqsDeadQueue } from '#adapters/sqs/sqs-dead-queue.ts';
import { sqsQueueGauge } from '#adapters/sqs/sqs-queue-gauge.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { systemClock, systemIds, systemTimer } from '#adapters/system.ts';
import type { Deployment } from '#core/config/deployment.ts';
import { given } from '#core/given.ts';
import { shardBook } from '#core/inbound/protocol/shard-book.ts';
import { shardsIn } from '#core/inbound/protocol/spread.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { type Place as Named, nameIn } from '#core/names.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import type { Gateway } from '#operator/gateway.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { AlarmMutes } from './alarm-mutes.ts';
import { cloudWatchLogReader } from './cloudwatch-log-reader.ts';
import { findLocalAws } from './find-local-aws.ts';
import { lambdaProcessor } from './lambda-processor.ts';
import { lambdaReconciler } from './lambda-reconciler.ts';
import { readAlarmGraph, readAlarmParts } from './read-alarm-graph.ts';
import { readAlarms } from './read-alarms.ts';
import { readCounter } from './read-counter.ts';
import { secretsManagerVault } from './secrets-manager-vault.ts';
import { sendHttp } from './send-http.ts';
import { signedDeliveryApi } from './signed-delivery-api.ts';
import { functionsIn, readFunctionStops } from './stopped-functions.ts';

/** A line that went dead (a laptop that slept) is noticed, and what was asked is asked again. */
const TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true } as const;

const STACKS = ['gateway', 'delivery'] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** Throws OperatorError when the stack is not there, or no local AWS runs. Credentials come from the SDK's own chain. */
export async function openGateway(deployment: Deployment, env: Env): Promise<Gateway> {
  const { environment } = deployment.config;
  const local = deployment.emulated ? await findLocalAws(env) : undefined;
  const endpoint = local?.endpoint ?? env['AWS_ENDPOINT_URL'];
  // Where the configuration says so, it is deployed there, whatever the shell says.
  const region = local?.region ?? deployment.region ?? env['AWS_REGION'];
  const settings = { ...given({ region }), ...local, maxAttempts: 3, requestHandler: TIMEOUTS };
  const cloudFormation = new CloudFormationClient(settings);
  const { outputs, deployedAt, account } = await readStack(
    cloudFormation,
    deployment.config,
    'gateway',
    local?.endpoint,
  );
  if (!local && deployment.account !== undefined && account !== deployment.account) {
    throw new OperatorError(
      `${environment} is in account ${deployment.account} (gateway.config.ts), but these credentials are of ${account}: choose another AWS_PROFILE`,
      'credentials',
    );
  }
  const output = (name: string): string => {
    const value = outputs.get(name);
    if (value === undefined)
      throw new OperatorError(`The stack of ${environment} has no output ${name}: deploy it again with this version`);
    return value;
  };
  const deliveryStack = async (): Promise<FoundStack['outputs']> => {
    if (deployment.config.outbound !== undefined)
      return (await readStack(cloudFormation, deployment.config, 'delivery', local?.endpoint)).outputs;
    throw new OperatorError(
      `${environment} sends no webhooks: it has no \`outbound\` in gateway.config.ts (docs/reference/configuration.md)`,
      'not_found',
    );
  };
  const dynamodb = new DynamoDBClient(settings);
  // Queue addresses of a local AWS carry a host name of its choice; the endpoint decides.
  const sqs = new SQSClient({ ...settings, ...(endpoint === undefined ? {} : { useQueueUrlAsEndpoint: false }) });
  const s3 = s3Calls(new S3Client({ ...settings, forcePathStyle: endpoint !== undefined }));
  const bodies = output('BodiesBucket');
  const lambda = new LambdaClient(settings);
  const cloudWatch = new CloudWatchClient(settings);
  const control = dynamoDbControlStore(dynamodb, output('EventsTable'), systemIds);
  const { shards } = deployment.config;
  const shardsOf = shardBook(control, systemClock.now, shards);
  return {
    deployment,
    place: endpoint ?? (await cloudFormation.config.region()),
    deployedAt,
    apiUrl: local ? `${local.endpoint}/_aws/execute-api/${output('ApiId')}` : output('ApiUrl'),
    store: new SpreadStore(new DynamoDbEventStore(dynamodb, output('EventsTable')), shardsIn(shards), shardsOf),
    payloads: new DynamoDbPayloadStore(dynamodb, output('PayloadsTable')),
    search: dynamoDbSearchStore(dynamodb, output('PayloadsTable')),
    blobs: { put: (key, bytes) => s3.put(bodies, key, bytes), get: key => s3.get(bodies, key) },
    control,
    queue: sqsWorkQueue(sqs, output('WorkQueueUrl')),
    dead: sqsDeadQueue(sqs, output('DeadQueueUrl')),
    gauge: sqsQueueGauge(sqs, { main: output('WorkQueueUrl'), dead: output('DeadQueueUrl') }),
    secrets: secretsManagerVault(new SecretsManagerClient(settings)),
    processor: lambdaProcessor(lambda, output('ProcessFunction')),
    async functionStops() {
      const stacks = deployment.config.outbound === undefined ? [outputs] : [outputs, await deliveryStack()];
      return readFunctionStops(lambda, new Map(stacks.flatMap(functionsIn)));
    },
    reconciler: lambdaReconciler(settings, () => output('ReconcileProvidersFunction')),
    async begin(scheduled, how) {
      const stack = scheduled === 'tend' ? await deliveryStack() : outputs;
      const FunctionName = stack.get(`${scheduled[0]?.toUpperCase()}${scheduled.slice(1)}Function`);
      const InvocationType = how === 'try' ? 'DryRun' : 'Event';
      await lambda.send(new InvokeCommand({ FunctionName, InvocationType }));
    },
    delivery: async () => openDelivery(cloudFormation, await deliveryStack(), local?.endpoint),
    outbound: async () => {
      const stack = await deliveryStack();
      const [registry = '', outbox = ''] = [stack.get('RegistryTable'), stack.get('OutboxTable')];
      return new DynamoDbItemStore(dynamodb, { registry, outbox });
    },
    alarms: () => readAlarms(cloudWatch, nameIn(deployment.config, '')),
    mutes: new AlarmMutes(cloudWatch, nameIn(deployment.config, '')),
    alarmGraph: name => readAlarmGraph(cloudWatch, name, systemClock.now()),
    // The local AWS keeps no metrics.
    ...(local === undefined && {
      alarmParts: (name, over) => readAlarmParts(cloudWatch, name, over),
      counted: (metric, source, over) => readCounter(cloudWatch, deployment.config, { metric, source }, over),
    }),
    async ringAlarm(AlarmName, StateReason) {
      await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason }));
    },
    logs: cloudWatchLogReader({
      cloudFormation,
      logs: new CloudWatchLogsClient(settings),
      stackNames: STACKS.filter(it => it === 'gateway' || deployment.config.outbound !== undefined).map(it =>
        nameIn(deployment.config, it),
      ),
      filters: endpoint === undefined,
    }),
    http: sendHttp,
    clock: systemClock,
    ids: systemIds,
    timer: systemTimer,
  };
}

interface FoundStack {
  readonly outputs: ReadonlyMap<string, string>;
  readonly deployedAt: number | undefined;
  readonly account: string;
}

/** The API of the third stack, asked with the same credentials. */
async function openDelivery(
  client: CloudFormationClient,
  outputs: FoundStack['outputs'],
  local: string | undefined,
): Promise<DeliveryApi> {
  const url = (outputs.get('DeliveryApiUrl') ?? '').replace(/\/$/, '');
  // A local AWS gives its APIs names that few programs resolve; by address they are the same.
  const byAddress = local === undefined ? url : `${local}/_aws/execute-api/${new URL(url).hostname.split('.')[0]}`;
  const region = await client.config.region();
  return signedDeliveryApi({ url: byAddress, region, credentials: () => client.config.credentials() }, sendHttp);
}

async function readStack(
  client: CloudFormationClient,
  named: Named,
  stack: 'gateway' | 'delivery',
  local?: string,
): Promise<FoundStack> {
  const StackName = nameIn(named, stack);
  try {
    const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return {
      outputs: new Map((found?.Outputs ?? []).map(it => [it.OutputKey ?? '', it.OutputValue ?? ''])),
      account: found?.StackId?.split(':')[4] ?? 'nobody knows which',
      deployedAt: (found?.LastUpdatedTime ?? found?.CreationTime)?.getTime(),
    };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ValidationError')) throw error;
    const where = local ?? (await client.config.region());
    const elsewhere = local === undefined ? '--env, AWS_PROFILE, AWS_REGION' : '--env, HOLDFAST_PORT';
    throw new OperatorError(
      `There is no stack ${StackName} in ${where}. Deploy it: npm run deploy -- ${named.environment}. Or look elsewhere: ${elsewhere}`,
      'not_found',
      { cause: error },
    );
  }
}
