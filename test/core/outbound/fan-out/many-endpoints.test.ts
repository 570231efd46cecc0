/** A message for every application, and one for more endpoints than one job takes. */
import { expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

it('a broadcast reaches the endpoints of every application, each once', async () => {
  const { call, publish, settle, sent } = await withEndpoint();
  await call('POST /v1/apps', {}, { name: 'All', uid: 'broadcast' });
  const other = (await call('POST /v1/apps', {}, { name: 'Other' })).body.id as string;
  await call('POST /v1/apps/{app}/endpoints', { app: other }, { url: 'https://other.customer.com/' });
  const { status, body } = await publish(undefined, '{"key":"k1","type":"terms.changed","data":{"n":1}}');
  expect(status).toBe(202);
  await settle();
  expect(sent.map(({ url }) => url).sort()).toEqual(['https://hooks.customer.com/in', 'https://other.customer.com/']);
  expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([body.id]));
});

it('a message for more endpoints than one job takes reaches each of them once', { timeout: 300_000 }, async () => {
  const many = isLongRun() ? 10_000 : 600;
  const { app, call, publish, settle, sent, pass } = await withEndpoint();
  await call('PATCH /v1/apps/{app}', { app }, { limits: { endpoints: 10_000 } });
  for (let n = 1; n < many; n++) {
    // An application is one partition of the table in memory, which is as slow as the real one.
    if (n % 50 === 0) pass(1_000);
    await call('POST /v1/apps/{app}/endpoints', { app }, { url: `https://c${n}.customer.com/` });
  }
  pass(1_000);
  await publish(app, '{"key":"k1","type":"invoice.paid","data":{"n":1}}');
  await settle();
  expect(sent).toHaveLength(many);
  expect(new Set(sent.map(({ url }) => url)).size).toBe(many);
});
