import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import type { SignatureProfile } from '#core/outbound/protocol/items.ts';
import { parseSecretText, secretText, verifyingText } from '#core/outbound/protocol/secret-text.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { providerById } from '#providers/index.ts';
import { type Attempt, attemptOf, signAttempt } from '#test/kit/attempts.ts';

type Key = Attempt['keys'][number];
const shared = (kid: string, fill: number, length = 32): Key => ({
  kid,
  alg: 'sha256',
  bytes: new Uint8Array(length).fill(fill),
});
const pair = (kid: string, fill: number): Key => ({ kid, alg: 'ed25519', bytes: new Uint8Array(32).fill(fill) });
function given(kid: string, text: string): Key {
  const parsed = parseSecretText(text, nodeSigningCrypto);
  if (parsed.kind !== 'secret') throw new Error(parsed.problem);
  return { kid, ...parsed.secret };
}

const SPEC_OF: Readonly<Record<SignatureProfile, string>> = {
  standard: 'standard-webhooks',
  'standard-v1a': 'standard-webhooks-v1a',
  'timestamp-sha256': 'generic-timestamp-sha256',
  'body-sha256': 'generic-sha256-body',
  't-v1': 'generic-t-v1',
};

/** What our own inbound engine says, as a receiver that has this secret. */
async function verifies(
  attempt: Attempt,
  headers: Readonly<Record<string, string>>,
  secret: string,
  body = attempt.body,
): Promise<boolean> {
  const id = secret.startsWith('whpk_')
    ? 'standard-webhooks-v1a'
    : SPEC_OF[attempt.endpoint.signature === 'standard-v1a' ? 'standard' : attempt.endpoint.signature];
  const request = { method: 'POST', rawQuery: '', headers, body, sourceIp: '192.0.2.1' };
  const context = { secret: { current: secret }, nowMs: attempt.now, settings: {}, crypto: nodeSigningCrypto };
  return (await verifyRequest(providerById(id), request, context)).kind === 'verified';
}
const textOf = (key: Key) =>
  key.alg === 'sha256' ? secretText(key, nodeSigningCrypto) : verifyingText(key, nodeSigningCrypto);

it.each(Object.keys(SPEC_OF) as SignatureProfile[])(
  'sends nothing unsigned: without a key %s is refused',
  signature => {
    const attempt = attemptOf({ keys: [] });
    expect(() => signAttempt({ ...attempt, endpoint: { ...attempt.endpoint, signature } })).toThrow('has no key');
  },
);

