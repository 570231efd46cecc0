/** The real bundles over DynamoDB Local and ElasticMQ with their files on disk, each function a process that can be killed. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { given } from '#core/given.ts';
import { answersHttp, javaMissing } from '#test/adapters/contracts/java-services.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { SECRET } from './load.ts';
import { bundleLocally, localSettings, startLocalStores } from './local-stores.ts';
import { pinToServers, startProgram, startRoles } from './programs.ts';
import type { Effect, RunningSystem } from './system.ts';

const HOST = join(import.meta.dirname, 'lambda-host.ts');
/** What a killed process held comes back after this; above the 12 s lease of the local timings. */
const VISIBILITY_SECONDS = 15;
const ROLES = ['ingest', 'process', 'sweep'] as const;
const HOSTED = { ingest: 'serve', process: 'poll', sweep: 'run' } as const;

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
  const stores = await startLocalStores(SECRET, places);
  const { tables, queues } = stores;
  for (const { pid } of [tables, queues]) pinToServers(pid);

  const dynamodb = new DynamoDBClient({ ...localSettings(tables.url), requestHandler: { requestTimeout: 60_000 } });
  await dynamodb.send(
    new CreateTableCommand({
      TableName: 'payments',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'paymentId', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'paymentId', AttributeType: 'S' }],
    }),
  );
  const work = await stores.queue('work', visibilitySeconds);
  const env = {
    ...stores.env,
    EVENTS_TABLE: 'events',
    PAYLOADS_TABLE: 'payloads',
    PAYMENTS_TABLE: 'payments',
    PUSHES_TABLE: 'pushes',
    BODIES_BUCKET: 'none',
    WORK_QUEUE_URL: work,
    SWEEP_FUNCTION: 'sweep',
    DEAD_QUEUE_URL: await stores.queue('dead', visibilitySeconds),
    ...more,
    ...{ ROUTE: 'POST /webhooks/default', POLLED_QUEUE_URL: work, SLOTS: '4', TIMEOUT_MS: '10000', EVERY_MS: '5000' },
  };
  const fileOf = await bundleLocally({}, { project, functions: ROLES, outputFolder: join(folder, 'bundles') });

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const functions = await startRoles(ROLES, role => {
    const ready = role === 'ingest' ? () => answersHttp(url) : async () => true;
    return startProgram(process.execPath, [HOST, HOSTED[role], fileOf(role), String(port)], { env, ready });
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
      await stores.stop();
    },
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
