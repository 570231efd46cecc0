/**
 * The handlers as Lambda loads them, with everything that they compose at module level, over AWS in memory: each adapter
 * that leaves the process is replaced by the one of adapters/memory, at the same names.
 */
import { vi } from 'vitest';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import type { OutgoingRequest } from '#core/outbound/ports.ts';
import { MemoryControlStore } from './memory/memory-control-store.ts';
import { MemoryItemStore, outboundTable } from './memory/memory-item-store.ts';
import { MemorySearchStore } from './memory/memory-search-store.ts';
import { MemorySecretValues } from './memory/memory-secrets.ts';
import { MemoryJobQueue, MemoryWakeQueue } from './memory/queue/memory-outbound-queues.ts';
import { MemoryQueue } from './memory/queue/memory-queue.ts';
import {
  MemoryDeadQueue,
  MemoryQueueGauge,
  MemoryReceiptBox,
  MemoryWorkQueue,
} from './memory/queue/memory-queue-ports.ts';

export type LambdaHandler = (payload: unknown, context: unknown) => Promise<unknown>;
interface SentOut {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const QUEUES = ['work', 'dead', 'jobs', 'jobs-dead', 'wake-fast', 'wake-slow', 'wakes-dead'] as const;
type QueueName = (typeof QUEUES)[number];
const urlOf = (name: string): string => `https://sqs.eu-central-1.amazonaws.com/123456789012/${name}`;

/** In the place of a class: `new` answers with what `make` makes. */
const made = (make: (...given: unknown[]) => object) =>
  new Proxy(class {}, {
    construct: (_target, given) => make(...given),
    apply: (_target, _self, given) => make(...given),
  });

export class HandlersInMemory {
  readonly database: MemoryDatabase;
  readonly queues: Readonly<Record<QueueName, MemoryQueue>>;
  readonly secrets = new MemorySecretValues();
  /** Secrets that are read by their whole name. */
  readonly credentials = new Map<string, string>();
  /** Whatever left for the world outside: customers, Slack, telemetry, the front door. */
  readonly sent: SentOut[] = [];
  /** Ports that what posts JSON may speak to. */
  readonly ports: number[] = [];
  readonly pages: { readonly subject: string; readonly message: string }[] = [];
  /** Which list of which provider was asked for its deliveries. */
  readonly asked: string[] = [];
  readonly lines: Record<string, unknown>[] = [];
  /** The status that Slack, PagerDuty and OpenTelemetry answer with. */
  answers = 200;
  /** Whoever answers the probe: the status of a POST to the public URL. */
  frontDoor = async (_url: string, _headers: Readonly<Record<string, string>>, _body: Uint8Array): Promise<number> =>
    404;
  readonly #mocked: string[] = [];

