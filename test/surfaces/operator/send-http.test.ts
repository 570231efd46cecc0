import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendHttp } from '#operator/aws/send-http.ts';
import { freePort } from '#test/kit/servers/free-port.ts';

const BYTES = new Uint8Array([0, 0xff, 0x7b, 0xe4]);
/** A page of 250 endpoints. */
const LONG = 'x'.repeat(300_000);
const TOO_LONG = Buffer.alloc(10 * 1_024 * 1_024 + 1, 'x');
const ANSWERS: Readonly<Record<string, string | Buffer>> = { '/long': LONG, '/too-long': TOO_LONG };
const got: { method: string | undefined; path: string | undefined; names: string[]; raw: string[]; body: Buffer }[] =
  [];
const server = createServer(async (request, response) => {
  const { method, url, rawHeaders: raw } = request;
  const body = Buffer.concat(await request.toArray());
  got.push({ method, path: url, names: Object.keys(request.headers).sort(), raw, body });
  response.writeHead(418, { 'x-answer': 'tea', 'set-cookie': ['a', 'b'] }).end(ANSWERS[url ?? ''] ?? 'short');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

it('sends the bytes and headers as they are, and adds none but those of HTTP', async () => {
  const answer = await sendHttp(`${url}/a?b=%20`, { method: 'PUT', headers: { 'x-two': ['1', '2'] }, body: BYTES });
  expect(answer).toMatchObject({ status: 418, body: 'short', headers: { 'x-answer': 'tea', 'set-cookie': 'a,b' } });
  expect(answer.ms).toBeGreaterThan(0);
  const [request] = got.splice(0);
  expect(request).toMatchObject({ method: 'PUT', path: '/a?b=%20' });
  expect(request?.body.equals(BYTES)).toBe(true);
  expect(request?.names).toEqual(['connection', 'content-length', 'host', 'x-two']);
  expect(request?.raw.filter(it => it === 'x-two')).toHaveLength(2);
});

it('counts the bytes of a text, and sends no length where there is no body', async () => {
  await sendHttp(url, { method: 'POST', headers: {}, body: 'ä😀' });
  await sendHttp(url, { method: 'GET', headers: {} });
  const [text, none] = got.splice(0);
  expect(text?.body.toString()).toBe('ä😀');
  expect(none?.names).toEqual(['connection', 'host']);
});

it('gives a long answer whole, and none that API Gateway could not have given', async () => {
  const { body } = await sendHttp(`${url}/long`, { method: 'GET', headers: {} });
  expect(body).toBe(LONG);
  await expect(sendHttp(`${url}/too-long`, { method: 'GET', headers: {} })).rejects.toThrow(/more than 10 MB/);
});

it('throws where nothing answers', async () => {
  const closed = `http://127.0.0.1:${await freePort()}`;
  await expect(sendHttp(closed, { method: 'GET', headers: {} })).rejects.toThrow(/ECONNREFUSED/);
});
