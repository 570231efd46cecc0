/** An endpoint that goes on with the secret and the signature of the system that sent before. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';

const text = (secret: string): string => `whsec_${Buffer.from(secret).toString('base64')}`;
const EP = { app: 'uid:acme', ep: 'uid:billing' };

async function withApplication() {
  const world = producerWorld();
  await world.call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Acme', format: 'raw' });
  const put = (body: Json) =>
    world.call('PUT /v1/apps/{app}/endpoints/{ep}', EP, { url: 'https://hooks.customer.com/in', ...body });
  const send = async (key: string) => {
    await world.publish('uid:acme', `{"key":"${key}","type":"a.b","data":{"n": 1.10}}`);
    await world.settle();
    return world.sent.at(-1);
  };
  return { ...world, put, send };
}

it('sends the data alone in the format raw, byte for byte', async () => {
  const { put, send } = await withApplication();
  await put({});
  const sent = await send('k1');
  expect(Buffer.from(sent?.body ?? []).toString()).toBe('{"n": 1.10}');
  expect(sent?.headers['content-type']).toBe('application/json');
});

it('takes a secret shorter or longer than our own, and only where it says whose it is', async () => {
  const { put } = await withApplication();
  const compatibility = { like: 'convoy' };
  for (const secret of ['8letters', 's'.repeat(25), 's'.repeat(128)]) {
    const refused = secret.length === 25 ? 201 : 400;
    expect((await (await withApplication()).put({ secret: text(secret) })).status).toBe(refused);
    expect((await (await withApplication()).put({ secret: text(secret), compatibility })).status).toBe(201);
  }
  const short = await put({ secret: text('7letter'), compatibility });
  expect(short).toMatchObject({ status: 400, body: { details: [{ path: 'secret' }] } });
  expect(short.body.details[0].allowed).toBe('8 to 128 bytes in base64 after whsec_; this secret has 7');
});

describe('like convoy', () => {
  it('shows the letters that its receiver has, and makes new secrets of letters, too', async () => {
    const { put, call, send } = await withApplication();
    const made = await put({ secret: text('the old secret of acme'), compatibility: { like: 'convoy', timed: true } });
    expect(made.body).toMatchObject({ verify_with: 'the old secret of acme', compatibility: { like: 'convoy' } });
    const rotated = await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', EP, {});
    const fresh = rotated.body.verify_with as string;
    expect(fresh).toMatch(/^[0-9a-f]{64}$/);
    const sent = await send('k1');
    const [time, ...macs] = (sent?.headers['x-convoy-signature'] ?? '').split(',');
    const of = (secret: string) =>
      `v1=${createHmac('sha256', secret)
        .update(`${time?.slice(2)},{"n": 1.10}`)
        .digest('hex')}`;
    expect(macs).toEqual([of(fresh), of('the old secret of acme')]);
  });

  it('signs in the simple form with the old secret until the new one is activated', async () => {
    const { put, call, send, pass } = await withApplication();
    await put({ secret: text('the old secret of acme'), compatibility: { like: 'convoy' } });
    const rotated = await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', EP, {});
    const of = (secret: string) => createHmac('sha256', secret).update('{"n": 1.10}').digest('hex');
    expect((await send('k1'))?.headers['x-convoy-signature']).toBe(of('the old secret of acme'));
    await call('POST /v1/apps/{app}/endpoints/{ep}/secret/activate', EP, {});
    // A session may have read the secrets a moment ago.
    pass(60_000);
    expect((await send('k2'))?.headers['x-convoy-signature']).toBe(of(rotated.body.verify_with));
  });

  it('is taken away by null', async () => {
    const { put, call, send } = await withApplication();
    await put({ compatibility: { like: 'convoy' } });
    expect((await send('k1'))?.headers).toHaveProperty('x-convoy-signature');
    const changed = await call('PATCH /v1/apps/{app}/endpoints/{ep}', EP, { compatibility: null });
    expect(changed.body.compatibility).toBeNull();
    expect((await send('k2'))?.headers).not.toHaveProperty('x-convoy-signature');
  });
});

it.each(['convoy', 'outpost'] as const)(
  'like %s, set later by a change: shows letters that verify, as of one that had it from the start',
  async like => {
    const { put, call, send } = await withApplication();
    const { secret } = (await put({})).body;
    await call('PATCH /v1/apps/{app}/endpoints/{ep}', EP, { compatibility: { like } });
    const shown = async () => (await call('GET /v1/apps/{app}/endpoints/{ep}/secret', EP)).body.data;
    const [{ verify_with: letters }] = await shown();
    expect(letters).toMatch(/^[0-9a-f]{64}$/);
    const headers = (await send('k1'))?.headers ?? {};
    const mac = createHmac('sha256', letters).update('{"n": 1.10}').digest('hex');
    expect(headers[`x-${like}-signature`]).toBe(like === 'outpost' ? `v0=${mac}` : mac);
    // Who verifies our own header goes on with the same secret.
    expect((await shown())[0].secret).toBe(secret);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.{"n": 1.10}`;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  },
);

it.each([
  [{ like: 'stripe' }, 'compatibility.like'],
  [{}, 'compatibility.like'],
  [{ like: 'convoy', header: 'X-Convoy' }, 'compatibility.header'],
  [{ like: 'convoy', header: 'webhook-id' }, 'compatibility.header'],
  [{ like: 'convoy', header: 'x-webhook-event' }, 'compatibility.header'],
  [{ like: 'convoy', hash: 'md5' }, 'compatibility.hash'],
  [{ like: 'outpost', header: 'x-acme-sig' }, 'compatibility.header'],
  [{ like: 'svix', timed: true }, 'compatibility'],
  ['convoy', 'compatibility'],
])('refuses %j', async (compatibility, path) => {
  const { put } = await withApplication();
  const refused = await put({ compatibility });
  expect(refused.status).toBe(400);
  expect(refused.body.details.map((each: Json) => each.path)).toContain(path);
});
