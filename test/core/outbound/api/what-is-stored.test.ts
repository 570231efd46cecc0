/** JSON that the table does not keep as it was written is the caller's to correct: asking again, as a 503 says, would never help. */
import { describe, expect, it } from 'vitest';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import type { DeliveryRoute } from '#core/outbound/api/api-routes.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
const levels = (count: number, inside = '1'): string => `${'{"a":'.repeat(count)}${inside}${'}'.repeat(count)}`;
const eq = (value: string): string => `{"all":[{"path":"data.id","op":"eq","value":${value}}]}`;

async function asking() {
  const { app, ep, ports, rules } = await withEndpoint();
  const path = { app, ep, name: 'a.b' };
  return async (route: DeliveryRoute, body: string) => {
    const reply = await answerApi({ route, path, query: {}, body, caller: 'arn:test', ports, rules });
    return { status: reply.status, body: JSON.parse(reply.body) };
  };
}

describe.each([
  ['a number beyond 2^53', '{"id":12345678901234567890}', 'given 12345678901234567000'],
  ['a number that JSON.parse makes infinite', '{"id":1e400}', 'given Infinity'],
  ['a number too close to zero', '{"id":1e-200}', 'given 1e-200'],
  ['an empty name', '{"a":{"":1}}', 'given an empty name'],
  ['more levels than the table has', levels(29), 'given deeper'],
])('%s', (_, value, told) => {
  it.each([
    ['POST /v1/apps', `{"name":"n","metadata":${value}}`, 'metadata'],
    ['PATCH /v1/apps/{app}', `{"metadata":${value}}`, 'metadata'],
    [`PATCH ${E}`, `{"metadata":${value}}`, 'metadata'],
    ['PUT /v1/event-types/{name}', `{"example":${value}}`, 'example'],
    [
      'PUT /v1/event-types/{name}',
      `{"version":"2","earlier":[{"version":"1","example":${value}}]}`,
      'earlier[0].example',
    ],
  ] as const)('%s %s', async (route, body, path) => {
    const ask = await asking();
    const { status, body: said } = await ask(route, body);
    expect([status, said.error]).toEqual([400, 'invalid_request']);
    expect(said.detail).toContain(`${path}: ${told}`);
  });
});

it.each(['12345678901234567890', '1e400', '1e-200'])(
  'a filter goes by no rounded number, but by the digits as text: %s',
  async value => {
    const ask = await asking();
    const refused = await ask(`PATCH ${E}`, `{"filter":${eq(value)}}`);
    expect([refused.status, refused.body.details[0].fix]).toEqual([400, 'write it as text']);
    expect((await ask(`PATCH ${E}`, `{"filter":${eq(`"${value}"`)}}`)).status).toBe(200);
  },
);

it('a schema with the bounds of an int64 is told so, not to ask again', async () => {
  const ask = await asking();
  const { status, body } = await ask('PUT /v1/event-types/{name}', '{"schema":{"minimum":-9223372036854775808}}');
  expect([status, body.details[0].path]).toEqual([400, 'schema']);
});

it('takes what the table does keep', async () => {
  const ask = await asking();
  const good = levels(28, '9007199254740991');
  expect((await ask(`PATCH ${E}`, `{"metadata":${good}}`)).status).toBe(200);
  const type = `{"version":"2","example":${good},"earlier":[{"version":"1","example":${good}}]}`;
  expect((await ask('PUT /v1/event-types/{name}', type)).status).toBe(200);
});

it.each(['metadata', 'description', 'types', 'filter', 'unknown'])(
  '30,000 levels of %s are a refusal, no crash',
  async name => {
    const ask = await asking();
    const { status } = await ask(`PATCH ${E}`, `{"${name}":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
    expect(status).toBe(400);
  },
);
