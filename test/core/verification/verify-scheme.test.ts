import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { contextWith, HMAC, outcome, requestWith, specWith } from './test-spec.ts';

const mac = (text: string) => createHmac('sha256', 'secret').update(text).digest('hex');

it('an algorithm that this version does not know verifies nothing', async () => {
  const request = requestWith('{}', { headers: { 'x-signature': mac('{}') } });
  expect(await outcome(specWith({ ...HMAC, alg: 'hmac-md5' as never }), request)).toBe('no_key');
});

it('a signature is hexadecimal where the spec does not say so', async () => {
  const { encoding: _, ...scheme } = HMAC;
  expect(await outcome(specWith(scheme), requestWith('{}', { headers: { 'x-signature': mac('{}') } }))).toBe(
    'verified',
  );
});

it('the public key that matched is told, so that a person knows when the old one is out of use', async () => {
  const [now, before] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const raw = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const spec = specWith({ ...HMAC, alg: 'ed25519' });
  const secret = { current: raw(now.publicKey), previous: raw(before.publicKey) };
  const by = async (key: KeyObject) => {
    const headers = { 'x-signature': sign(null, Buffer.from('{}'), key).toString('hex') };
    return verifyRequest(spec, requestWith('{}', { headers }), contextWith({ secret }));
  };
  expect(await by(now.privateKey)).toMatchObject({ kind: 'verified', matchedSecret: 'current' });
  expect(await by(before.privateKey)).toMatchObject({ kind: 'verified', matchedSecret: 'previous' });
});

describe('a signed text that looks like the answer to a handshake', () => {
  const scheme: Scheme = { ...HMAC, guard: { rejectMessage: '^[a-z]+$' } };
  const send = (body: string) =>
    outcome(specWith(scheme), requestWith(body, { headers: { 'x-signature': mac(body) } }));

  it('is no event: whoever asks for a handshake could have had it signed', async () => {
    expect(await send('token')).toBe('binding');
    expect(await send('{"token":1}')).toBe('verified');
  });

  it('is one from 4 KB on: no handshake signs so much', async () => {
    expect(await send('a'.repeat(4_096))).toBe('binding');
    expect(await send('a'.repeat(4_097))).toBe('verified');
  });
});

describe('a comma in a token', () => {
  const send = (
    from: 'header:x-token' | 'json:token',
    token: string,
    secret: { current: string; previous?: string },
  ) => {
    const request = requestWith(JSON.stringify({ token }), { headers: { 'x-token': token } });
    return outcome(specWith({ id: 'test', alg: 'token', sig: { from } }), request, { secret });
  };

  it('means a header that came twice, unless a secret has one', async () => {
    expect(await send('header:x-token', 'x,y', { current: 'a' })).toBe('duplicate_header');
    expect(await send('header:x-token', 'x,y', { current: 'a', previous: 'b,c' })).toBe('mismatch');
  });

  it('means nothing in a body', async () => {
    expect(await send('json:token', 'x,y', { current: 'a' })).toBe('mismatch');
  });
});

it('a Basic pair stands alone behind its name', async () => {
  const scheme: Scheme = { id: 'test', alg: 'basic', sig: { from: 'header:authorization' } };
  const pair = Buffer.from('user:pass').toString('base64');
  const send = (authorization: string) =>
    outcome(specWith(scheme), requestWith('{}', { headers: { authorization } }), { secret: { current: 'user:pass' } });
  for (const good of [`Basic ${pair}`, `BASIC   ${pair}`]) expect(await send(good), good).toBe('verified');
  for (const other of [`xBasic ${pair}`, `Basic ${pair} x`, `Basic${pair}`, 'Basic '])
    expect(await send(other), other).toBe('malformed');
});
