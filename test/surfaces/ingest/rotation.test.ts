import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Jwk } from '#core/ports.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import type { Fault } from '#test/kit/memory/faults.ts';
import { genuineRequest, NOW_MS } from '../../providers/genuine-request.ts';
import { ProviderWorld, type ProviderWorldOptions, type Sent, SOURCE } from './provider-world.ts';

const START = 1_767_571_200_000;
const OLD = 'whsec_b2xkLXNlY3JldC1vZi10aGUtc291cmNlLTEyMw==';
const NEW = 'whsec_bmV3LXNlY3JldC1vZi10aGUtc291cmNlLTQ1Ng==';
const OTHER = 'whsec_bm9ib2R5cy1zZWNyZXQtbm9ib2R5cy1zZWNyZXQ=';
const rotation = (notAfter: number) => JSON.stringify({ current: NEW, previous: OLD, previousNotAfter: notAfter });

const eventOf = (id: string) => JSON.stringify({ id, type: 'invoice.paid', created: START / 1_000 });
const stripe = (options: ProviderWorldOptions = {}) => new ProviderWorld('stripe', { secret: OLD, ...options });

const symmetric = Object.values(PROVIDERS).flatMap(spec =>
  spec.verify
    .filter(scheme => (scheme.key?.provider ?? 'static') === 'static' && scheme.code !== 'sns')
    .map(scheme => [`${spec.id} / ${scheme.id}`, spec, scheme] as const),
);

describe.each(symmetric)('%s', (_name, spec: ProviderSpec, scheme: Scheme) => {
  const { spec: reduced, request, context } = genuineRequest(spec, scheme);
  const own = context.secret?.current ?? '';
  const next = 'ab12';
  const check = (secret: { current: string; previous?: string; previousNotAfter?: number }) =>
    verifyRequest(reduced, request, { ...context, secret });

  it('verifies with the previous secret until its time is over, and says which one matched', async () => {
    expect(await check({ current: own })).toMatchObject({ kind: 'verified', matchedSecret: 'current' });
    expect(await check({ current: next, previous: own })).toMatchObject({ matchedSecret: 'previous' });
    const until = (previousNotAfter: number) => check({ current: next, previous: own, previousNotAfter });
    expect(await until(NOW_MS)).toMatchObject({ kind: 'verified', matchedSecret: 'previous' });
    expect(await until(NOW_MS - 1)).toMatchObject({ kind: 'refused' });
  });
});

describe('two signatures and two secrets', () => {
  const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const base64 = (secret: string, text: string) =>
    createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(text)
      .digest('base64');
  const body = eventOf('evt_1');
  const seconds = String(START / 1_000);
  /** The signature header of each provider, signed with these secrets in this order. */
  const headers: Readonly<Record<string, (secrets: readonly string[]) => Record<string, string>>> = {
    stripe: secrets => ({
      'stripe-signature': `t=${seconds},${secrets.map(it => `v1=${hex(it, `${seconds}.${body}`)}`).join(',')}`,
    }),
    paddle: secrets => ({
      'paddle-signature': `ts=${seconds};${secrets.map(it => `h1=${hex(it, `${seconds}:${body}`)}`).join(';')}`,
    }),
    pagerduty: secrets => ({ 'x-pagerduty-signature': secrets.map(it => `v1=${hex(it, body)}`).join(',') }),
    // Sent once for each secret; API Gateway joins them.
    'mollie-next': secrets => ({ 'x-mollie-signature': secrets.map(it => `sha256=${hex(it, body)}`).join(',') }),
    'standard-webhooks': secrets => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': seconds,
      'webhook-signature': secrets.map(it => `v1,${base64(it, `msg_1.${seconds}.${body}`)}`).join(' '),
    }),
    docusign: secrets =>
      Object.fromEntries(
        secrets.map((it, index) => [
          `x-docusign-signature-${index + 1}`,
          createHmac('sha256', it).update(body).digest('base64'),
        ]),
      ),
  };
  const orders = [[OLD, NEW], [NEW, OLD], [OTHER, NEW], [NEW, OTHER], [OTHER, OLD], [OLD, OTHER], [OLD], [NEW]];

  it.each(Object.keys(headers))('are accepted in any order while %s rotates', async provider => {
    for (const secrets of orders) {
      for (const stored of [
        rotation(START + HOUR_MS),
        JSON.stringify({ current: OLD, previous: NEW, previousNotAfter: START + HOUR_MS }),
      ]) {
        const world = new ProviderWorld(provider, { secret: stored });
        const sent: Sent = { headers: { 'content-type': 'application/json', ...headers[provider]?.(secrets) }, body };
        expect([secrets, (await world.post(sent)).status]).toEqual([secrets, 200]);
      }
    }
  });

  it.each(Object.keys(headers))('of which the previous one is over: %s is refused with it alone', async provider => {
    const statusOf = async (secrets: readonly string[]) => {
      const world = new ProviderWorld(provider, { secret: rotation(START - 1) });
      const sent: Sent = { headers: { 'content-type': 'application/json', ...headers[provider]?.(secrets) }, body };
      return (await world.post(sent)).status;
    };
    expect(await statusOf([OLD])).toBe(401);
    expect(await statusOf([OTHER, OLD])).toBe(401);
    expect(await statusOf([OLD, NEW])).toBe(200);
    expect(await statusOf([OTHER])).toBe(401);
  });
});

