import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HttpAnswer } from '#operator/http-answer.ts';

const TIMEOUT_MS = 30_000;
/** API Gateway answers no more. */
const MOST_MB = 10;

interface HttpRequest {
  readonly method: string;
  /** Several values of a name are sent as headers of their own. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends the bytes as they are: no header is added but those HTTP itself needs. The answer is whole. Throws when nothing answers
 * within 30 s, and when the answer is longer than any of API Gateway.
 */
export function sendHttp(url: string, { method, headers, body }: HttpRequest): Promise<HttpAnswer> {
  const startedAt = performance.now();
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise<HttpAnswer>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = send(url, { method, headers: { ...headers, ...length }, timeout: TIMEOUT_MS });
    outgoing.once('timeout', () =>
      outgoing.destroy(
        new Error(
          `No answer from ${url} within ${TIMEOUT_MS / 1_000} s: is the address right, and is something listening there?`,
        ),
      ),
    );
    outgoing.once('error', reject);
    outgoing.once('response', incoming => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_MB * 1_024 * 1_024)
          incoming.destroy(new Error(`${url} answers more than ${MOST_MB} MB: is this the address of the gateway?`));
        else chunks.push(chunk);
      });
      incoming.once('error', reject);
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks).toString('utf8'),
          ms: performance.now() - startedAt,
        }),
      );
    });
    outgoing.end(body);
  });
}
