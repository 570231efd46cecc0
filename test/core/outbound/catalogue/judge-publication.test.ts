/** What the catalogue says to messages and to itself: over the producer's API, with the judge that runs. */
import { describe, expect, it } from 'vitest';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const SCHEMA = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'integer' }, note: { type: 'string' } },
};
const PUT = 'PUT /v1/event-types/{name}';
const message = (key: string, data: Json, more: object = {}): string =>
  JSON.stringify({ key, type: 'invoice.paid', data, ...more });

async function catalogue(type: object, name = 'invoice.paid', judgeMs?: number) {
  const world = await withEndpoint(judgeMs);
  const made = await world.call(PUT, { name }, type);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return { ...world, made: made.body as Json };
}

describe('data that breaks its schema', () => {
  it('is refused with the first place, and stores nothing', async () => {
    const { publish, call, telemetry } = await catalogue({ schema: SCHEMA, validate: 'reject' });
    const { status, body } = await publish('uid:acme', message('k', { amount: 'c4nary', note: 5 }));
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: 'schema_mismatch', path: '/amount', rule: 'type' });
    expect(body.detail).toBe('data breaks the schema of invoice.paid: /amount type');
    expect(JSON.stringify([body, telemetry.lines])).not.toContain('c4nary');
    expect((await call('GET /v1/apps/{app}/messages', { app: 'uid:acme' })).body.data).toEqual([]);
    expect((await publish('uid:acme', message('k', { amount: 5 }))).status).toBe(202);
  });

  it('is taken and reported: in the answer, one line, one count', async () => {
    const { publish, telemetry } = await catalogue({ schema: SCHEMA, validate: 'warn' });
    const { status, body } = await publish('uid:acme', message('k', { note: 'c4nary' }));
    expect(status).toBe(202);
    expect(body.reported).toMatchObject({ error: 'schema_mismatch', path: '/amount', rule: 'required' });
    const lines = telemetry.lines.map(each => each.line).filter(line => line['stage'] === 'catalogue');
    expect(lines).toMatchObject([{ cause: 'schema_mismatch', msg: body.id, type: 'invoice.paid' }]);
    expect(JSON.stringify(lines)).not.toContain('c4nary');
    expect(telemetry.total('PublishReported')).toBe(1);
    const fits = await publish('uid:acme', message('k2', { amount: 5 }));
    expect(fits.body).not.toHaveProperty('reported');
    expect(telemetry.total('PublishReported')).toBe(1);
  });

  it('is nobody’s business where the type says off, and in a raw body', async () => {
    const { publish, call } = await catalogue({ schema: SCHEMA, validate: 'off' });
    expect((await publish('uid:acme', message('k', 'wrong'))).body).not.toHaveProperty('reported');
    await call(PUT, { name: 'raw.body' }, { schema: SCHEMA, validate: 'reject' });
    const raw = { key: 'r', type: 'raw.body', raw: 'e30=', content_type: 'application/json' };
    expect((await publish('uid:acme', JSON.stringify(raw))).status).toBe(202);
  });

  it('that cannot be judged in time is taken and reported', async () => {
    const { publish } = await catalogue({ schema: { pattern: '^(a+)+$' }, validate: 'reject' }, 'invoice.paid', 50);
    const { status, body } = await publish('uid:acme', message('k', `${'a'.repeat(60)}!`));
    expect([status, body.reported?.error]).toEqual([202, 'not_judged']);
  });
});

describe('an unknown type', () => {
  it.each([
    ['any', 202, undefined],
    ['reported', 202, 'unknown_type'],
    ['declared', 422, undefined],
  ] as const)('%s: %i', async (eventTypes, status, reported) => {
    const { publish, telemetry } = await withEndpoint();
    const answer = await publish('uid:acme', message('k', {}), { eventTypes });
    expect([answer.status, answer.body.reported?.error]).toEqual([status, reported]);
    expect(telemetry.total('PublishReported')).toBe(reported ? 1 : 0);
  });
});