describe('regression: 32 a secret is rotated while retries are in flight', () => {
  it('accepts what was first signed with the old secret, and applies each event once', async () => {
    let outage = true;
    const down = (call: { name: string }): Fault | undefined =>
      outage && /^(?:store|payloads|queue)\./.test(call.name) ? 'throttled' : undefined;
    const world = stripe({ planOf: role => (role === 'ingest' ? down : () => undefined) });
    // Delivered while nothing can be stored: Stripe will send all three again.
    for (const id of ['evt_1', 'evt_2', 'evt_3'])
      expect((await world.post(world.sign(eventOf(id), OLD))).status).toBe(503);
    outage = false;

    // The operator stores the new secret beside the old one; Stripe rolls, and signs with both for a day.
    world.world.secretValues.set(SOURCE, rotation(world.world.clock.now() + 24 * HOUR_MS));
    await world.world.clock.advanceBy(HOUR_MS);
    expect((await world.post(world.sign(eventOf('evt_1'), OLD))).status).toBe(200);
    expect((await world.post(world.sign(eventOf('evt_2'), NEW))).status).toBe(200);
    // Its first answer was lost: once more, now with the other secret.
    expect((await world.post(world.sign(eventOf('evt_2'), OLD))).status).toBe(200);

    await world.world.clock.advanceBy(24 * HOUR_MS);
    expect((await world.post(world.sign(eventOf('evt_3'), OLD))).status).toBe(401);
    expect((await world.post(world.sign(eventOf('evt_3'), NEW))).status).toBe(200);
    await world.settle();
    expect(world.events().map(item => [item.pk, item.status])).toEqual(
      ['evt_1', 'evt_2', 'evt_3'].map(id => [`default#${id}`, 'completed']),
    );
    expect(['evt_1', 'evt_2', 'evt_3'].map(id => world.world.effects(id))).toEqual([1, 1, 1]);
    expect(world.world.telemetry.total('PreviousSecretMatched', { source: SOURCE })).toBe(2);
  });
});

