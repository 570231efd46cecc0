/**
 * Stands in for Lambda on this machine. `publish <bundle> <port>` serves HTTP as API Gateway would hand it on; `tend <bundle>`
 * runs each minute; `fan-out` and `drain` poll their queue as a mapping would: batches of ten, side by side up to a limit,
 * partial failures honoured. `plain <port of nothing>` is the baseline: one queue, a message for each delivery.
 */
import { Agent, createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { MINUTE_MS } from '#core/time.ts';

type LambdaHandler = (event: unknown, context: unknown) => Promise<unknown>;

const POLLERS = 3;
const [role = '', bundle = '', port = '0'] = process.argv.slice(2);
const timeoutMs = Number(env['TIMEOUT_MS']);

const contextFor = (ms: number) => {
  const deadline = Date.now() + ms;
  return { awsRequestId: 'isolation', getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) };
};

function serve(handler: LambdaHandler): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const app = /^\/v1\/apps\/([^/]+)\/messages$/.exec(request.url ?? '')?.[1] ?? '';
      const event = {
        ...{ version: '2.0', routeKey: 'POST /v1/apps/{app}/messages', rawPath: request.url, rawQueryString: '' },
        ...{ headers: request.headers, pathParameters: { app }, isBase64Encoded: false },
        body: Buffer.concat(chunks).toString('utf8'),
        requestContext: { http: { method: 'POST', sourceIp: '127.0.0.1' }, authorizer: { iam: { userArn: 'bench' } } },
      };
      try {
        const answer = (await handler(event, contextFor(10_000))) as { statusCode: number; body?: string };
        response.writeHead(answer.statusCode).end(answer.body);
      } catch {
        response.writeHead(500).end();
      }
    });
  });
  server.listen(Number(port), '127.0.0.1');
}

/** At most `slots` invocations at once; the most there ever were is said to whoever asks. */
class Mapping {
  #running = 0;
  most = 0;
  #free: (() => void)[] = [];
  readonly #sqs = new SQSClient({ maxAttempts: 1, requestHandler: { requestTimeout: 30_000 } });
  readonly #queue: string;
  readonly #slots: number;
  readonly #handler: LambdaHandler;

  constructor(queue: string, slots: number, handler: LambdaHandler) {
    this.#queue = queue;
    this.#slots = slots;
    this.#handler = handler;
  }

  start(): void {
    for (let n = 0; n < POLLERS; n++) void this.#poll();
  }

  async #poll(): Promise<never> {
    for (;;) {
      while (this.#running >= this.#slots) await new Promise<void>(resolve => this.#free.push(resolve));
      this.#running += 1;
      const Messages = await this.#receive();
      if (Messages.length === 0) this.#done();
      else {
        this.most = Math.max(this.most, this.#running);
        void this.#invoke(Messages).finally(() => this.#done());
      }
    }
  }

  #done(): void {
    this.#running -= 1;
    this.#free.shift()?.();
  }

  async #receive(): Promise<readonly Message[]> {
    try {
      const given = { QueueUrl: this.#queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
      const { Messages = [] } = await this.#sqs.send(
        new ReceiveMessageCommand({ ...given, MessageSystemAttributeNames: ['All'] }),
      );
      return Messages;
    } catch {
      await sleep(200);
      return [];
    }
  }

  async #invoke(messages: readonly Message[]): Promise<void> {
    const Records = messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, attributes: Attributes },
    }));
    try {
      const { batchItemFailures } = (await this.#handler({ Records }, contextFor(timeoutMs))) as SQSBatchResponse;
      const failed = new Set(batchItemFailures.map(it => it.itemIdentifier));
      const Entries = messages
        .filter(it => !failed.has(it.MessageId ?? ''))
        .map((it, at) => ({ Id: String(at), ReceiptHandle: it.ReceiptHandle }));
      if (Entries.length > 0) await this.#sqs.send(new DeleteMessageBatchCommand({ QueueUrl: this.#queue, Entries }));
    } catch {
      // As the mapping does: the batch comes back when its visibility is over.
    }
  }
}

/** What a team writes first: send each message of the batch, side by side; what failed stays in the queue. */
const agent = new Agent({ keepAlive: true });
const plain: LambdaHandler = async event => {
  const { Records } = event as { Records: { messageId: string; body: string }[] };
  const sent = await Promise.all(Records.map(({ body }) => post(JSON.parse(body) as { url: string; id: string })));
  const failed = Records.filter((_, at) => !sent[at]);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

function post({ url, id }: { readonly url: string; readonly id: string }): Promise<boolean> {
  return new Promise(resolve => {
    const headers = { 'webhook-id': id, 'content-type': 'application/json' };
    const request = httpRequest(url, { method: 'POST', headers, agent }, response => {
      response.resume();
      response.on('end', () => resolve((response.statusCode ?? 500) < 300));
    });
    const timer = setTimeout(() => request.destroy(new Error('too late')), Number(env['DEADLINE_MS']));
    request.on('error', () => resolve(false));
    request.on('close', () => clearTimeout(timer));
    request.end(JSON.stringify({ id, data: { amount: 1 } }));
  });
}

const handlerOf = async (): Promise<LambdaHandler> =>
  ((await import(pathToFileURL(join(bundle, 'index.mjs')).href)) as { handler: LambdaHandler }).handler;

if (role === 'publish') serve(await handlerOf());
else if (role === 'tend') {
  const handler = await handlerOf();
  for (;;) {
    await sleep(MINUTE_MS);
    await handler({}, contextFor(55_000)).catch(() => undefined);
  }
} else {
  const mapping = new Mapping(
    env['POLLED_QUEUE_URL'] ?? '',
    Number(env['SLOTS']),
    role === 'plain' ? plain : await handlerOf(),
  );
  mapping.start();
  process.on('message', () => process.send?.(mapping.most));
}
