/**
 * One configuration as it runs: its functions in processes of their own, its tables on DynamoDB Local, its queues on
 * ElasticMQ, its bucket and secrets on the local AWS, and the gate between them. Time moves when the stage says so.
 */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { StageName } from './configurations.ts';
import { type Deployed, deployed } from './deployed.ts';
import { type FaultGate, HIDDEN_MS, startFaultGate } from './fault-gate.ts';
import { FunctionProcess, type Invoked } from './function-process.ts';
import { API_CREDENTIAL, SECRET } from './secrets.ts';

export interface Services {
  readonly dynamodb: string;
  readonly sqs: string;
  /** Of the local AWS. */
  readonly rest: string;
}

/** Of the source whose provider signs with a private key. */
const SIGNER = generateKeyPairSync('ed25519');
export const PRIVATE_KEY = SIGNER.privateKey;
const PUBLIC_KEY = `whpk_${SIGNER.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;

export interface Stage {
  readonly name: StageName;
  readonly deployed: Deployed;
  readonly gate: FaultGate;
  /** What the clocks of the functions say. */
  now(): number;
  /** Moves the clocks of the functions. They never go back. */
  advance(minutes: number): void;
  invoke(id: string, event: unknown): Promise<Invoked>;
  /** Starts a function. Answers why it could not. */
  start(id: string): Promise<string | undefined>;
  /** Gives the messages of a queue to a function until it is empty, or after so many rounds. Answers how many came. */
  deliver(queue: RegExp, id: string, rounds?: number): Promise<number>;
  send(queue: RegExp, body: string): Promise<void>;
  /** All messages of a queue, left where they are. */
  look(queue: RegExp): Promise<readonly string[]>;
  /** All messages of a queue, taken off it. */
  drain(queue: RegExp): Promise<readonly string[]>;
  item(table: RegExp, key: Readonly<Record<string, string>>): Promise<Record<string, unknown> | undefined>;
  /** Changes one number of an item, as time would have. */
  change(table: RegExp, key: Readonly<Record<string, string>>, field: string, value: number): Promise<void>;
  /** Bytes of an object of its bucket; undefined: there is none. */
  objectSize(key: string): Promise<number | undefined>;
  /** Ends the process of a function: its next invocation is a cold start. */
  restart(id: string): Promise<void>;
  readonly processes: ReadonlyMap<string, FunctionProcess>;
  /** Every line that its functions printed, by function. */
  readonly printed: readonly { readonly id: string; readonly line: string }[];
  stop(): Promise<void>;
}

export async function openStage(name: StageName, services: Services, folder: string, project: string): Promise<Stage> {
  const processes = new Map<string, FunctionProcess>();
  let functions: Deployed['functions'] = {};
  const gate = await startFaultGate({
    services: { dynamodb: services.dynamodb, sqs: services.sqs, s3: services.rest, secretsmanager: services.rest },
    statementsOf: caller => functions[caller]?.statements,
    kill: caller => processes.get(caller)?.kill(),
  });
  const made = await deployed(name, { folder, project, queueBase: gate.url, prefix: name });
  functions = made.functions;
  for (const it of Object.values(functions)) processes.set(it.id, new FunctionProcess(it, gate.url));

  const common = {
    region: 'eu-central-1',
    credentials: { accessKeyId: 'suite', secretAccessKey: 'suite' },
    requestHandler: { requestTimeout: 30_000 },
  };
  const dynamodb = new DynamoDBClient({ ...common, endpoint: services.dynamodb });
  const sqs = new SQSClient({ ...common, endpoint: services.sqs });
  const rest = { ...common, endpoint: services.rest };
  await Promise.all(made.tables.map(input => dynamodb.send(new CreateTableCommand(input))));
  const urls = new Map<string, string>();
  for (const queue of made.queues) {
    const { QueueUrl = '' } = await sqs.send(
      new CreateQueueCommand({ QueueName: queue, Attributes: { VisibilityTimeout: '120' } }),
    );
    urls.set(queue, QueueUrl);
  }
  // Where events are routed to.
  await sqs.send(new CreateQueueCommand({ QueueName: 'routed.fifo', Attributes: { FifoQueue: 'true' } }));
  const s3 = new S3Client({ ...rest, forcePathStyle: true });
  for (const bucket of made.buckets) await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  await makeSecrets(name, rest);

  // Always the same minute of a day: what is written once an hour, or a day, is written in the same calls of each run.
  let skewMs = DAY_MS - (Date.now() % DAY_MS) + MINUTE_MS;
  const printed: { id: string; line: string }[] = [];
  const urlOf = (queue: RegExp): string => [...urls].find(([it]) => queue.test(it))?.[1] ?? '';
  const receive = async (QueueUrl: string): Promise<readonly Message[]> => {
    const input = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
    return (await sqs.send(new ReceiveMessageCommand(input))).Messages ?? [];
  };
  const stage: Stage = {
    ...{ name, deployed: made, gate, processes, printed },
    now: () => Date.now() + skewMs,
    advance(minutes) {
      skewMs += minutes * MINUTE_MS;
    },
    async invoke(id, event) {
      const it = processes.get(id);
      if (it === undefined)
        throw new Error(`${name} has no function ${id}; it has ${[...processes.keys()].join(', ')}`);
      const invoked = await it.invoke(event, skewMs);
      for (const line of invoked.lines) printed.push({ id, line });
      return invoked;
    },
    start: async id => processes.get(id)?.start(skewMs),
    async deliver(queue, id, rounds = 6) {
      const QueueUrl = urlOf(queue);
      let came = 0;
      for (let round = 0; round < rounds; round++) {
        const messages = await receive(QueueUrl);
        if (messages.length === 0) return came;
        came += messages.length;
        const invoked = await stage.invoke(id, sqsEvent(messages));
        const answer =
          invoked.kind === 'answered'
            ? (invoked.value as { batchItemFailures?: { itemIdentifier: string }[] } | null)
            : undefined;
        const failed = new Set(answer?.batchItemFailures?.map(it => it.itemIdentifier));
        for (const { MessageId = '', ReceiptHandle } of messages) {
          const entry = { QueueUrl, ReceiptHandle };
          if (answer === undefined || answer === null || failed.has(MessageId))
            await sqs
              .send(new ChangeMessageVisibilityCommand({ ...entry, VisibilityTimeout: 0 }))
              .catch(() => undefined);
          else await sqs.send(new DeleteMessageCommand(entry));
        }
        if (failed.size > 0 || answer === undefined) stage.advance(16);
      }
      return came;
    },
    async send(queue, MessageBody) {
      await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(queue), MessageBody }));
    },
    async look(queue) {
      const QueueUrl = urlOf(queue);
      // What a function has received is there again after that.
      await wait(HIDDEN_MS + 100);
      const found: Message[] = [];
      for (let more = await receive(QueueUrl); more.length > 0; more = await receive(QueueUrl)) found.push(...more);
      for (const { ReceiptHandle } of found)
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
      return found.map(({ Body = '' }) => Body);
    },
    async drain(queue) {
      const QueueUrl = urlOf(queue);
      const found: string[] = [];
      for (let messages = await receive(QueueUrl); messages.length > 0; messages = await receive(QueueUrl)) {
        for (const { Body = '', ReceiptHandle } of messages) {
          found.push(Body);
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
      return found;
    },
    async item(table, key) {
      const TableName = made.tables.map(it => String(it.TableName)).find(it => table.test(it));
      const { Item } = await dynamodb.send(new GetItemCommand({ TableName, Key: marshall(key), ConsistentRead: true }));
      return Item && unmarshall(Item);
    },
    async change(table, key, field, value) {
      const TableName = made.tables.map(it => String(it.TableName)).find(it => table.test(it));
      await dynamodb.send(
        new UpdateItemCommand({
          TableName,
          Key: marshall(key),
          UpdateExpression: 'SET #field = :value',
          ExpressionAttributeNames: { '#field': field },
          ExpressionAttributeValues: marshall({ ':value': value }),
        }),
      );
    },
    async objectSize(Key) {
      const head = new HeadObjectCommand({ Bucket: made.buckets[0], Key });
      return s3.send(head).then(
        ({ ContentLength }) => ContentLength,
        () => undefined,
      );
    },
    restart: async id => processes.get(id)?.stop(),
    async stop() {
      await Promise.all([...processes.values()].map(it => it.stop()));
      await gate.stop();
    },
  };
  return stage;
}

/** Of all sources, of the API credentials, of the edge and of sending. */
async function makeSecrets(
  environment: string,
  rest: ConstructorParameters<typeof SecretsManagerClient>[0] & object,
): Promise<void> {
  const client = new SecretsManagerClient(rest);
  const secrets: Record<string, string> = {
    [`holdfast/${environment}/holdfast-edge`]: 'edge-secret',
    [`holdfast/${environment}/_outbound`]: randomBytes(32).toString('base64'),
    [`holdfast/${environment}/stripe/api`]: 'sk_test',
    [`holdfast/${environment}/default/api`]: API_CREDENTIAL,
  };
  for (const source of ['default', 'stripe', 'github', 'shopify', 'busy', 'holdfast-probe'])
    secrets[`holdfast/${environment}/${source}`] = SECRET;
  secrets[`holdfast/${environment}/signed`] = PUBLIC_KEY;
  for (const [Name, SecretString] of Object.entries(secrets))
    await client.send(new CreateSecretCommand({ Name, SecretString }));
}

function sqsEvent(messages: readonly Message[]): unknown {
  return {
    Records: messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: Attributes,
      messageAttributes: {},
      eventSource: 'aws:sqs',
      awsRegion: 'eu-central-1',
    })),
  };
}
