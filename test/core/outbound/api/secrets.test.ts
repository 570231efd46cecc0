/** Secrets as they are asked for and shown: what the receiver is told to verify with does verify. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withEndpoint } from '#test/kit/producer-world.ts';

const ENDPOINTS = '/v1/apps/{app}/endpoints';
const E = `${ENDPOINTS}/{ep}` as const;
const url = 'https://hooks.customer.com/in';
const shared = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const pair = async () => {
  const { call, app } = await withEndpoint();
  return (await call(`POST ${ENDPOINTS}`, { app }, { url, alg: 'ed25519' })).body.secret as string;
};

it.each(['timestamp-sha256', 'body-sha256', 't-v1'])(
  'has no key pair in the form %s, which is keyed by a text',
  async signature => {
    const { call, app } = await withEndpoint();
    for (const body of [
      { alg: 'ed25519' },
      { secret: await pair() },
      { alg: 'ed25519', secret: 'any other text of theirs' },
    ]) {
      const refused = await call(`POST ${ENDPOINTS}`, { app }, { url, signature, ...body });
      expect([refused.status, refused.body.details?.[0].path], JSON.stringify(Object.keys(body))).toEqual([
        400,
        Object.keys(body)[0],
      ]);
    }
    const { id: ep } = (await call(`POST ${ENDPOINTS}`, { app }, { url, signature })).body;
    const refused = await call(`POST ${E}/secret/rotate`, { app, ep }, { alg: 'ed25519' });
    expect([refused.status, refused.body.details?.[0].path]).toEqual([400, 'alg']);
  },
);

describe('the form standard-v1a, which is a key pair', () => {
  const signature = 'standard-v1a';
  it('has no shared secret: not from the start, and not by a rotation', async () => {
    const { call, app } = await withEndpoint();
    const { id: ep } = (await call(`POST ${ENDPOINTS}`, { app }, { url, signature })).body;
    for (const body of [{ alg: 'sha256' }, { secret: shared }]) {
      const [path] = Object.keys(body);
      const made = await call(`POST ${ENDPOINTS}`, { app }, { url, signature, ...body });
      const rotated = await call(`POST ${E}/secret/rotate`, { app, ep }, body);
      for (const refused of [made, rotated]) {
        expect([refused.status, refused.body.details?.[0].path]).toEqual([400, path]);
        expect(JSON.stringify(refused.body)).not.toContain(shared);
      }
    }
    expect((await call(`POST ${E}/secret/rotate`, { app, ep }, { secret: await pair() })).status).toBe(201);
  });

  it('is chosen later when the last shared secret has ended, and the refusal says how', async () => {
    const { call, app, pass } = await withEndpoint();
    const { id: ep } = (await call(`POST ${ENDPOINTS}`, { app }, { url })).body;
    const choose = () => call(`PATCH ${E}`, { app, ep }, { signature });
    const first = await choose();
    expect([first.status, first.body.details?.[0].path]).toEqual([400, 'signature']);
    expect(first.body.details[0].fix).toContain('"alg":"ed25519"');
    await call(`POST ${E}/secret/rotate`, { app, ep }, { alg: 'ed25519', grace_seconds: 60 });
    expect((await choose()).status).toBe(400);
    pass(61_000);
    expect((await choose()).status).toBe(200);
    // What is there is no choice: a form that is saved gives all of it again.
    expect((await choose()).status).toBe(200);
  });
});

it('takes no secret of another kind than the one that is asked for beside it', async () => {
  const { call, app } = await withEndpoint();
  const refused = await call(`POST ${ENDPOINTS}`, { app }, { url, alg: 'ed25519', secret: shared });
  expect([refused.status, refused.body.details?.[0].path]).toEqual([400, 'alg']);
  expect(JSON.stringify(refused.body)).not.toContain(shared);
  expect((await call(`POST ${ENDPOINTS}`, { app }, { url, alg: 'sha256', secret: shared })).status).toBe(201);
});

it('shows the text that verifies, of a key pair, too, whose endpoint changed to a form that is keyed by a text', async () => {
  const { call, app, publish, settle, sent } = await withEndpoint();
  const { id: ep } = (await call(`POST ${ENDPOINTS}`, { app }, { url, signature: 'standard-v1a' })).body;
  await call(`PATCH ${E}`, { app, ep }, { signature: 'body-sha256' });
  const [{ verify_with: text }] = (await call(`GET ${E}/secret`, { app, ep })).body.data;
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  const request = sent.find(each => each.headers['x-webhook-signature'] !== undefined);
  const mac = createHmac('sha256', text)
    .update(request?.body ?? '')
    .digest('hex');
  expect(request?.headers['x-webhook-signature']).toBe(`sha256=${mac}`);
});

it('knows its own request again by the secret, however its base64 ends', async () => {
  const { call, app } = await withEndpoint();
  const make = (secret: string) => call(`POST ${ENDPOINTS}`, { app }, { url, uid: 'again', secret });
  const unpadded = shared.replace(/=+$/, '');
  const first = await make(unpadded);
  expect([first.status, first.body.secret]).toEqual([201, shared]);
  for (const secret of [unpadded, shared]) expect(await make(secret)).toEqual(first);
  expect((await make(`whsec_${Buffer.alloc(32, 8).toString('base64')}`)).status).toBe(409);
});
