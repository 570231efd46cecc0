/** What a team writes first: a function that sends each message of the batch, side by side; what failed stays in the queue. */
import { Agent, request as httpRequest } from 'node:http';
import { env } from 'node:process';
import type { SQSBatchResponse } from 'aws-lambda';

const agent = new Agent({ keepAlive: true });

export async function handler(event: {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}): Promise<SQSBatchResponse> {
  const { Records } = event;
  const sent = await Promise.all(Records.map(({ body }) => post(JSON.parse(body) as { url: string; id: string })));
  const failed = Records.filter((_, at) => !sent[at]);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

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
