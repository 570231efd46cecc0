/**
 * Stands in for Lambda: calls one exported handler of the built bundles. `ingest <bundle> <port>` serves HTTP as API
 * Gateway would hand it on, `process <bundle>` polls the queue as the event source mapping would (batches of ten, partial
 * failures honoured), `sweep <bundle>` runs on a schedule.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { SQSBatchResponse } from 'aws-lambda';

const POLLERS = 4;
const SWEEP_EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;

type LambdaHandler = (event: unknown, context: unknown) => Promise<unknown>;

const [role = '', bundle = '', port = ''] = process.argv.slice(2);
const { handler } = (await import(pathToFileURL(join(bundle, 'index.mjs')).href)) as { handler: LambdaHandler };

/** What a handler asks its context. */
function context(timeoutMs: number) {
  const deadline = Date.now() + timeoutMs;
  return { awsRequestId: 'side-by-side', getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) };
}

function serve(): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const apiEvent = {
        version: '2.0',
        routeKey: 'POST /webhooks/default',
        rawPath: '/webhooks/default',
        rawQueryString: '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        isBase64Encoded: false,
        requestContext: { http: { method: 'POST', sourceIp: '127.0.0.1' } },
      };
      try {
        const answer = (await handler(apiEvent, context(TIMEOUT_MS))) as { statusCode: number; body?: string };
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
  const answer = await fetch(process.env['AWS_ENDPOINT_URL_SQS'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: JSON.stringify({ QueueUrl: process.env['WORK_QUEUE_URL'], ...input }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${action} was answered with ${answer.status}`);
  return (await answer.json()) as Answer;
}

async function poll(): Promise<never> {
  for (;;) {
    try {
      const { Messages = [] } = await callQueue<{ Messages?: readonly Message[] }>('ReceiveMessage', {
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['All'],
      });
      if (Messages.length === 0) continue;
      const Records = Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
        messageId: MessageId,
        receiptHandle: ReceiptHandle,
        body: Body,
        attributes: Attributes,
      }));
      const { batchItemFailures } = (await handler({ Records }, context(TIMEOUT_MS))) as SQSBatchResponse;
      const failed = new Set(batchItemFailures.map(it => it.itemIdentifier));
      const Entries = Messages.filter(it => !failed.has(it.MessageId)).map((it, at) => ({
        Id: String(at),
        ReceiptHandle: it.ReceiptHandle,
      }));
      if (Entries.length > 0) await callQueue('DeleteMessageBatch', { Entries });
    } catch {
      // As the mapping does: the batch comes back when its visibility is over.
      await sleep(200);
    }
  }
}

if (role === 'ingest') {
  serve();
} else if (role === 'process') {
  for (let n = 0; n < POLLERS; n += 1) void poll();
} else {
  for (;;) {
    await handler({}, context(60_000)).catch(() => undefined);
    await sleep(SWEEP_EVERY_MS);
  }
}
