/** A customer's token calls no server at will, and leaves nothing without end in what all applications share. */
import { expect, it } from 'vitest';
import { answerPortal } from '#core/outbound/portal/answer-portal.ts';
import type { PortalRoute } from '#core/outbound/portal/portal-routes.ts';
import { DAY_MS } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';

async function withCustomer() {
  const world = await withEndpoint();
  const { call, app, ep, ports, rules } = world;
  const mint = async (): Promise<string> => (await call('POST /v1/apps/{app}/portal-tokens', { app }, {})).body.token;
  let token = await mint();
  const ask = async (route: PortalRoute, body: Json = {}, path: Record<string, string> = { app, ep }) => {
    const text = JSON.stringify(body);
    const about = { route, path, query: {}, body: text, authorization: `Bearer ${token}`, mayCall: () => true };
    const { status, body: said } = await answerPortal({ ...about, ports, rules });
    return { status, body: said === '' ? undefined : JSON.parse(said) };
  };
  const tomorrow = async (): Promise<void> => {
    world.pass(DAY_MS);
    token = await mint();
  };
  return { ...world, ask, tomorrow };
}

it('tries ten times a minute, by enabling too; the producer as often as it wants', async () => {
  const { ask, call, app, ep, pass } = await withCustomer();
  const statuses: number[] = [];
  for (let n = 0; n < 9; n++) statuses.push((await ask(`POST ${E}/trial`)).status);
  await ask(`POST ${E}/disable`);
  statuses.push((await ask(`POST ${E}/enable`)).status);
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
  const refused = await ask(`POST ${E}/trial`);
  expect([refused.status, refused.body.error]).toEqual([429, 'quota']);
  expect(refused.body.detail).toMatch(/^at most 10 trial requests a minute/);
  await ask(`POST ${E}/disable`);
  expect((await ask(`POST ${E}/enable`)).status).toBe(429);
  expect((await call(`POST ${E}/enable`, { app, ep }, {})).status).toBe(200);
  for (let n = 0; n < 20; n++) expect((await call(`POST ${E}/trial`, { app, ep }, {})).status).toBe(200);
  pass(60_000);
  expect((await ask(`POST ${E}/trial`)).status).toBe(200);
});

it('makes 200 endpoints a day, however many of them it deletes', async () => {
  const { ask, call, app, tomorrow } = await withCustomer();
  const make = () => ask('POST /v1/apps/{app}/endpoints', { url: 'https://hooks.customer.com/in' }, { app });
  for (let n = 0; n < 200; n++) {
    const { status, body } = await make();
    expect(status).toBe(201);
    await ask(`DELETE ${E}`, {}, { app, ep: body.id });
  }
  const refused = await make();
  expect([refused.status, refused.body.error]).toEqual([429, 'quota']);
  const url = { url: 'https://hooks.customer.com/in' };
  expect((await call('POST /v1/apps/{app}/endpoints', { app }, url)).status).toBe(201);
  await tomorrow();
  expect((await make()).status).toBe(201);
});
