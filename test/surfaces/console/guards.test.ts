/**
 * Who may talk to the console:
 *  1. a request under another Host, from another Origin or site, without this run's token: refused, on every route;
 *  2. every answer, errors included, carries the headers that keep others out;
 *  3. a read-only console refuses everything that changes something, on the server;
 *  4. answers are data of one shape, whatever is asked.
 */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUARD_HEADERS } from '#console/server/guards.ts';
import { ROUTES } from '#console/server/routes.ts';
import { type RunningConsole, startConsole } from '#console/server/start-console.ts';
import { TOKEN_HEADER } from '#console/wire.ts';
import { encodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';
import { demoDeliveries } from './demo-deliveries.ts';

const gateway = new ConsoleGateway();
let writing: RunningConsole;
let reading: RunningConsole;

beforeAll(async () => {
  gateway.delivery = (await demoDeliveries(Date.now())).api;
  gateway.add({
    source: 'stripe',
    key: 'evt_1',
    type: 'invoice.paid',
    status: 'completed',
    receivedAt: Date.now() - 5_000,
    body: Buffer.from('{"a":1}'),
  });
  const options = { operator: gateway.operator(), program: 'holdfast' };
  [writing, reading] = await Promise.all([
    startConsole({ ...options, readOnly: false }),
    startConsole({ ...options, readOnly: true }),
  ]);
});
afterAll(() => Promise.all([writing.close(), reading.close()]));

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function tokenOf(console: RunningConsole): string {
  return new URL(console.url).hash.slice('#token='.length);
}

function call(
  console: RunningConsole,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | undefined>; body?: string } = {},
): Promise<Answer> {
  const { port } = console;
  const all = { [TOKEN_HEADER]: tokenOf(console), 'content-type': 'application/json', ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: given }, incoming => {
      let text = '';
      incoming.on('data', chunk => {
        text += String(chunk);
        if (path === '/api/live') incoming.destroy();
      });
      incoming.once('close', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body ?? (method === 'POST' ? '{}' : undefined));
  });
}

const PATHS = [...ROUTES, { method: 'GET' as const, path: '/api/live' }].map(
  ({ method, path }) =>
    [
      method,
      path
        .replace('/api/events/:id/save', '/api/events/nobody/save')
        .replace('/api/events/:id', '/api/events/evt_stripe.evt_1')
        .replace(':name', 'stripe')
        .replaceAll(/:\w+/g, 'x'),
    ] as const,
);

const INTRUDERS = [
  ['another Host', { host: 'evil.example' }, 403],
  ['a name bound anew to 127.0.0.1', { host: 'rebound.example:4580' }, 403],
  ['the right host with another port', { host: '127.0.0.1:1' }, 403],
  ['another Origin', { origin: 'https://evil.example' }, 403],
  ['no Origin that is one', { origin: 'null' }, 403],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
  ['no token', { [TOKEN_HEADER]: undefined }, 401],
  ['an empty token', { [TOKEN_HEADER]: '' }, 401],
  ['a token of the same length', { [TOKEN_HEADER]: 'A'.repeat(32) }, 401],
] as const;

describe.each(PATHS)('%s %s', (method, path) => {
  it.each(INTRUDERS)('refuses %s', async (_, headers, status) => {
    const answer = await call(writing, path, { method, headers });
    expect(answer.status).toBe(status);
    expect(Object.keys(JSON.parse(answer.body) as object)).toEqual(expect.arrayContaining(['problem']));
    expect(answer.headers).toMatchObject(GUARD_HEADERS);
  });

  it('answers with every guard header', async () => {
    const { status, headers } = await call(writing, path, { method });
    expect([200, 400, 404, 502]).toContain(status);
    expect(headers).toMatchObject(GUARD_HEADERS);
  });
});

it('stays there whatever address any page of the browser asks for', async () => {
  for (const path of [
    '//',
    '//[',
    '//a:b/',
    'http://',
    '/%',
    '/assets/../../package.json',
    '/assets/%2e%2e%2fpackage.json',
  ]) {
    const { status, body } = await call(writing, path, { headers: { [TOKEN_HEADER]: undefined } });
    expect([200, 404]).toContain(status);
    expect(body).not.toContain('devDependencies');
  }
  expect((await call(writing, '/api/hello')).status).toBe(200);
});

