/** A change of an endpoint holds from the next request after its answer, in a worker that knew it a moment ago. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { OutgoingRequest } from '#core/outbound/ports.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
const signedWith = (secret: string, { headers, body }: OutgoingRequest): string => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${Buffer.from(body).toString()}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
};

it('goes to the new URL, and under the new secret alone after a rotation with grace_seconds 0, with the very next request', async () => {
  const { app, ep, secret, call, publish, settle, sent, keepWarm } = await withEndpoint();
  keepWarm();
  const send = async (key: string): Promise<OutgoingRequest> => {
    await publish(app, `{"key":"${key}","type":"a","data":1}`);
    await settle();
    return sent.at(-1) as OutgoingRequest;
  };
  const before = await send('a');
  expect([before.url, before.headers['webhook-signature']]).toEqual([
    'https://hooks.customer.com/in',
    signedWith(secret, before),
  ]);
  await call(`PATCH ${E}`, { app, ep }, { url: 'https://new.customer.com/in' });
  expect((await send('b')).url).toBe('https://new.customer.com/in');
  const rotated = await call(`POST ${E}/secret/rotate`, { app, ep }, { grace_seconds: 0 });
  expect(rotated.status, JSON.stringify(rotated.body)).toBe(201);
  const after = await send('c');
  expect(after.headers['webhook-signature']).toBe(signedWith(rotated.body.secret, after));
  expect(after.headers['webhook-signature']).not.toBe(signedWith(secret, after));
});
