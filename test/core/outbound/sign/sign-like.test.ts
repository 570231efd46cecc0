/** Vectors: what the other systems' own tests publish, and the verification that their receivers run, written from its description. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Compatibility } from '#core/outbound/protocol/items.ts';
import { type Attempt, attemptOf, signAttempt } from '#test/kit/attempts.ts';

const key = (text: string): Attempt['keys'][number] => ({ kid: text, alg: 'sha256', bytes: Buffer.from(text) });
const signed = (compatibility: Compatibility, keys: readonly string[], change: Partial<Attempt> = {}) =>
  signAttempt(
    attemptOf({
      ...{ keys: keys.map(key), endpoint: { signature: 'standard', headers: {}, compatibility } },
      ...change,
    }),
  ).headers;

describe('like Convoy', () => {
  // pkg/signature/signature_test.go of frain-dev/convoy; its encoder takes the blanks out of the payload.
  const body = Buffer.from('{"b":{},"e":"123","a":1}');

  it.each([
    [
      'hex',
      'c5dcfeda3f5a3154145234b2d0a533fc2b230f88da0fac0724619fd5cdde673ad6c474dfd5c02367768bd3b3bd3595cc860e606a37e2f9362e054d5aa14d7cc4',
    ],
    ['base64', 'xdz+2j9aMVQUUjSy0KUz/CsjD4jaD6wHJGGf1c3eZzrWxHTf1cAjZ3aL07O9NZXMhg5gajfi+TYuBU1aoU18xA=='],
  ] as const)('simple, SHA512, %s', (encoding, expected) => {
    const headers = signed({ like: 'convoy', hash: 'sha512', encoding }, ['secret'], { body });
    expect(headers['x-convoy-signature']).toBe(expected);
    expect(headers['webhook-signature']).toMatch(/^v1,/);
  });

  it('advanced: one v1 for each live secret, the time and a comma signed', () => {
    const now = 1_257_894_000_000;
    const headers = signed({ like: 'convoy', timed: true }, ['new-secret', 'expired-secret', 'older-expired-secret'], {
      body,
      now,
    });
    expect(headers['x-convoy-signature']).toBe(
      [
        't=1257894000',
        'v1=d5589c4f5e51d74e6116c8d5db2704d76cdf88521e2cdd749d2d5091e3d6183c',
        'v1=9942b27103f8f5f5ce4cd3751524dbb7087a596487c784655a33f528cd4d7400',
        'v1=5b255b0b867c5540679bad7dfa11be73ffd4ee248647646fb325ccbe19167439',
      ].join(','),
    );
    const other = signed({ like: 'convoy', timed: true, hash: 'sha512', encoding: 'base64' }, ['secret'], {
      body,
      now,
    });
    expect(other['x-convoy-signature']).toBe(
      't=1257894000,v1=fKtYNaWP+THgLxwIifnkzGLBeCf8iWdGmFtKr0DM93+KCU1vksP8DmT8EbTwlF5Q0F2FmjOXxSxcUBkyuMlmVQ==',
    );
  });

  it('simple has room for the first key only, and another header may carry it', () => {
    const headers = signed({ like: 'convoy', header: 'x-acme-signature' }, ['first', 'second'], { body });
    expect(headers['x-acme-signature']).toBe(createHmac('sha256', 'first').update(body).digest('hex'));
    expect(headers).not.toHaveProperty('x-convoy-signature');
  });
});

describe('like Outpost', () => {
  // signature_test.go of hookdeck/outpost: secret, content and hex of HMAC-SHA256; and its two header templates.
  const change = { body: Buffer.from('{"hello":"world"}'), now: 1_234_567_890_000 };

  it('the older form: the time, a dot and the body are signed', () => {
    const headers = signed({ like: 'outpost', timed: true }, ['test-secret'], change);
    expect(headers).toMatchObject({
      'x-outpost-signature': 't=1234567890,v0=7054f74dae9f73e82b56ca73e8f81450097c698eeda0b00bb8728e89796baf2d',
      'x-outpost-timestamp': '1234567890',
    });
  });

  it('the form of today: the body is signed, by all live secrets', () => {
    const headers = signed({ like: 'outpost', header: 'x-acme-signature' }, ['new', 'old'], change);
    const mac = (secret: string) => createHmac('sha256', secret).update(change.body).digest('hex');
    expect(headers).toMatchObject({
      'x-acme-signature': `v0=${mac('new')},${mac('old')}`,
      'x-acme-event-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'x-acme-topic': 'invoice.paid',
      'x-acme-timestamp': '2009-02-13T23:31:30Z',
    });
  });
});

describe('like Svix', () => {
  it('the same id, time and signature once more, whatever the form of the rest', () => {
    const standard = signed({ like: 'svix' }, ['a secret of any length']);
    expect(standard['svix-signature']).toBe(standard['webhook-signature']);
    expect(standard['svix-id']).toBe(standard['webhook-id']);
    expect(standard['svix-timestamp']).toBe(standard['webhook-timestamp']);
    const other = signed({ like: 'svix' }, ['a secret of any length'], {
      endpoint: { signature: 't-v1', headers: {}, compatibility: { like: 'svix' } },
    });
    expect(other['svix-signature']).toBe(standard['svix-signature']);
  });
});

it('never takes the place of a header of ours, and replaces one of the endpoint', () => {
  const endpoint = {
    signature: 'standard' as const,
    headers: { 'x-convoy-signature': 'forged', 'Svix-Id': 'forged' },
    compatibility: { like: 'convoy' as const },
  };
  const headers = signAttempt(attemptOf({ keys: [key('k')], endpoint })).headers;
  expect(headers['x-convoy-signature']).toMatch(/^[0-9a-f]{64}$/);
  const inOurs = signed({ like: 'convoy', header: 'webhook-id' }, ['k']);
  expect(inOurs['webhook-id']).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek');
});

it('a key pair signs in no form of theirs', () => {
  const keys = [{ kid: 'k', alg: 'ed25519' as const, bytes: new Uint8Array(32).fill(1) }];
  const headers = signed({ like: 'convoy' }, [], { keys });
  expect(headers).not.toHaveProperty('x-convoy-signature');
  expect(headers['webhook-signature']).toMatch(/^v1a,/);
});
