/**
 * A receiver of webhooks on this machine, which can be told to misbehave (receiver-behaviours.ts). It verifies signatures
 * with the gateway's own provider `standard-webhooks`, so that what is sent is judged by what receives.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { standardWebhooks } from '#providers/standard-webhooks.ts';
import { behave } from './receiver-behaviours.ts';

/** A request, and what became of it. */
export interface ReceivedWebhook {
  readonly at: number;
  /** With the query. */
  readonly path: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `unchecked`: the receiver was given no secret. Else `verified`, or why not. */
  readonly signature: string;
  readonly answer: string;
}

export interface ReceiverOptions {
  /** @default any free one */
  readonly port?: number;
  /** Of the endpoints that lead here (`whsec_…`): one of them must have signed. @default none: nothing is checked */
  readonly secrets?: () => readonly string[];
  readonly onRequest?: (received: ReceivedWebhook) => void;
}

export interface LocalReceiver {
  /** Without a final slash. */
  readonly url: string;
  /** In the order they came. */
  readonly received: readonly ReceivedWebhook[];
  /** Ends every connection, those that hang too. */
  stop(): Promise<void>;
}

/** More than any message has. */
const MAX_BODY = 1_048_576;
/** Of requests that are remembered. */
const KEPT = 1_000;

/** Listens on 127.0.0.1 only. Throws when the port is in use. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<LocalReceiver> {
  const received: ReceivedWebhook[] = [];
  /** Requests by path and `webhook-id`. */
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = Date.now();
    const body = await bytesOf(request);
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const id = headers['webhook-id'] ?? '';
    const signature = await judge({ request, headers, body }, options.secrets?.() ?? []);
    const key = `${url.pathname} ${id}`;
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    const verified = signature === 'unchecked' ? undefined : signature === 'verified';
    const name = url.pathname.split('/')[1] ?? '';
    const answer = behave(name, response, { query: url.searchParams, before, verified, now: at });
    const told = { at, path: request.url ?? '/', id, headers, body, signature, answer };
    received.push(told);
    if (received.length > KEPT) received.shift();
    options.onRequest?.(told);
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function judge(
  { request, headers, body }: { request: IncomingMessage; headers: Readonly<Record<string, string>>; body: Uint8Array },
  secrets: readonly string[],
): Promise<string> {
  const raw = { method: request.method ?? 'POST', rawQuery: '', headers, body, sourceIp: '127.0.0.1' };
  let cause = 'unchecked';
  for (const current of secrets) {
    const context = { secret: { current }, nowMs: Date.now(), settings: {}, crypto: nodeCrypto };
    const verdict = await verifyRequest(standardWebhooks, raw, context);
    if (verdict.kind === 'verified') return 'verified';
    cause = `not verified (${verdict.cause})`;
  }
  return cause;
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new RangeError(`a body of more than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