it('takes the token from no cookie and no query', async () => {
  const token = tokenOf(writing);
  const headers = { [TOKEN_HEADER]: undefined, cookie: `${TOKEN_HEADER}=${token}` };
  expect((await call(writing, `/api/hello?token=${token}`, { headers })).status).toBe(401);
});

it('answers a browser that opens it, and nobody who frames or posts to the page', async () => {
  const page = await call(writing, '/dead', { headers: { [TOKEN_HEADER]: undefined, 'sec-fetch-site': 'cross-site' } });
  expect(page).toMatchObject({
    status: 200,
    headers: { ...GUARD_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  });
  expect(page.body).not.toContain(tokenOf(writing));
  expect((await call(writing, '/', { method: 'POST' })).status).toBe(405);
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH'])
    expect((await call(writing, '/api/hello', { method })).status).toBe(405);
});

it('serves no file outside its bundle', async () => {
  for (const path of ['/assets/../../package.json', '/assets/%2e%2e/package.json', '/assets/x.js', '/api/nothing'])
    expect((await call(writing, path)).body).not.toContain('"dependencies"');
  expect((await call(writing, '/assets/x.js')).status).toBe(404);
});

const CHANGES = PATHS.filter(([method]) => method === 'POST');

describe('read-only', () => {
  it.each(CHANGES)('refuses %s %s and changes nothing', async (method, path) => {
    const before = gateway.sent.length;
    const answer = await call(reading, path, { method, body: '{"why":"x","url":"http://localhost:1","confirm":1}' });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({ problem: expect.stringContaining('is read-only') });
    expect(gateway.sent.length).toBe(before);
  });

  it('reads everything', async () => {
    for (const [method, path] of PATHS.filter(it => it[0] === 'GET' && it[1] !== '/api/live')) {
      const { status } = await call(reading, path, { method });
      expect([200, 400, 404], path).toContain(status);
    }
  });
});

describe('input', () => {
  it.each([
    ['/api/events?status=dead_leter', 'did you mean dead_letter'],
    ['/api/events?since=yesterday', 'allowed'],
    ['/api/events?limit=9999', 'whole number'],
    ['/api/events?cursor=xyz', 'not a cursor'],
    ['/api/grep?text=', 'text is missing'],
    ['/api/sources/nobody', 'No source'],
    ['/api/events?where=ordr=1', 'did you mean order?'],
    ['/api/events?where=order', 'a field and its value'],
    ['/api/replay?where=order=1', 'select the events'],
  ])('%s is told what is wrong (%s)', async (path, words) => {
    const answer = await call(writing, path);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(words);
  });

  it('takes a limit from 1 to 1,000 messages of an application, and no other', async () => {
    const list = (limit: number) => call(writing, `/api/out/apps/uid:acme/messages?limit=${limit}`);
    const [one, most] = [await list(1), await list(1_000)];
    expect([one.status, most.status]).toEqual([200, 200]);
    expect((JSON.parse(one.body) as { messages: unknown[] }).messages).toHaveLength(1);
    for (const limit of [0, 1_001]) expect((await list(limit)).status, `${limit}`).toBe(400);
  });

  it('reads no more than six megabytes of a request', async () => {
    const body = (length: number): string => JSON.stringify({ why: 'x'.repeat(length) });
    const post = (length: number) =>
      call(writing, '/api/events/evt_stripe.evt_1/replay', { method: 'POST', body: body(length) });
    const answer = await post(6_000_001);
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('larger than 6000000 bytes')]);
    expect((await post(5_000_000)).body).not.toContain('larger than');
  });

  it('takes a reason, and an address of this machine only', async () => {
    gateway.sent.length = 0;
    const post = (path: string, body: object) => call(writing, path, { method: 'POST', body: JSON.stringify(body) });
    expect((await post('/api/events/evt_stripe.evt_1/replay', {})).body).toContain('why is missing');
    for (const url of [
      'https://evil.example/x',
      'file:///etc/passwd',
      'http://127.0.0.1.evil.example/',
      'http://169.254.169.254/',
    ])
      expect((await post('/api/events/evt_stripe.evt_1/send', { url })).status, url).toBe(400);
    expect(gateway.sent).toEqual([]);
    expect((await post('/api/events/evt_stripe.evt_1/send', { url: 'http://localhost:3000/x' })).status).toBe(200);
    expect(gateway.sent).toEqual([{ url: 'http://localhost:3000/x', body: '{"a":1}' }]);
  });

  it('closes dead letters only with a reason, and only as many as were confirmed', async () => {
    gateway.add({
      source: 'stripe',
      key: 'evt_dead',
      type: 'a',
      status: 'dead_letter',
      receivedAt: Date.now() - 9_000,
    });
    const close = (body: object) =>
      call(writing, '/api/dead/close?source=stripe', { method: 'POST', body: JSON.stringify(body) });
    expect((await close({ confirm: 1 })).body).toContain('why is missing');
    expect((await close({ confirm: 2, why: 'test data' })).body).toContain(
      '2 dead letters were confirmed, but there are 1 now',
    );
    expect(JSON.parse((await close({ confirm: 1, why: 'test data' })).body)).toEqual({ closed: 1, left: 0 });
    expect(JSON.parse((await call(writing, '/api/dead')).body)).toMatchObject({ total: 0 });
  });

  it('deletes the messages that were meant, and no more than were confirmed', async () => {
    const rows = [
      ['stripe', 'evt_gone', 'row 7 is missing'],
      ['stripe', 'evt_other', 'no such column'],
      ['github', 'evt_gone', 'row 8 is missing'],
    ] as const;
    const [pay, column, push] = rows.map(([source, key, lastError]) => {
      const dead = { source, key, lastError, type: 'a', status: 'dead_letter', cause: 'permanent' } as const;
      const { pk, gen, bodySha, ingestId, size, receivedAt } = gateway.add({ ...dead, receivedAt: Date.now() - 9_000 });
      const message = { v: 1, pk, gen, bodySha, ingestId, size, receivedAt, provider: source, eventType: 'a' } as const;
      return encodeWorkMessage({ ...message, deadId: 'evt_gone', cause: 'permanent' });
    }) as [string, string, string];
    gateway.deadMessages = [pay, column, push];
    const purge = async (body: object, error = 'row 9 is missing') =>
      JSON.parse(
        (
          await call(writing, `/api/dead/purge?source=stripe&error=${encodeURI(error)}`, {
            method: 'POST',
            body: JSON.stringify(body),
          })
        ).body,
      );
    expect(await purge({})).toMatchObject({ problem: 'confirm: ""' });
    expect(await purge({ confirm: 3 }, 'row 9 is missing&type=b')).toMatchObject({
      problem: expect.stringContaining('"type"'),
    });
    expect(gateway.deadMessages).toEqual([pay, column, push]);
    expect(await purge({ confirm: 2 })).toMatchObject({ done: 1, kept: 2 });
    expect(gateway.deadMessages).toEqual([column, push]);
    expect(await purge({ confirm: 1 }, 'no such column')).toMatchObject({ done: 1 });
    expect(gateway.deadMessages).toEqual([push]);
  });

  it('never tells a secret', async () => {
    for (const [method, path] of PATHS.filter(it => it[0] === 'GET' && it[1] !== '/api/live')) {
      const { body } = await call(writing, path, { method });
      expect(body, path).not.toContain('whsec_secret_of');
    }
  });
});

describe('failures', () => {
  it.each([
    ['ExpiredTokenException', 503, 'aws sso login'],
    ['AccessDeniedException', 503, 'AWS refused'],
    ['ProvisionedThroughputExceededException', 502, 'throttling'],
  ])('%s is one sentence with the fix', async (name, status, words) => {
    gateway.failure = Object.assign(new Error('The thing is not allowed'), { name });
    const answer = await call(writing, '/api/now');
    gateway.failure = undefined;
    expect(answer.status).toBe(status);
    const { problem, fix } = JSON.parse(answer.body) as { problem: string; fix: string };
    expect(`${problem} ${fix}`).toContain(words);
    expect(problem).not.toContain('\n');
  });
});

it('takes the next free port when its own is taken', () => {
  expect(reading.port).not.toBe(writing.port);
});
