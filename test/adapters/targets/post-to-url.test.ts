/** A route's POST against a real HTTP server on this machine. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postToUrl } from '#adapters/targets/post-to-url.ts';

let server: Server;
let url: string;
let answer: { status: number; headers?: Record<string, string> } | 'hang up' | 'nothing' = { status: 200 };
const got: { headers: IncomingHttpHeaders; bytes: Buffer }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    got.push({ headers: request.headers, bytes: Buffer.concat(chunks) });
    if (answer === 'nothing') return;
    if (answer === 'hang up') request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end('a body nobody reads');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const bytes = Uint8Array.from([0x7b, 0xff, 0x00, 0x0d, 0x0a]);
const post = (given: typeof answer, signal = new AbortController().signal) => {
  answer = given;
  return postToUrl(url, { headers: { 'content-type': 'x/y', 'idempotency-key': 'k' }, bytes }, signal);
};

it('sends the exact bytes and headers, and takes any 2xx as an acceptance', async () => {
  expect(await post({ status: 204 })).toEqual({ kind: 'accepted', receipt: '204' });
  expect([...(got.at(-1)?.bytes ?? [])]).toEqual([...bytes]);
  expect(got.at(-1)?.headers).toMatchObject({ 'content-type': 'x/y', 'idempotency-key': 'k' });
});

it.each([
  [429, { 'retry-after': '120' }, { kind: 'busy', afterSeconds: 120 }],
  [429, {}, { kind: 'busy' }],
  [503, { 'retry-after': '3' }, { kind: 'busy', afterSeconds: 3 }],
  [503, { 'retry-after': 'soon' }, { kind: 'failed' }],
  [500, {}, { kind: 'failed' }],
  [408, {}, { kind: 'failed' }],
  [401, {}, { kind: 'refused', cause: 'denied' }],
  [404, {}, { kind: 'refused', cause: 'not_found' }],
  [413, {}, { kind: 'refused', cause: 'invalid' }],
  [301, { location: 'http://127.0.0.1:1/' }, { kind: 'refused', cause: 'invalid' }],
  [302, { location: 'http://127.0.0.1:1/' }, { kind: 'failed' }],
  [423, {}, { kind: 'failed' }],
  [429, { 'retry-after': '0' }, { kind: 'busy', afterSeconds: 0 }],
  [429, { 'retry-after': '' }, { kind: 'busy' }],
  [429, { 'retry-after': '31536000' }, { kind: 'busy', afterSeconds: 86_400 }],
])('takes %i %j as what it is', async (status, headers, wanted) => {
  expect(await post({ status, headers: headers as Record<string, string> })).toEqual({
    ...wanted,
    reason: `it answered ${status}`,
  });
});

it('reads a Retry-After that is a date', async () => {
  const date = new Date(Date.now() + 90_000).toUTCString();
  const delivered = await post({ status: 429, headers: { 'retry-after': date } });
  expect(delivered).toMatchObject({ kind: 'busy' });
  const seconds = delivered.kind === 'busy' ? delivered.afterSeconds : undefined;
  expect(seconds).toBeGreaterThan(60);
  expect(seconds).toBeLessThanOrEqual(91);
});

it('calls it a failure when the connection breaks, nobody listens, or the time is over', async () => {
  expect(await post('hang up')).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/socket|closed|reset/i),
  });
  expect(await post('nothing', AbortSignal.timeout(50))).toMatchObject({ kind: 'failed' });
  const signal = new AbortController().signal;
  const gone = createServer();
  await new Promise<void>(resolve => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise(resolve => gone.close(resolve));
  expect(await postToUrl(`http://127.0.0.1:${port}/`, { headers: {}, bytes }, signal)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
});