  constructor(config: ResolvedConfig, environment: Readonly<Record<string, string>> = {}) {
    const clock = { now: () => Date.now() } as VirtualClock;
    const random = new SeededRandom(1);
    const database = new MemoryDatabase({ clock, random, indexLagMs: () => 0 });
    this.database = database;
    for (const table of [eventsTable('events'), payloadsTable('payloads')]) database.define(table);
    for (const table of ['registry', 'outbox'] as const) database.define(outboundTable(table));
    const queue = (): MemoryQueue => new MemoryQueue({ clock, random, duplicateRate: 0 });
    this.queues = Object.fromEntries(QUEUES.map(name => [name, queue()])) as Record<QueueName, MemoryQueue>;
    vi.stubGlobal('__HOLDFAST_CONFIG__', JSON.stringify(config));
    const given = {
      ...{ EVENTS_TABLE: 'events', PAYLOADS_TABLE: 'payloads', REGISTRY_TABLE: 'registry', OUTBOX_TABLE: 'outbox' },
      ...{ BODIES_BUCKET: 'bodies', WORK_QUEUE_URL: urlOf('work'), DEAD_QUEUE_URL: urlOf('dead') },
      SWEEP_FUNCTION: 'sweep',
      ...{ JOBS_QUEUE_URL: urlOf('jobs'), JOBS_DEAD_QUEUE_URL: urlOf('jobs-dead') },
      ...{ WAKE_QUEUE_URL: urlOf('wake-fast'), WAKE_FAST_QUEUE_URL: urlOf('wake-fast') },
      ...{ WAKE_SLOW_QUEUE_URL: urlOf('wake-slow'), WAKES_DEAD_QUEUE_URL: urlOf('wakes-dead') },
      ...environment,
    };
    for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      for (const line of String(text).split('\n')) if (line.startsWith('{')) this.lines.push(JSON.parse(line));
      return true;
    });
    this.#replaceStores(clock);
    this.#replaceQueues();
    this.#replaceOutside();
  }

  /** Metric counts, of all lines so far. */
  total(metric: string): number {
    return this.lines.reduce(
      (sum, line) => sum + [line[metric] ?? 0].flat().reduce((a: number, b) => a + Number(b), 0),
      0,
    );
  }

  /** One of them, loaded as a new execution environment loads it. */
  async load(name: string): Promise<LambdaHandler> {
    const { handler } = (await import(`../../lambdas/${name}/handler.ts`)) as { handler: LambdaHandler };
    return (payload, context) => handler(payload, context);
  }

  /** The messages of a queue, as an event source mapping hands them over; they are deleted. */
  take(name: QueueName): { Records: unknown[] } {
    const messages = this.queues[name].receive(10);
    for (const { receipt } of messages) this.queues[name].delete(receipt);
    const Records = messages.map(({ messageId, body, receipt, receiveCount, sentAt }) => ({
      ...{ messageId, body, receiptHandle: receipt },
      attributes: { ApproximateReceiveCount: String(receiveCount), SentTimestamp: String(sentAt) },
    }));
    return { Records };
  }

  close(): void {
    for (const path of this.#mocked) vi.doUnmock(path);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.resetModules();
  }

  #replace(path: string, members: Readonly<Record<string, unknown>>): void {
    this.#mocked.push(path);
    vi.doMock(path, () => members);
  }

  #replaceStores(clock: VirtualClock): void {
    const { database, secrets, credentials } = this;
    const blobs = new MemoryBlobs(clock);
    const nothing = async (): Promise<void> => undefined;
    const over = (make: (table: string) => object) => made((_client, table) => make(table as string));
    const events = (table: string) => new MemoryEventStore(database, table);
    const payloads = (table: string) => new MemoryPayloadStore(database, table);
    const db = '#adapters/dynamodb';
    this.#replace(`${db}/create-dynamodb-client.ts`, { createDynamoDbClient: () => ({}), primeDynamoDb: nothing });
    this.#replace(`${db}/dynamodb-event-store.ts`, { DynamoDbEventStore: over(events) });
    this.#replace(`${db}/dynamodb-event-writer.ts`, {
      openEventWriter: (_client: unknown, table: string) => events(table),
    });
    this.#replace(`${db}/dynamodb-payload-store.ts`, { DynamoDbPayloadStore: over(payloads) });
    this.#replace(`${db}/dynamodb-step-store.ts`, { DynamoDbStepStore: over(payloads) });
    this.#replace(`${db}/dynamodb-search-store.ts`, {
      dynamoDbSearchStore: over(table => new MemorySearchStore(database, table)),
    });
    this.#replace(`${db}/dynamodb-control-store.ts`, {
      dynamoDbControlStore: over(table => new MemoryControlStore(database, table)),
    });
    this.#replace(`${db}/dynamodb-item-store.ts`, {
      DynamoDbItemStore: over(names => new MemoryItemStore(database, names as never)),
    });
    this.#replace('#adapters/s3/s3-blobs.ts', { S3Blobs: made(() => blobs) });
    this.#replace('#adapters/secrets/secrets-manager-values.ts', {
      createSecretsClient: () => ({}),
      SecretsManagerValues: made(() => secrets),
    });
    class NoSecretValue extends Error {}
    this.#replace('#adapters/secrets/secret-credential.ts', {
      NoSecretValue,
      secretCredential: (name: string) => ({
        get: async () => {
          const text = credentials.get(name);
          if (text === undefined) throw new NoSecretValue(`nobody set the secret ${name}`);
          return text;
        },
        forget: () => undefined,
      }),
    });
  }

  #replaceQueues(): void {
    const queueOf = (url: string): MemoryQueue => {
      const name = QUEUES.find(it => urlOf(it) === url);
      if (name === undefined) throw new Error(`no queue has the URL ${url}`);
      return this.queues[name];
    };
    const over = (make: (queue: MemoryQueue) => object) => made((_client, url) => make(queueOf(url as string)));
    const sqs = '#adapters/sqs';
    this.#replace(`${sqs}/create-sqs-client.ts`, { createSqsClient: () => ({}), primeSqs: async () => undefined });
    this.#replace(`${sqs}/sqs-work-queue.ts`, { sqsWorkQueue: over(it => new MemoryWorkQueue(it)) });
    this.#replace(`${sqs}/sqs-dead-queue.ts`, { sqsDeadQueue: over(it => new MemoryDeadQueue(it)) });
    this.#replace(`${sqs}/sqs-receipt-box.ts`, { sqsReceiptBox: over(it => new MemoryReceiptBox(it)) });
    this.#replace(`${sqs}/sqs-wake-queue.ts`, { sqsWakeQueue: over(it => new MemoryWakeQueue(it)) });
    this.#replace(`${sqs}/sqs-outbound-job-queue.ts`, { sqsJobQueue: over(it => new MemoryJobQueue(it)) });
    this.#replace(`${sqs}/sqs-queue-gauge.ts`, {
      sqsQueueGauge: made((_client, urls) => {
        const { main, dead } = urls as { readonly main: string; readonly dead: string };
        return new MemoryQueueGauge(queueOf(main), queueOf(dead));
      }),
    });
  }

  #replaceOutside(): void {
    const { sent, pages, asked } = this;
    const post = async (url: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
      sent.push({ url, body, headers });
      return { status: this.answers, body: '', headers: {} };
    };
    this.#replace('#adapters/http/post-json.ts', {
      jsonPoster: (rules: { readonly ports: readonly number[] }) => {
        this.ports.push(...rules.ports);
        return post;
      },
    });
    this.#replace('#adapters/http/post-once.ts', {
      postOnce: {
        post: (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) =>
          this.frontDoor(url, headers, body),
      },
    });
    this.#replace('#adapters/http/guarded-sender.ts', {
      guardedSender: () => ({
        open: () => ({
          close: () => undefined,
          send: async ({ url, body, headers }: OutgoingRequest) => {
            sent.push({ url, body: new TextDecoder().decode(body), headers });
            const timings = { total: 5 };
            const answer = { kind: 'answered', status: 200, headers: {}, body: new Uint8Array() };
            return { ...answer, bytes: 0, truncated: false, timings };
          },
        }),
      }),
    });
    this.#replace('#adapters/sns/sns-pager.ts', {
      createSnsClient: () => ({}),
      snsPager: made(() => ({
        publish: async (subject: string, message: string) => void pages.push({ subject, message }),
      })),
    });
    this.#replace('#adapters/provider-apis/delivery-api-of.ts', {
      deliveryApiOf: (provider: string, list: string) => ({
        list: async () => {
          asked.push(`${provider} ${list}`);
          return { kind: 'answered', value: { deliveries: [] } };
        },
        fetch: async () => ({ kind: 'gone' }),
      }),
    });
  }
}
