/**
 * Stands in for Lambda: calls the exported handler of a module. `serve <module> <port>` serves HTTP as API Gateway would hand it
 * on (ROUTE). `poll <module>` polls a queue as the event source mapping would (POLLED_QUEUE_URL): batches of ten, side by side
 * up to SLOTS, partial failures honoured; it answers each message of its parent with the most runs there were at once.
 * `run <module>` runs on a schedule (EVERY_MS). An invocation has TIMEOUT_MS.
 */
import { createServer } from 'node:http';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { SQSBatchResponse } from 'aws-lambda';

type LambdaHandler = (event: unknown, context: unknown) => Promise<unknown>;

const MOST_POLLERS = 4;
const [role = '', module = '', port = ''] = process.argv.slice(2);
const { handler } = (await import(pathToFileURL(module).href)) as { handler: LambdaHandler };

/** What a handler asks its context. */
function context() {
  const deadline = Date.now() + Number(env['TIMEOUT_MS']);
  return { awsRequestId: 'stand-in', getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) };
}

function serve(): void {
  const routeKey = env['ROUTE'] ?? '';
  const [, path = ''] = routeKey.split(' ');
  const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      // A route without parts that vary is asked at any address.
      const pathParameters = pattern.exec(request.url ?? '')?.groups;
      const event = {
        ...{
          version: '2.0',
          routeKey,
          rawPath: pathParameters ? request.url : path,
          rawQueryString: '',
          pathParameters,
        },
        ...{ headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), isBase64Encoded: false },
        requestContext: { http: { method: 'POST', sourceIp: '127.0.0.1' }, authorizer: { iam: { userArn: 'bench' } } },
      };
      try {
        const answer = (await handler(event, context())) as { statusCode: number; body?: string };
        response.writeHead(answer.statusCode).end(answer.body);
      } catch {
        response.writeHead(500).end();
      }
    });
  });
  server.listen(Number(port), '127.0.0.1');
}

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
}

/** One call of SQS, unsigned: the polling is AWS's, so it costs this process as little as can be. Throws unless 200. */
async function callQueue<Answer>(action: string, input: object): Promise<Answer> {
  const answer = await fetch(env['AWS_ENDPOINT_URL_SQS'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: JSON.stringify({ QueueUrl: env['POLLED_QUEUE_URL'], ...input }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${action} was answered with ${answer.status}`);
  return (await answer.json()) as Answer;
}

const slots = Number(env['SLOTS']);
let running = 0;
let most = 0;
const waiting: (() => void)[] = [];

async function poll(): Promise<never> {
  for (;;) {
    while (running >= slots) await new Promise<void>(resolve => waiting.push(resolve));
    running += 1;
    const messages = await receive();
    if (messages.length === 0) ended();
    else {
      most = Math.max(most, running);
      void invoke(messages).finally(ended);
    }
  }
}

function ended(): void {
  running -= 1;
  waiting.shift()?.();
}

async function receive(): Promise<readonly Message[]> {
  try {
    const wanted = { MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageSystemAttributeNames: ['All'] };
    return (await callQueue<{ Messages?: readonly Message[] }>('ReceiveMessage', wanted)).Messages ?? [];
  } catch {
    await sleep(200);
    return [];
  }
}

async function invoke(messages: readonly Message[]): Promise<void> {
  const Records = messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
    ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, attributes: Attributes },
  }));
  try {
    const { batchItemFailures } = (await handler({ Records }, context())) as SQSBatchResponse;
    const failed = new Set(batchItemFailures.map(it => it.itemIdentifier));
    const Entries = messages
      .filter(it => !failed.has(it.MessageId))
      .map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    if (Entries.length > 0) await callQueue('DeleteMessageBatch', { Entries });
  } catch {
    // As the mapping does: the batch comes back when its visibility is over.
  }
}

if (role === 'serve') {
  serve();
} else if (role === 'poll') {
  for (let n = 0; n < Math.min(slots, MOST_POLLERS); n += 1) void poll();
  process.on('message', () => process.send?.(most));
} else {
  for (;;) {
    await handler({}, context()).catch(() => undefined);
    await sleep(Number(env['EVERY_MS']));
  }
}
