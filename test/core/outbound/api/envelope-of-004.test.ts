/** What the body of a message says of its request and of its version, published through the API. */
import { expect, it } from 'vitest';
import { producerWorld } from '#test/kit/producer-world.ts';

it("names the producer's request, and the application's version where the producer names none", async () => {
  const world = producerWorld();
  const app = { app: 'uid:acme' };
  await world.call('PUT /v1/apps/{app}', app, { name: 'Acme', format: 'object', default_api_version: '2024-01-01' });
  await world.call(
    'PUT /v1/apps/{app}/endpoints/{ep}',
    { ...app, ep: 'uid:a' },
    { url: 'https://hooks.customer.com/in' },
  );
  const bodyOf = async (key: string, more: string) => {
    const heard = await world.publish('uid:acme', `{"key":"${key}","type":"a.b","data":{}${more}}`);
    await world.settle();
    return [heard.status, JSON.parse(Buffer.from(world.sent.at(-1)?.body ?? []).toString())];
  };
  const [, first] = await bodyOf('k1', ',"request_id":"req_1"');
  expect(first).toMatchObject({ api_version: '2024-01-01', request: { id: 'req_1', idempotency_key: 'k1' } });
  // The same message, in another request: no other message, and the first body counts.
  expect((await bodyOf('k1', ',"request_id":"req_2"'))[0]).toBe(202);
  expect((await world.publish('uid:acme', '{"key":"k3","type":"a.b","data":{},"request_id":"a b"}')).status).toBe(400);
});
