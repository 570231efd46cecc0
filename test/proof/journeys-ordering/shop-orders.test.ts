/** The fetcher of the guide against a server that answers as shops do. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shopOrders } from '#handlers/examples/shop-orders.ts';

let server: Server;
let baseUrl: string;
const seen: string[] = [];
const ANSWERS: Record<string, [number, Record<string, string>, string]> = {
  '/orders/ord_1': [200, {}, '{"id":"ord_1","status":"paid","total":"1.00","updated_at":"2026-11-21T00:00:00Z"}'],
  '/orders/gone': [404, {}, ''],
  '/orders/deleted': [410, {}, ''],
  '/orders/busy': [429, { 'retry-after': '17' }, ''],
  '/orders/down': [503, { 'retry-after': 'Sat, 21 Nov 2026 03:00:00 GMT' }, ''],
  '/orders/secret': [403, {}, ''],
  '/orders/broken': [500, {}, ''],
  '/orders/a%2F..%2Fb': [200, {}, '{"id":"a/../b"}'],
  '/orders/garbage': [200, {}, 'not json'],
};

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '');
    const [status, headers, body] = ANSWERS[request.url ?? ''] ?? [400, {}, ''];
    if (request.url === '/orders/silent') return;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fetchOrder = (id: string, signal = AbortSignal.timeout(5_000)) => shopOrders(baseUrl, 'tok').fetch(id, signal);

it('gives each answer its name', async () => {
  expect(await fetchOrder('ord_1')).toMatchObject({ kind: 'found', id: 'ord_1', object: { status: 'paid' } });
  expect(await fetchOrder('gone')).toEqual({ kind: 'gone' });
  expect(await fetchOrder('deleted')).toEqual({ kind: 'gone' });
  expect(await fetchOrder('busy')).toEqual({ kind: 'busy', retryAfterSeconds: 17 });
  expect(await fetchOrder('down')).toEqual({ kind: 'busy', retryAfterSeconds: 0 });
  expect(await fetchOrder('secret')).toEqual({ kind: 'refused', reason: 'it answered 403' });
  expect(await fetchOrder('a/../b')).toMatchObject({ kind: 'found', id: 'a/../b' });
  expect(new Set(seen)).toEqual(new Set(['Bearer tok']));
});

it('throws what may be tried again, and stops when told to', async () => {
  await expect(fetchOrder('broken')).rejects.toThrow('answered 500');
  await expect(fetchOrder('garbage')).rejects.toThrow();
  await expect(fetchOrder('silent', AbortSignal.timeout(50))).rejects.toThrow(/timeout|aborted/i);
});
