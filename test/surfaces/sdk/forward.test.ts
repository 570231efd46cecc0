/** The shipped forward() handler against a real HTTP server on this machine. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forward } from 'holdfast';
import { afterEach, expect, it } from 'vitest';
import { type EventId, toSourceId } from '#core/glossary.ts';
import type { HandlerContext, WebhookEvent } from '#core/handler/handler-contract.ts';

const bytes = new Uint8Array([0x7b, 0xff, 0x00, 0x0d, 0x0a, 0x7d]);
const event = {
  id: 'evt_stripe.evt_1' as EventId,
  source: toSourceId('stripe'),
  type: 'invoice.paid',
  bytes,
  headers: { 'content-type': 'application/json; charset=utf-8' },
} as unknown as WebhookEvent;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(status: number, headers: Record<string, string> = {}, answer = true) {
  const got: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    got.push({ headers: request.headers, body: Buffer.concat(chunks) });
    if (answer) response.writeHead(status, headers).end('done');
  });
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got };
}

const context = (signal = new AbortController().signal): HandlerContext =>
  ({ attempt: 2, idempotencyKey: 'stripe:evt_1:1', signal }) as unknown as HandlerContext;

it('posts the exact bytes with event id, type, attempt and idempotency key', async () => {
  const { url, got } = await serve(204);
  expect(await forward(url)(event, context())).toEqual({
    kind: 'done',
    actionTaken: 'forwarded',
    data: { status: 204 },
  });
  expect(Buffer.from(bytes).equals(got[0]?.body ?? Buffer.alloc(0))).toBe(true);
  expect(got[0]?.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'holdfast-event-id': 'evt_stripe.evt_1',
    'holdfast-event-type': 'invoice.paid',
    'holdfast-attempt': '2',
    'idempotency-key': 'stripe:evt_1:1',
  });
});

it('goes on in the trace of the event, and begins none', async () => {
  const { url, got } = await serve(204);
  const attempt = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await forward(url)(event, { ...context(), trace: { event: attempt.replace('b7', 'c8'), attempt } });
  await forward(url)(event, context());
  expect(got.map(({ headers }) => headers['traceparent'])).toEqual([attempt, undefined]);
});

it.each([
  [429, '17', 17],
  [503, '17', 17],
  [429, '0', 0],
  [429, '', 0],
  [429, '31536000', 86_400],
])('passes on what %i says in Retry-After %j as a hint of %i s', async (status, header, afterSeconds) => {
  const { url } = await serve(status, { 'retry-after': header });
  expect(await forward(url)(event, context())).toMatchObject({ kind: 'retry', hint: true, afterSeconds });
});

it('reads a date in Retry-After', async () => {
  const { url } = await serve(503, { 'retry-after': new Date(Date.now() + 300_000).toUTCString() });
  const outcome = await forward(url)(event, context());
  expect(outcome.kind === 'retry' && outcome.afterSeconds).toBeGreaterThan(290);
});

it.each([500, 502, 503, 408, 409, 423, 425, 302])('tries again on %i', async status => {
  const { url } = await serve(status, status === 302 ? { location: 'http://127.0.0.1:9/' } : {});
  await expect(forward(url)(event, context())).rejects.not.toHaveProperty('name', 'PermanentError');
});

it.each([301, 308, 400, 401, 404, 410, 422])('gives up on %i', async status => {
  const { url } = await serve(status);
  await expect(forward(url)(event, context())).rejects.toHaveProperty('name', 'PermanentError');
});

it('stops when the attempt is over', async () => {
  const { url } = await serve(200, {}, false);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('out of time')), 50);
  await expect(forward(url)(event, context(controller.signal))).rejects.toThrow('out of time');
});

it.each([
  ['ftp://example.org', /a URL|arn/],
  ['http://orders.example.com/hook', /https \(http only to/],
  ['https://user:secret@orders.example.com/', /without user, password/],
  ['arn:aws:sqs:eu-central-1:111122223333:orders', /a URL/],
  ['not a url', /allowed/],
])('refuses %s at start', (url, why) => {
  expect(() => forward(url)).toThrow(RangeError);
  expect(() => forward(url)).toThrow(why);
});