describe('a secret that was changed a moment ago', () => {
  it('rejects nothing: a mismatch looks at the stored secret once more', async () => {
    const world = stripe();
    expect((await world.post(world.sign(eventOf('evt_1'), OLD))).status).toBe(200);
    world.world.secretValues.set(SOURCE, NEW);
    expect((await world.post(world.sign(eventOf('evt_2'), NEW))).status).toBe(200);
    expect((await world.post(world.sign(eventOf('evt_3'), OLD))).status).toBe(401);
    expect(world.refusals('mismatch')).toBe(1);
  });

  it('loses no item of a batch in which both are in use', async () => {
    const world = new ProviderWorld('microsoft-graph', { secret: OLD });
    const item = (id: string, clientState: string) => ({ id, clientState, changeType: 'updated' });
    const send = (value: object[]) => world.post({ headers: {}, body: JSON.stringify({ value }) });
    expect((await send([item('n_1', OLD)])).status).toBe(202);
    world.world.secretValues.set(SOURCE, rotation(START + HOUR_MS));
    // Acknowledged, the item with the new one would never come again.
    expect((await send([item('n_2', OLD), item('n_3', NEW)])).status).toBe(202);
    await world.settle();
    expect(
      world
        .events()
        .map(it => it.pk)
        .toSorted(),
    ).toEqual(['default#n_1', 'default#n_2', 'default#n_3']);
    expect(world.refusals('item')).toBe(0);
  });

  it('rejects nothing in a burst, in any process', async () => {
    const world = stripe({ process: { latencyMs: () => ({ there: 3, back: 4 }) } });
    const burst = (secret: string, from: number) =>
      world.world.clock.complete(
        Promise.all(Array.from({ length: 20 }, (_, n) => world.send(world.sign(eventOf(`evt_${from + n}`), secret)))),
      );
    expect((await burst(OLD, 0)).map(answer => answer.status)).toEqual(Array(20).fill(200));
    world.world.secretValues.set(SOURCE, rotation(START + HOUR_MS));
    expect((await burst(NEW, 100)).map(answer => answer.status)).toEqual(Array(20).fill(200));
    expect((await burst(OLD, 200)).map(answer => answer.status)).toEqual(Array(20).fill(200));
  });

  it('is looked at no more than once in 30 seconds, however many forgeries come', async () => {
    const world = stripe();
    await world.post(world.sign(eventOf('evt_1'), OLD));
    const before = world.world.secretValues.fetches;
    const starts = world.world.clock.now();
    for (let n = 0; n < 300; n++) {
      expect((await world.post(world.sign(eventOf('evt_2'), OTHER))).status).toBe(401);
      await world.world.clock.advanceTo(starts + n * 300);
    }
    // 90 s: at 0, 30 and 60 s, and once for every process that was replaced meanwhile (first look and forced look).
    expect(world.world.secretValues.fetches - before).toBeLessThanOrEqual(4 + 2 * 12);
    expect(world.world.secretValues.fetches - before).toBeGreaterThanOrEqual(3);
  });

  it('is looked at again when the place of a key refuses it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const key = publicKey.export({ format: 'jwk' }) as Jwk;
    const fetchKey = async (_kind: string, _locator: string, _kid?: string, credential?: string) => {
      if (credential !== `client:${NEW}`) throw new Error('INVALID_API_KEYS');
      return key;
    };
    const settings = { clientId: 'client', environment: 'sandbox' };
    const world = new ProviderWorld('plaid', { secret: OLD, settings, ingestPorts: { keys: { fetchKey } } });
    const sign = (message: Uint8Array) => signWith('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const sent = world.sign('{"webhook_type":"ITEM"}', '', { sign, keyId: 'k1' });
    expect((await world.post(sent)).status).toBe(503);
    world.world.secretValues.set(SOURCE, NEW);
    await world.world.clock.advanceBy(30_000);
    expect((await world.post(sent)).status).toBe(200);
  });

  it('works as soon as a secret that could not be used was corrected', async () => {
    const hexKey = '44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056';
    const world = new ProviderWorld('adyen', { secret: 'not hex at all' });
    const body =
      '{"notificationItems":[{"NotificationRequestItem":{"pspReference":"p1","eventCode":"A","success":"true"}}]}';
    expect((await world.post(world.sign(body, hexKey))).status).toBe(401);
    world.world.secretValues.set(SOURCE, hexKey);
    await world.world.clock.advanceBy(30_000);
    expect((await world.post(world.sign(body, hexKey))).status).toBe(200);
  });
});