describe('versions', () => {
  const old = { version: 'v1', schema: { required: ['cents'] }, example: { cents: 5 } };
  const type = { version: 'v2', schema: SCHEMA, example: { amount: 5 }, validate: 'reject', earlier: [old] };

  it.each([
    ['the newest, where a message names none', undefined, { amount: 1 }, 202, 'v2'],
    ['the one it names', 'v1', { cents: 1 }, 202, 'v1'],
    ['the newest by name', 'v2', { cents: 1 }, 422, null],
    ['no other', 'v3', { amount: 1 }, 422, null],
  ])('judge: %s', async (_, version, data, status, recorded) => {
    const { publish, call } = await catalogue(type);
    const given = version === undefined ? {} : { api_version: version };
    const { status: answered, body } = await publish('uid:acme', message('k', data, given));
    expect(answered, JSON.stringify(body)).toBe(status);
    if (version === 'v3')
      expect(body).toMatchObject({ error: 'unknown_version', detail: expect.stringContaining('v2, v1') });
    if (recorded === null) return;
    const path = { app: 'uid:acme', msg: body.id as string };
    expect((await call('GET /v1/apps/{app}/messages/{msg}', path)).body.schema_version).toBe(recorded);
  });

  it('names the version of a message that is only reported, too', async () => {
    const { publish, call } = await catalogue({ ...type, validate: 'warn' });
    const { status, body } = await publish('uid:acme', message('k', { cents: 'wrong' }));
    expect([status, body.reported?.error]).toEqual([202, 'schema_mismatch']);
    const path = { app: 'uid:acme', msg: body.id as string };
    expect((await call('GET /v1/apps/{app}/messages/{msg}', path)).body.schema_version).toBe('v2');
  });

  it('a type without versions has one form for all', async () => {
    const { publish } = await catalogue({ schema: SCHEMA, validate: 'reject' });
    expect((await publish('uid:acme', message('k', {}, { api_version: 'v7' }))).body.path).toBe('/amount');
  });

  it('a test sends the example of the version that the endpoint gets', async () => {
    const { call, app, ep, sent } = await catalogue(type);
    const test = async (): Promise<Json> => {
      await call('POST /v1/apps/{app}/endpoints/{ep}/test', { app, ep }, { type: 'invoice.paid' });
      return JSON.parse(new TextDecoder().decode(sent.at(-1)?.body)).data;
    };
    expect(await test()).toEqual({ amount: 5 });
    await call('PATCH /v1/apps/{app}/endpoints/{ep}', { app, ep }, { api_version: 'v1' });
    expect(await test()).toEqual({ cents: 5 });
  });
});

describe('a type is saved', () => {
  it('and shown as it was given', async () => {
    const given = {
      ...{
        description: 'Paid',
        group: 'Money',
        validate: 'warn',
        version: 'v2',
        schema: SCHEMA,
        example: { amount: 1 },
      },
      ...{ deprecated: true, ends_at: '2027-01-31T00:00:00.000Z', replacement: 'invoice.settled' },
      earlier: [{ version: 'v1', schema: null as unknown, example: 7, deprecated: true }],
    };
    given.earlier[0]!.schema = { type: 'integer' };
    const { made, call } = await catalogue(given);
    expect(made).toEqual({ name: 'invoice.paid', ...given });
    expect((await call('GET /v1/event-types')).body.data).toEqual([made]);
  });

  it.each([
    [{ schema: { properties: { a: { type: 'objekt' } } } }, 'schema.properties.a.type'],
    [{ schema: SCHEMA, example: { amount: 'x' } }, 'example'],
    [{ version: 'v2', earlier: [{ version: 'v1', schema: SCHEMA, example: {} }] }, 'earlier[0].example'],
    [{ version: 'v1', earlier: [{ version: 'v1' }] }, 'earlier[0].version'],
    [{ earlier: [{ version: 'v1' }] }, 'version'],
    [{ earlier: [{ schema: SCHEMA }], version: 'v2' }, 'earlier[0].version'],
    [{ ends_at: '2027-01-31T00:00:00Z' }, 'ends_at'],
    [{ replacement: 'b' }, 'replacement'],
    [{ deprecated: true, replacement: 'invoice.paid' }, 'replacement'],
    [{ deprecated: true, ends_at: 'soon' }, 'ends_at'],
    [{ version: 'a b' }, 'version'],
    [{ validate: 'strict' }, 'validate'],
  ])('never with %j', async (type, path) => {
    const { call } = await withEndpoint();
    const { status, body } = await call(PUT, { name: 'invoice.paid' }, type);
    expect([status, body.details?.map((each: Json) => each.path)]).toEqual([400, [path]]);
    expect((await call('GET /v1/event-types')).body.data).toEqual([]);
  });
});
