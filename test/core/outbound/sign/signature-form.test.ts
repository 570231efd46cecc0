/** The form of a platform's signature: the nearest that names one, when an endpoint is made, with a secret of the platform's. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formProblems, nearestForm } from '#core/outbound/sign/signature-form.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';

const SECRET = 'a platform of 2019: its own secret';

describe('the nearest form', () => {
  it.each([
    [[{}, {}, {}], { signature: 'standard' }],
    [
      [{}, {}, { signature: 't-v1', signatureHeader: 'acme-signature' }],
      { signature: 't-v1', signatureHeader: 'acme-signature' },
    ],
    [[{}, { signature: 'body-sha256' }, { signature: 't-v1' }], { signature: 'body-sha256' }],
    [[{ signature: 't-v1' }, { signature: 'body-sha256' }], { signature: 't-v1' }],
    // What the environment says of its own form does not spoil another one.
    [
      [{ signature: 'standard' }, {}, { signature: 't-v1', signatureHeader: 'acme-signature' }],
      { signature: 'standard' },
    ],
    [[{ signature: 't-v1' }, {}, { signature: 'timestamp-sha256', keyId: 'signature' }], { signature: 't-v1' }],
  ] as const)('of %j', (levels, form) => {
    expect(nearestForm(levels)).toEqual(form);
  });

  it('says what does not go together', () => {
    expect(formProblems({ signature: 'standard', signatureHeader: 'a' })).toMatchObject([{ path: 'signature_header' }]);
    expect(formProblems({ signature: 't-v1', keyId: 'signature' })).toMatchObject([{ path: 'key_id_in' }]);
    expect(formProblems({ signature: 'timestamp-sha256', keyId: 'signature' })).toEqual([]);
    expect(formProblems({ keyId: 'none' })).toEqual([]);
  });
});

describe('an application with a form of its own', () => {
  const EP = { app: 'uid:acme', ep: 'uid:billing' };
  async function world(application: Json = {}) {
    const it = producerWorld();
    const made = await it.call(
      'PUT /v1/apps/{app}',
      { app: 'uid:acme' },
      { name: 'Acme', format: 'raw', ...application },
    );
    const put = (body: Json) =>
      it.call('PUT /v1/apps/{app}/endpoints/{ep}', EP, { url: 'https://hooks.customer.com/in', ...body });
    return { ...it, made, put };
  }

  it('signs as it says, with a secret that the platform had before', async () => {
    const it = await world({ signature: 't-v1', signature_header: 'Acme-Signature', key_id_in: 'none' });
    expect(it.made.body).toMatchObject({ signature: 't-v1', signature_header: 'acme-signature', key_id_in: 'none' });
    const endpoint = await it.put({ secret: SECRET });
    expect(endpoint).toMatchObject({
      status: 201,
      body: {
        signature: 't-v1',
        signature_header: 'acme-signature',
        key_id_in: 'none',
        secret: SECRET,
        verify_with: SECRET,
      },
    });
    await it.publish('uid:acme', '{"key":"k1","type":"a.b","data":{"n":1}}');
    await it.settle();
    const headers = it.sent.at(-1)?.headers ?? {};
    const [, time] = /^t=(\d+),/.exec(headers['acme-signature'] ?? '') ?? [];
    const mac = createHmac('sha256', SECRET).update(`${time}.{"n":1}`).digest('hex');
    expect(headers['acme-signature']).toBe(`t=${time},v1=${mac}`);
    expect([headers['x-webhook-signature'], headers['x-webhook-key-id']]).toEqual([undefined, undefined]);
    // The same secret again, whole, when somebody asks for it.
    expect((await it.call('GET /v1/apps/{app}/endpoints/{ep}/secret', EP)).body.data).toMatchObject([
      { secret: SECRET },
    ]);
  });

  it('changes no endpoint that is there', async () => {
    const it = await world();
    await it.put({});
    await it.call('PATCH /v1/apps/{app}', { app: 'uid:acme' }, { signature: 'body-sha256' });
    expect((await it.call('GET /v1/apps/{app}/endpoints/{ep}', EP)).body.signature).toBe('standard');
    expect((await it.call('PATCH /v1/apps/{app}', { app: 'uid:acme' }, { signature: null })).body.signature).toBeNull();
  });

  it.each([
    [{ signature_header: 'x-acme' }, 'signature_header'],
    [{ signature: 't-v1', signature_header: 'webhook-id' }, 'signature_header'],
    [{ signature: 't-v1', key_id_in: 'signature' }, 'key_id_in'],
    [{ secret: SECRET }, 'secret'],
    [{ signature: 't-v1', secret: 'too short' }, 'secret'],
  ] as const)('refuses %j, and says what is allowed', async (body, path) => {
    const it = await world();
    const refused = await it.put(body);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(refused.body.details[0].allowed).not.toBe('');
    expect(JSON.stringify(refused.body)).not.toContain(SECRET);
    if (path === 'secret') return;
    const application = await it.call('PATCH /v1/apps/{app}', { app: 'uid:acme' }, body);
    expect(application).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('refuses a change that no longer fits what is there', async () => {
    const it = await world();
    await it.put({ signature: 't-v1', signature_header: 'x-acme' });
    expect((await it.put({ signature: 'standard' })).status).toBe(400);
    expect((await it.put({ signature: 'standard', signature_header: null })).status).toBe(200);
  });
});

describe('two changes at once, each of which fits what is there', () => {
  const EP = { app: 'uid:acme', ep: 'uid:billing' };
  const ENDPOINT_URL = { url: 'https://hooks.customer.com/in' };
  const OF_ENDPOINT = 'PATCH /v1/apps/{app}/endpoints/{ep}' as const;
  const OF_APPLICATION = 'PATCH /v1/apps/{app}' as const;
  const RACES = [
    [{ signature: 't-v1' }, { signature_header: 'x-acme' }, { signature: 'standard' }],
    [{ signature: 'timestamp-sha256' }, { key_id_in: 'signature' }, { signature: 'body-sha256' }],
    [
      { signature: 't-v1', signature_header: 'x-acme' },
      { signature: 'standard', signature_header: null },
      { signature_header: 'x-two' },
    ],
  ] as const;
  const CASES = RACES.flatMap(race => [OF_ENDPOINT, OF_APPLICATION].map(route => [route, ...race] as const));

  it.each(CASES)('%s of %j: of %j and %j the second one is refused', async (route, there, one, other) => {
    const it = producerWorld();
    const form = route === OF_APPLICATION ? there : {};
    await it.call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Acme', ...form });
    await it.call('PUT /v1/apps/{app}/endpoints/{ep}', EP, { ...ENDPOINT_URL, ...there });
    const both = await Promise.all([it.call(route, EP, one), it.call(route, EP, other)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    // Whoever changes something else is not told of a form that somebody left behind.
    expect(await it.call(route, EP, { metadata: { a: 'b' } })).toMatchObject({ status: 200 });
  });
});