describe('a handshake while the secret rotates', () => {
  const validation = JSON.stringify({
    event: 'endpoint.url_validation',
    payload: { plainToken: 'abc' },
    event_ts: START,
  });
  const signed = (secret: string, encoding: 'hex' | 'base64') =>
    createHmac('sha256', secret).update('abc').digest(encoding);

  it.each([
    ['old', OLD],
    ['new', NEW],
  ])('is answered with the secret that it is signed with: the %s one', async (_name, secret) => {
    const world = new ProviderWorld('zoom', { secret: rotation(START + HOUR_MS) });
    const { status, body } = await world.post(world.sign(validation, secret));
    expect([status, JSON.parse(body)]).toEqual([200, { plainToken: 'abc', encryptedToken: signed(secret, 'hex') }]);
  });

  it('is no event where the function still has the old secret', async () => {
    const world = new ProviderWorld('zoom', { secret: OLD });
    expect((await world.post(world.sign(validation, OLD))).status).toBe(200);
    world.world.secretValues.set(SOURCE, NEW);
    expect((await world.post(world.sign(validation, NEW))).body).toContain(signed(NEW, 'hex'));
    expect(world.stored()).toBe('[[],[]]');
  });

  it('that does not tell whose secret is asked for is answered with the one that is stored', async () => {
    const world = new ProviderWorld('x', { secret: OLD });
    const challenged = async () => (await world.post({ method: 'GET', rawQuery: 'crc_token=abc' })).body;
    expect(await challenged()).toContain(signed(OLD, 'base64'));
    world.world.secretValues.set(SOURCE, NEW);
    await world.world.clock.advanceBy(30_000);
    expect(await challenged()).toContain(signed(NEW, 'base64'));
    world.world.secretValues.unreachable = true;
    await world.world.clock.advanceBy(HOUR_MS);
    expect(await challenged()).toContain(signed(NEW, 'base64'));
  });
});

describe('a new token with a comma in it', () => {
  it('is looked for before it is taken for a header that was sent twice', async () => {
    const world = new ProviderWorld('gitlab', { secret: 'an-old-token' });
    const push = (token: string) => world.post(world.sign('{"object_kind":"push"}', token));
    expect((await push('an-old-token')).status).toBeLessThan(300);
    world.world.secretValues.set(SOURCE, 'a,new,token');
    expect((await push('a,new,token')).status).toBeLessThan(300);
  });
});

describe('Secrets Manager that does not answer', () => {
  it('changes nothing for a process that has the secret', async () => {
    const world = stripe();
    expect((await world.post(world.sign(eventOf('evt_0'), OLD))).status).toBe(200);
    world.world.secretValues.unreachable = true;
    for (let n = 1; n <= 10; n++) {
      await world.world.clock.advanceBy(20 * MINUTE_MS);
      expect((await world.post(world.sign(eventOf(`evt_${n}`), OLD))).status).toBe(200);
      expect((await world.post(world.sign(eventOf(`evt_${n}`), OTHER))).status).toBe(401);
    }
  });

  it('makes a new process answer 503, and store nothing, until it does', async () => {
    const world = stripe();
    world.world.secretValues.unreachable = true;
    for (const secret of [OLD, OTHER]) {
      expect(await world.post(world.sign(eventOf('evt_1'), secret))).toMatchObject({
        status: 503,
        body: expect.stringContaining('secret_unreadable'),
        headers: { 'retry-after': '30' },
      });
    }
    expect(world.stored()).toBe('[[],[]]');
    world.world.secretValues.unreachable = false;
    expect((await world.post(world.sign(eventOf('evt_1'), OLD))).status).toBe(200);
  });

  it('is like a rotation object that was mistyped: the old secret serves where it is known, else 503', async () => {
    const world = stripe();
    expect((await world.post(world.sign(eventOf('evt_1'), OLD))).status).toBe(200);
    const untimely = JSON.stringify({ current: NEW, previous: OLD, previousNotAfter: 'soon' });
    for (const mistyped of [untimely, `{"current":"${NEW}","previous":"${OLD}",}`]) {
      world.world.secretValues.set(SOURCE, mistyped);
      await world.world.clock.advanceBy(10 * MINUTE_MS);
      expect((await world.post(world.sign(eventOf('evt_2'), OLD))).status).toBe(200);
    }
    world.world.ingest.replaceEnvironments();
    expect((await world.post(world.sign(eventOf('evt_3'), OLD))).status).toBe(503);
  });
});

describe('the metric of the previous secret', () => {
  it('counts per request until the provider has switched, so that one knows when to drop it', async () => {
    const world = stripe({ secret: rotation(START + HOUR_MS) });
    const matched = () => world.world.telemetry.total('PreviousSecretMatched', { source: SOURCE });
    await world.post(world.sign(eventOf('evt_1'), OLD));
    await world.post(world.sign(eventOf('evt_2'), OLD));
    expect(matched()).toBe(2);
    await world.post(world.sign(eventOf('evt_3'), NEW));
    await world.post(world.sign(eventOf('evt_4'), OTHER));
    expect(matched()).toBe(2);
  });
});
