/** The real bundles over DynamoDB Local and ElasticMQ with their files on disk, each function a process that can be killed. */

import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { given } from '#core/given.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import { PROVIDERS } from '#providers/index.ts';
import { createTables, environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import {
  answersHttp,
  javaMissing,
  startDynamoDbLocal,
  startElasticMq,
} from '#test/adapters/contracts/java-services.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { SECRET } from './load.ts';
import { pinToServers, startProgram, startRoles } from './programs.ts';
import type { Effect, RunningSystem } from './system.ts';

const HOST = join(import.meta.dirname, 'holdfast-host.ts');
/** What a killed process held comes back after this; above the 12 s lease of the local timings. */
const VISIBILITY_SECONDS = 15;
const ROLES = ['ingest', 'process', 'sweep'] as const;

/** What differs from the side-by-side run. */
export interface HoldfastOptions {
  /** Whose handlers run. */
  readonly project?: string;
  readonly visibilitySeconds?: number;
  /** More variables of the functions. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running gateway whose records can be read. */
export interface RunningHoldfast extends RunningSystem {
  records(): Promise<ReadonlyMap<string, EventRecord>>;
}
/** Of a record, by the id of its event. */
export interface EventRecord {
  readonly status: string;
  readonly attempts: number;
}

/** Starts the functions over stores of their own, whose files are in `folder`. Throws where there is no JDK. */
export async function startHoldfast(
  folder: string,
  { project = FIXTURE_PROJECT, visibilitySeconds = VISIBILITY_SECONDS, env: more }: HoldfastOptions = {},
): Promise<RunningHoldfast> {
  const missing = await javaMissing();
  if (missing !== undefined) throw new Error(`${missing}; the stores need a JDK 17 and Maven`);
  const places = { tables: join(folder, 'dynamodb'), queues: join(folder, 'elasticmq') };
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  const [tables, queues] = await Promise.all([startDynamoDbLocal(places.tables), startElasticMq(places.queues)]);
  const secrets = await serveSecret();
  for (const { pid } of [tables, queues]) pinToServers(pid);

  await createTables(tables.url);
  const dynamodb = new DynamoDBClient({ ...settings(tables.url), requestHandler: { requestTimeout: 60_000 } });
  await dynamodb.send(
    new CreateTableCommand({
      TableName: 'payments',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'paymentId', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'paymentId', AttributeType: 'S' }],
    }),
  );
  const sqs = new SQSClient(settings(queues.url));
  const queue = async (QueueName: string): Promise<string> => {
    const Attributes = { VisibilityTimeout: String(visibilitySeconds) };
    return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
  };
  const env = {
    ...environmentFor(tables.url),
    AWS_ENDPOINT_URL_SQS: queues.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    EVENTS_TABLE: 'events',
    PAYLOADS_TABLE: 'payloads',
    PAYMENTS_TABLE: 'payments',
    PUSHES_TABLE: 'pushes',
    BODIES_BUCKET: 'none',
    WORK_QUEUE_URL: await queue('work'),
    SWEEP_FUNCTION: 'sweep',
    DEAD_QUEUE_URL: await queue('dead'),
    ...more,
  };
  const gateway = defineGateway({
    sources: { default: { provider: 'generic' } },
    environments: { local: {} },
  });
  const config = { ...resolveConfig(gateway, 'local', PROVIDERS), logLevel: 'error' as const };
  const bundles = (
    await bundleFunctions({
      configs: [config],
      project,
      functions: ROLES,
      outputFolder: join(folder, 'bundles'),
    })
  ).get('local');
  if (!bundles) throw new Error('nothing was bundled');

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const functions = await startRoles(ROLES, role => {
    const ready = role === 'ingest' ? () => answersHttp(url) : async () => true;
    return startProgram(process.execPath, [HOST, role, bundles[role], String(port)], { env, ready });
  });

  return {
    url,
    roles: functions.names,
    kill: functions.kill,
    pids: () => ({ programs: functions.pids(), stores: [tables.pid, queues.pid] }),
    async effects() {
      const times = new Map<string, Effect>();
      const payments = await scan(dynamodb, 'payments');
      const done = new Map((await scan(dynamodb, 'events')).map(it => [it['pk']?.S, Number(it['completedAt']?.N)]));
      for (const row of payments) {
        const id = row['paymentId']?.S ?? '';
        const at = done.get(`default#${id}`);
        times.set(id, { times: Number(row['timesApplied']?.N), ...given({ at }) });
      }
      return times;
    },
    async records() {
      const records = new Map<string, EventRecord>();
      for (const { pk, status, attempts } of await scan(dynamodb, 'events'))
        if (status?.S !== undefined)
          records.set(String(pk?.S?.slice('default#'.length)), { status: status.S, attempts: Number(attempts?.N) });
      return records;
    },
    async stop() {
      await functions.stop();
      dynamodb.destroy();
      sqs.destroy();
      await Promise.all([tables.stop(), queues.stop()]);
      secrets.close();
    },
  };
}

function settings(url: string) {
  return {
    region: 'eu-central-1',
    endpoint: url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}

async function scan(client: DynamoDBClient, TableName: string) {
  const rows = [];
  for (let ExclusiveStartKey: Parameters<typeof scanPage>[2]; ; ) {
    const page = await scanPage(client, TableName, ExclusiveStartKey);
    rows.push(...(page.Items ?? []));
    if (page.LastEvaluatedKey === undefined) return rows;
    ExclusiveStartKey = page.LastEvaluatedKey;
  }
}

type StartKey = ConstructorParameters<typeof ScanCommand>[0]['ExclusiveStartKey'];
const scanPage = (client: DynamoDBClient, TableName: string, ExclusiveStartKey: StartKey) =>
  client.send(new ScanCommand({ TableName, ...given({ ExclusiveStartKey }) }));

/** Secrets Manager with the one secret, as far as `GetSecretValue` goes. */
async function serveSecret(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ SecretString: SECRET, VersionId: 'one' }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