describe('published vectors', () => {
  it('v1 of the Standard Webhooks libraries', () => {
    const keys = [given('k1', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')];
    expect(signAttempt(attemptOf({ keys })).headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('v1a of svix-server', () => {
    const keys = [
      given('k1', 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg=='),
    ];
    const { headers } = signAttempt(attemptOf({ keys, endpoint: { signature: 'standard-v1a', headers: {} } }));
    expect(headers['webhook-signature']).toBe(
      'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
    );
  });
});

describe('every profile', () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map(text => new TextEncoder().encode(text)),
  );

  it.each(['standard', 'timestamp-sha256', 'body-sha256', 't-v1'] as const)(
    '%s: verifies by the inbound engine, and a changed byte does not',
    async signature => {
      await fc.assert(
        fc.asyncProperty(body, fc.integer({ min: 24, max: 64 }), fc.nat(255), async (bytes, length, at) => {
          const attempt = attemptOf({
            keys: [shared('k1', 7, length)],
            endpoint: { signature, headers: {} },
            body: bytes,
          });
          const { headers } = signAttempt(attempt);
          const [key] = attempt.keys;
          expect(await verifies(attempt, headers, textOf(key as Key))).toBe(true);
          expect(await verifies(attempt, headers, textOf(shared('x', 8)))).toBe(false);
          const changed = Uint8Array.from([...bytes, 0]);
          changed[at % changed.length] = ((changed[at % changed.length] ?? 0) ^ 1) & 255;
          expect(await verifies(attempt, headers, textOf(key as Key), changed)).toBe(false);
        }),
        { numRuns: 40 },
      );
    },
  );

  it('standard: any live key verifies alone, shared or a pair, in any order; a dead one does not', async () => {
    const live = fc.uniqueArray(fc.record({ pair: fc.boolean(), fill: fc.integer({ min: 1, max: 200 }) }), {
      minLength: 1,
      maxLength: 3,
      selector: it => it.fill,
    });
    await fc.assert(
      fc.asyncProperty(live, async chosen => {
        const keys = chosen.map((it, i) => (it.pair ? pair(`k${i}`, it.fill) : shared(`k${i}`, it.fill)));
        const attempt = attemptOf({ keys });
        const { headers, kid } = signAttempt(attempt);
        expect(kid).toBe('k0');
        expect(headers['webhook-signature']?.split(' ').map(part => part.split(',')[0])).toEqual(
          keys.map(it => (it.alg === 'sha256' ? 'v1' : 'v1a')),
        );
        for (const key of keys) expect(await verifies(attempt, headers, textOf(key))).toBe(true);
        expect(await verifies(attempt, headers, textOf(shared('dead', 250)))).toBe(false);
        expect(await verifies(attempt, headers, textOf(pair('dead', 250)))).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('t-v1: one v1 for each key, and each verifies', async () => {
    const attempt = attemptOf({
      keys: [shared('k2', 2), shared('k1', 1)],
      endpoint: { signature: 't-v1', headers: {} },
    });
    const { headers } = signAttempt(attempt);
    expect(headers['x-webhook-signature']).toMatch(/^t=1614265330,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(headers['x-webhook-id']).toBe(attempt.id);
    for (const key of attempt.keys) expect(await verifies(attempt, headers, textOf(key))).toBe(true);
  });

  it.each(['timestamp-sha256', 'body-sha256'] as const)('%s: the first key only, with its name', async signature => {
    const attempt = attemptOf({ keys: [shared('k1', 1), shared('k2', 2)], endpoint: { signature, headers: {} } });
    const { headers, kid } = signAttempt(attempt);
    expect(kid).toBe('k1');
    expect(await verifies(attempt, headers, textOf(shared('k1', 1)))).toBe(true);
    expect(await verifies(attempt, headers, textOf(shared('k2', 2)))).toBe(false);
    if (signature === 'timestamp-sha256') {
      expect(headers['webhook-signature']).toMatch(/^sha256=[0-9a-f]{64},keyId=k1$/);
      expect(headers['webhook-timestamp']).toBe('1614265330');
    } else {
      expect(headers).toMatchObject({ 'x-webhook-event': 'invoice.paid', 'x-idempotency-key': attempt.id });
      expect(headers).not.toHaveProperty('webhook-timestamp');
    }
  });

  // Holds O13.
  it('signs anew with each attempt: the same id, another time', () => {
    const keys = [shared('k1', 1)];
    const first = signAttempt(attemptOf({ keys })).headers;
    const second = signAttempt(attemptOf({ keys, n: 2, now: 1_614_265_400_000 })).headers;
    expect([second['webhook-id'], second['x-webhook-attempt']]).toEqual([first['webhook-id'], '2']);
    expect(second['webhook-timestamp']).toBe('1614265400');
    expect(second['webhook-signature']).not.toBe(first['webhook-signature']);
  });
});

describe('headers', () => {
  it('are those of the design, and the endpoint cannot replace one of ours', () => {
    const attempt = attemptOf({
      keys: [shared('k1', 1)],
      endpoint: {
        signature: 'standard',
        headers: { 'X-Customer': 'a', 'Webhook-ID': 'forged', 'User-Agent': 'forged', 'X-Webhook-Event': 'forged' },
      },
      message: {
        type: 'invoice.paid',
        contentType: 'application/json',
        apiVersion: '2026-11-01',
        traceId: '00-1-2-01',
        sequence: '42',
      },
      n: 3,
    });
    expect(signAttempt(attempt).headers).toEqual({
      'content-type': 'application/json',
      'webhook-id': attempt.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': expect.stringMatching(/^v1,/),
      'x-webhook-event': 'invoice.paid',
      'x-webhook-attempt': '3',
      'x-webhook-version': '2026-11-01',
      'x-webhook-sequence': '42',
      'x-webhook-key-id': 'k1',
      traceparent: '00-1-2-01',
      'user-agent': 'Holdfast/0.1.0',
      'accept-encoding': 'identity',
      'x-customer': 'a',
    });
  });
});
