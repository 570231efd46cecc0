/**
 * What the real sender puts on the wire, verified by the words of the standard alone: a verifier of a few lines over
 * node:crypto, written from the specification. `npm run oracles` asks the official libraries about the same requests.
 */
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Captured, captureRequests } from '#test/kit/samples/captured-requests.ts';

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function accepts({ headers, body, secret }: Captured, nowSeconds: number): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time = '', 'webhook-signature': list = '' } = headers;
  if (Math.abs(nowSeconds - Number(time)) > 300) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), body]);
  const [prefix, key = ''] = secret.split('_');
  return list.split(' ').some(each => {
    const [version, value = ''] = each.split(',');
    const given = Buffer.from(value, 'base64');
    if (version === 'v1' && prefix === 'whsec') {
      const wanted = createHmac('sha256', Buffer.from(key, 'base64')).update(signed).digest();
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    }
    if (version !== 'v1a' || prefix !== 'whpk') return false;
    const x = Buffer.from(key, 'base64').toString('base64url');
    return verify(null, signed, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), given);
  });
}

it('requests of the real sender, over a rotation: each receiver accepts exactly what is genuine for its secret', async () => {
  const now = Date.now();
  const captured = await captureRequests(now);
  expect(captured.filter(({ genuine }) => genuine).length).toBeGreaterThanOrEqual(18);
  expect(captured.filter(({ genuine }) => !genuine).length).toBeGreaterThanOrEqual(15);
  const verdicts = captured.map(each => [each.name, each.secret.slice(0, 12), accepts(each, now / 1_000)]);
  expect(verdicts).toEqual(captured.map(each => [each.name, each.secret.slice(0, 12), each.genuine]));
});
