/**
 * `node bench/calibration/calibrate.ts --env dev`: compares what bench/RESULTS.md predicts with an AWS account. It deploys the
 * environment, starts ingest cold 50 times, sends 5,000 warm events (GitHub pushes, one row of effect each), reads the
 * REPORT lines and the consumed capacity, and prints measured / predicted. It costs about ten cents.
 *
 * This has never run: the project is built on machines without an account. Its parsing and arithmetic are tested
 * (test/bench/calibration.test.ts); its AWS calls are only typechecked. Use an environment that receives nothing else.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { given } from '#core/given.ts';
import { EVENT_INDEXES } from '#core/inbound/protocol/event-item.ts';
import { nameIn, secretName } from '#core/names.ts';
import { MINUTE_MS } from '#core/time.ts';
import { countedUnits } from '#operator/cost/counted-units.ts';
import { modelledTimes } from '#operator/cost/modelled-times.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { apiEventOf } from '../loopback/requests.ts';
import { readNumbers } from '../report/page.ts';
import { compare, showComparison } from './compare.ts';
import { type Report, readReport } from './read-reports.ts';

const COLD = 50;
const WARM = 5_000;
/** Requests under way at once: about 20 a second, so that batches are those of a quiet gateway. */
const AT_ONCE = 2;
/** Metrics and logs arrive late. */
const SETTLE_MS = 180_000;
/** Of the pushes table: one row in the transaction, billed twice. */
const EFFECT_UNITS = 4;

const { values } = parseArgs({
  options: { env: { type: 'string' }, 'skip-deploy': { type: 'boolean', default: false } },
});
const environment = values.env ?? '';
if (environment === '') {
  console.error(
    'Which environment? e.g. node bench/calibration/calibrate.ts --env dev (one that receives nothing else)',
  );
  process.exit(2);
}

const lambda = new LambdaClient({});
const logs = new CloudWatchLogsClient({});
const metrics = new CloudWatchClient({});

async function deploy(): Promise<void> {
  const child = spawn(process.execPath, ['local/deploy.ts', environment], { stdio: 'inherit' });
  const code = await new Promise(resolve => child.on('close', resolve));
  if (code !== 0) throw new Error(`npm run deploy -- ${environment} ended with ${code}`);
}

async function readOutputs(): Promise<(name: string) => string> {
  const StackName = nameIn({ environment }, 'gateway');
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }));
  return name => {
    const found = Stacks?.[0]?.Outputs?.find(it => it.OutputKey === name)?.OutputValue;
    if (found === undefined) throw new Error(`${StackName} has no output ${name}: deploy it with this version`);
    return found;
  };
}

/** A change of its configuration makes Lambda start the function anew; its REPORT lines are switched on meanwhile. */
async function configure(FunctionName: string, SystemLogLevel: 'INFO' | 'WARN', Description?: string): Promise<void> {
  const { LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  await lambda.send(
    new UpdateFunctionConfigurationCommand({
      FunctionName,
      LoggingConfig: { ...LoggingConfig, SystemLogLevel },
      ...given({ Description }),
    }),
  );
  await waitUntilFunctionUpdatedV2({ client: lambda, maxWaitTime: 120 }, { FunctionName });
}

async function send(number: number, apiUrl: string, secret: string): Promise<number> {
  const { headers, body, rawPath } = apiEventOf(providerEvent(3 * number + 1, Date.now()), secret, Date.now());
  const startedAt = performance.now();
  const response = await fetch(`${apiUrl}${rawPath}`, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: body ?? '',
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`The gateway answered ${response.status}: ${answer.slice(0, 200)}`);
  return performance.now() - startedAt;
}

async function sendMany(apiUrl: string, secret: string): Promise<number[]> {
  const acceptMs: number[] = [];
  let next = COLD;
  const sender = async (): Promise<void> => {
    while (next < COLD + WARM) {
      acceptMs.push(await send(next++, apiUrl, secret));
      await sleep(60);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return acceptMs;
}

async function readReports(FunctionName: string, startTime: number): Promise<Report[]> {
  const { LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
  const reports: Report[] = [];
  for await (const page of paginateFilterLogEvents({ client: logs }, { logGroupName, startTime })) {
    for (const { message = '' } of page.events ?? []) {
      const report = readReport(message);
      if (report) reports.push(report);
    }
  }
  return reports;
}

async function consumedUnits(TableName: string, from: Date, index?: string): Promise<number> {
  const Dimensions = [
    { Name: 'TableName', Value: TableName },
    ...(index === undefined ? [] : [{ Name: 'GlobalSecondaryIndexName', Value: index }]),
  ];
  const { Datapoints = [] } = await metrics.send(
    new GetMetricStatisticsCommand({
      Namespace: 'AWS/DynamoDB',
      MetricName: 'ConsumedWriteCapacityUnits',
      Dimensions,
      StartTime: from,
      EndTime: new Date(),
      Period: 60,
      Statistics: ['Sum'],
    }),
  );
  return Datapoints.reduce((sum, it) => sum + (it.Sum ?? 0), 0);
}

if (!values['skip-deploy']) await deploy();
const output = await readOutputs();
const [ingest, processor] = [output('IngestFunction'), output('ProcessFunction')];
const apiUrl = output('ApiUrl').replace(/\/$/, '');
const SecretId = secretName({ environment }, 'github');
const { SecretString: secret } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId }));
if (!secret) throw new Error(`${SecretId} is empty: holdfast sources set-secret github --env ${environment}`);

const startedAt = new Date();
try {
  await configure(processor, 'INFO');
  for (let number = 0; number < COLD; number++) {
    await configure(ingest, 'INFO', `Calibration, cold start ${number + 1} of ${COLD}`);
    await send(number, apiUrl, secret);
  }
  const acceptMs = await sendMany(apiUrl, secret);
  console.error(`${COLD + WARM} events sent; waiting ${SETTLE_MS / MINUTE_MS} minutes for logs and metrics`);
  await sleep(SETTLE_MS);
  const indexes = Object.values(EVENT_INDEXES).map(it => consumedUnits(output('EventsTable'), startedAt, it.name));
  const tables = [output('EventsTable'), output('PayloadsTable')].map(it => consumedUnits(it, startedAt));
  const units = await Promise.all([...tables, ...indexes]);
  const sample = {
    events: COLD + WARM,
    ingest: await readReports(ingest, startedAt.getTime()),
    process: await readReports(processor, startedAt.getTime()),
    acceptMs,
    consumedWriteUnits: units.reduce((a, b) => a + b, 0),
  };
  const times = modelledTimes(1);
  const { a, f } = readNumbers();
  const rows = compare(sample, {
    ingestBilledMs: times.ingestMs,
    processBilledMsPerRecord: times.processMs,
    initMs: a?.['primedFastMs'] ?? 0,
    acceptP50: f?.['acceptP50'] ?? 0,
    // The row of effect is in the handler's own table; the record is written in its transaction.
    writeUnitsPerEvent: countedUnits().perEvent['1'].writeUnits + EFFECT_UNITS / 2,
  });
  for (const line of showComparison(rows)) console.log(line);
} finally {
  for (const each of [ingest, processor]) await configure(each, 'WARN');
}
