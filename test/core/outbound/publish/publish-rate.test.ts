import { expect, it } from 'vitest';
import { withEndpoint } from '#test/kit/producer-world.ts';

const message = (n: number): string => `{"key":"k${n}","type":"invoice.paid","data":{"n":${n}}}`;

it('publishes as fast as the producer can where nothing is limited', async () => {
  const { app, publish } = await withEndpoint();
  for (let n = 0; n < 20; n++) expect((await publish(app, message(n))).status).toBe(202);
});

it('refuses what is above the limit of a second, stores nothing of it, and takes it a second later', async () => {
  const { app, publish, pass, call } = await withEndpoint();
  const limits = { publish_per_second: 3 };
  const changed = await call('PATCH /v1/apps/{app}', { app }, { limits });
  expect(changed.body.limits).toEqual(limits);
  for (let n = 0; n < 3; n++) expect((await publish(app, message(n))).status).toBe(202);
  const refused = await publish(app, message(3));
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({
    error: 'quota',
    retry_after: 1,
    detail: expect.stringContaining('3 messages a second'),
  });
  expect((await call('GET /v1/apps/{app}/messages', { app })).body.data).toHaveLength(3);
  pass(1_000);
  expect((await publish(app, message(3))).status).toBe(202);
});
