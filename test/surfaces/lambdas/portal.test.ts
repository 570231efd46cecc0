/** From API Gateway's event to the customer's page and API, with the headers of every answer. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { guardHeaders, portalPage } from '#core/outbound/portal/portal-page.ts';
import { handlePortalCall } from '#lambdas/portal/handle-portal-call.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const LOOK = { name: 'Acme', accent: '#0b6b5d', frameAncestors: [] };

async function called() {
  const world = await withEndpoint();
  const page = portalPage(LOOK, { script: 'x', style: 'y' }, nodeCrypto);
  const handle = handlePortalCall({
    ports: world.ports,
    rulesOf: () => world.rules,
    page,
    headers: guardHeaders(LOOK),
  });
  const call = async (routeKey: string, given: Partial<APIGatewayProxyEventV2> = {}) => {
    const event = { routeKey, rawPath: '/x', headers: {}, requestContext: { domainName: 'api.acme.com' }, ...given };
    const { statusCode, headers = {}, body = '' } = await handle(event as APIGatewayProxyEventV2);
    return { statusCode, headers, body };
  };
  return { ...world, call };
}

it('answers with a token, says no without, and knows no other route', async () => {
  const { call, app, ...world } = await called();
  const made = await world.api.send({ method: 'POST', path: ['apps', app, 'portal-tokens'], body: {} });
  const { token } = JSON.parse(made.body);
  const list = 'GET /portal/v1/apps/{app}/endpoints';
  const request = { pathParameters: { app }, headers: { authorization: `Bearer ${token}` } };
  const good = await call(list, request);
  expect(good.statusCode).toBe(200);
  expect(JSON.parse(good.body).data).toHaveLength(1);
  // A token in the query is none: it would be in logs.
  const inQuery = await call(list, { pathParameters: { app }, queryStringParameters: { token } });
  expect(inQuery.statusCode).toBe(401);
  const made2 = { body: '{"url":"https://b.customer.com/"}', ...request };
  expect((await call('POST /portal/v1/apps/{app}/endpoints', made2)).statusCode).toBe(201);
  for (const route of [
    'GET /v1/apps',
    'POST /portal/v1/apps/{app}/messages',
    'DELETE /portal/v1/apps/{app}',
    '$default',
  ])
    expect((await call(route, request)).statusCode, route).toBe(404);
  const shell = await call('GET /portal');
  expect(shell.headers['content-type']).toBe('text/html; charset=utf-8');
  expect((await call('GET /portal/{file}', { pathParameters: { file: 'x.js' } })).statusCode).toBe(404);
  for (const answer of [good, inQuery, shell, await call('$default')])
    expect(answer.headers).toMatchObject({
      ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  for (const answer of [good, inQuery]) expect(answer.headers['cache-control']).toBe('no-store');
});

it('does what a link says only by POST, without a token; by GET it shows the page', async () => {
  const { call, app, api } = await called();
  const made = await api.send({
    method: 'POST',
    path: ['apps', app, 'contacts'],
    body: { url: 'https://told.acme.com/' },
  });
  expect(made.status).toBe(201);
  const wrong = { queryStringParameters: { confirm: `${app}.${JSON.parse(made.body).id}.${'0'.repeat(26)}` } };
  const refused = await call('POST /portal', wrong);
  expect([refused.statusCode, JSON.parse(refused.body).error]).toEqual([404, 'unknown_link']);
  expect(refused.headers['cache-control']).toBe('no-store');
  expect((await call('GET /portal', wrong)).headers['content-type']).toBe('text/html; charset=utf-8');
});
