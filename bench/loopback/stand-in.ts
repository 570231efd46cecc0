/**
 * A stand-in for AWS on 127.0.0.1 in a process of its own, so that its CPU is nobody else's: over TLS, with a certificate that
 * the clients verify, as AWS is reached, and at another port without.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The certificate of the stand-ins, with its key. */
export const LOOPBACK_CERTIFICATE = join(import.meta.dirname, 'loopback.pem');

/** In its process: answers calls until the parent, which holds the other end of stdin, is gone. `exit`: the code it ends with. */
export function serveStandIn(
  answer: (target: string, body: string, request: IncomingMessage) => unknown,
  exit = () => 0,
): void {
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const target = String(request.headers['x-amz-target'] ?? '');
      const text = JSON.stringify(answer(target, Buffer.concat(chunks).toString('utf8'), request));
      response.writeHead(200, {
        'content-type': target.startsWith('DynamoDB') ? 'application/x-amz-json-1.0' : 'application/x-amz-json-1.1',
        'content-length': Buffer.byteLength(text),
        'x-amzn-requestid': 'GAGQSJFFEHPEGIKRE3LBHAOJ1FVV4KQNSO5AEMVJF66Q9ASUAAJG',
      });
      response.end(text);
    });
  };
  const pem = readFileSync(LOOPBACK_CERTIFICATE);
  const servers = [createServer({ cert: pem, key: pem }, listener), createPlainServer(listener)];
  const listening = servers.map(async server => {
    server.keepAliveTimeout = 60_000;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  });
  void Promise.all(listening).then(ports => console.log(ports.join(' ')));
  process.stdin.on('end', () => process.exit(exit())).resume();
}

/** A state item of usual size, as DynamoDB answers it, of an event of this time. `rest`: its status, and what goes with it. */
export function stateItem(pk: string, at: number, rest: object) {
  const [source = '', key = ''] = pk.split('#');
  const time = { N: String(at) };
  return {
    pk: { S: pk },
    schemaVersion: { N: '1' },
    provider: { S: source },
    eventType: { S: 'push' },
    gen: { N: '1' },
    run: { N: '1' },
    ingestId: { S: '6f1c1f0e-8d8d-4f0e-9a55-0d6f6a1f3c11' },
    bodySha: { S: 'ab'.repeat(32) },
    size: { N: '5095' },
    receivedAt: time,
    updatedAt: time,
    enqueuedAt: time,
    attempts: { N: '1' },
    resends: { N: '0' },
    timelineHour: { S: `${source}#2026-11-22T03` },
    timelineAt: { S: `${at}#${key}` },
    ...rest,
  };
}

/** What SQS answers to a message. */
export const sentAnswer = (body = ''): object => ({
  MessageId: '5fea7756-0ea4-451a-a703-a558b933e274',
  MD5OfMessageBody: createHash('md5').update(body).digest('hex'),
});

/** Starts a file that serves one. `stop` answers the code it ended with. */
export async function startStandIn(file: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const [port, plainPort] = line.toString().trim().split(' ');
  return {
    url: `https://127.0.0.1:${port}`,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    async stop(): Promise<number> {
      child.stdin.end();
      const [code] = (await once(child, 'exit')) as [number];
      return code;
    },
  };
}
