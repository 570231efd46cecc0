/** What is refused is exactly what would be lost: asked of the signer itself, with each part of a request alone. */
import { describe, expect, it } from 'vitest';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { endpointFields } from '#core/outbound/api/endpoint-body.ts';
import { type Compatibility, SIGNATURE_PROFILES } from '#core/outbound/protocol/items.ts';
import { headerProblems } from '#core/outbound/sign/header-clash.ts';
import { attemptSigner } from '#core/outbound/sign/sign-attempt.ts';
import { formProblems } from '#core/outbound/sign/signature-form.ts';
import { object, problemsOf } from '#core/problem.ts';
import { type Attempt, attemptOf, SIGNING_RULES } from '#test/kit/attempts.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';

type Endpoint = Attempt['endpoint'];
const NAMES = [
  ...['x-webhook-signature', 'x-webhook-id', 'x-webhook-event', 'x-acme-signature', 'x-acme-topic', 'topic'],
  ...['x-convoy-signature', 'x-outpost-signature', 'x-outpost-event-id', 'x-outpost-timestamp'],
  ...['svix-id', 'svix-timestamp', 'svix-signature'],
];
const LIKE: readonly (Compatibility | undefined)[] = [
  ...[undefined, { like: 'svix' } as const, { like: 'convoy' } as const, { like: 'outpost' } as const],
  ...NAMES.map(header => ({ like: 'convoy', header }) as const),
  ...['x-acme-signature', 'x-webhook-signature', 'signature'].map(header => ({ like: 'outpost', header }) as const),
];
const ENDPOINTS: readonly Endpoint[] = SIGNATURE_PROFILES.flatMap(signature =>
  LIKE.flatMap(compatibility => {
    const form = { signature, ...(compatibility === undefined ? {} : { compatibility }) };
    const named = NAMES.map(signatureHeader => ({ ...form, headers: {}, signatureHeader }));
    const withOwn = NAMES.map(name => ({ ...form, headers: { [name]: 'own' } }));
    return [{ ...form, headers: {} }, ...named, ...withOwn];
  }),
);
const SIGNED = ['webhook-signature', 'x-webhook-signature'];
const KEYS: Attempt['keys'] = [
  { kid: 'k1', alg: 'sha256', bytes: nodeSigningCrypto.hash('sha256', new Uint8Array(1)) },
];

describe.each(['x-webhook-', 'x-acme-'])('with headers of our own that begin with %s', headerPrefix => {
  const sign = attemptSigner({ ...SIGNING_RULES, headerPrefix });
  const namesOf = (endpoint: Endpoint): readonly string[] =>
    Object.keys(sign(attemptOf({ keys: KEYS, endpoint })).headers);
  const check = object(endpointFields(headerPrefix));
  const isTaken = ({ signature, signatureHeader: signature_header, compatibility, headers }: Endpoint): boolean =>
    problemsOf(JSON.parse(JSON.stringify({ signature, signature_header, compatibility, headers })), check).length === 0;
  /** Each part of a request as the signer makes it alone, once. */
  const plain = new Map(SIGNATURE_PROFILES.map(signature => [signature, namesOf({ signature, headers: {} })]));
  const before = new Map(
    LIKE.map(like => {
      const all = namesOf({
        signature: 'standard',
        headers: {},
        ...(like === undefined ? {} : { compatibility: like }),
      });
      return [like, all.filter(name => !plain.get('standard')?.includes(name))];
    }),
  );
  /** Two parts have one name. */
  const loses = ({ signature, signatureHeader, compatibility, headers }: Endpoint): boolean => {
    const signed = plain.get(signature)?.map(name => (SIGNED.includes(name) ? (signatureHeader ?? name) : name)) ?? [];
    const parts = [...Object.keys(headers), ...signed, ...(before.get(compatibility) ?? [])];
    return new Set(parts).size < parts.length;
  };

  it('refuses each endpoint that would lose a header, and no other', () => {
    const wrong = ENDPOINTS.filter(each => formProblems(each).length === 0 && isTaken(each)).filter(
      each => loses(each) !== headerProblems(each).length > 0,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

describe('the API', () => {
  const EP = { app: 'uid:acme', ep: 'uid:billing' };
  async function world(application: Json = {}) {
    const it = producerWorld();
    await it.call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Acme', ...application });
    const put = (body: Json) =>
      it.call('PUT /v1/apps/{app}/endpoints/{ep}', EP, { url: 'https://hooks.customer.com/in', ...body });
    const patch = (body: Json) => it.call('PATCH /v1/apps/{app}/endpoints/{ep}', EP, body);
    return { ...it, put, patch };
  }
  const LIKE_CONVOY = { compatibility: { like: 'convoy', header: 'x-acme-signature' } };
  const OURS = { signature: 't-v1', signature_header: 'X-Acme-Signature' };

  it('refuses one header for two signatures, says what is given, allowed and to be done', async () => {
    const { put, sent } = await world();
    const refused = await put({ ...OURS, ...LIKE_CONVOY });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'signature_header' }] } });
    expect(refused.body.details[0]).toEqual({
      path: 'signature_header',
      given: '"x-acme-signature"',
      allowed: 'a name that compatibility (like convoy) does not set: one would replace the other',
      fix: 'give another signature_header, e.g. "x-customer-signature"',
    });
    expect(sent).toEqual([]);
  });

  it('refuses the change that makes it so, whichever comes second, and of two at once one', async () => {
    for (const [first, second] of [
      [OURS, LIKE_CONVOY],
      [LIKE_CONVOY, OURS],
    ]) {
      const { put, patch } = await world();
      await put(first);
      expect(await patch(second)).toMatchObject({ status: 400 });
      expect(await patch({ headers: { 'x-acme-signature': 'mine' } })).toMatchObject({
        status: 400,
        body: { details: [{ path: 'headers.x-acme-signature' }] },
      });
      expect(await patch({ description: 'as before' })).toMatchObject({ status: 200 });
    }
    const { put, patch } = await world();
    await put({});
    const both = await Promise.all([patch(OURS), patch(LIKE_CONVOY)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('refuses it of a form that the endpoint has from its application', async () => {
    const { put } = await world(OURS);
    expect(await put(LIKE_CONVOY)).toMatchObject({ status: 400, body: { details: [{ path: 'signature_header' }] } });
    expect(await put({ ...LIKE_CONVOY, signature_header: 'x-other-signature' })).toMatchObject({ status: 201 });
  });
});
