import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { outcome, requestWith, specWith } from './test-spec.ts';

describe('an empty secret', () => {
  const token: Scheme = {
    id: 'test',
    alg: 'token',
    sig: { from: 'header:authorization', parse: { prefix: 'Bearer ' } },
  };
  const send = (authorization: string, secret: { current: string; previous?: string }) =>
    outcome(specWith(token), requestWith('{}', { headers: { authorization } }), { secret });

  it('verifies nothing, not even a header with no token in it', async () => {
    expect(await send('Bearer ', { current: 'token', previous: '' })).toBe('mismatch');
    expect(await send('Bearer ', { current: '', previous: 'token' })).toBe('mismatch');
    expect(await send('Bearer ', { current: '' })).toBe('no_key');
    expect(await send('Bearer token', { current: '', previous: 'token' })).toBe('verified');
  });
});

describe('a public key that a person pasted', () => {
  const pair = generateKeyPairSync('ed25519');
  const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const of = (alg: Scheme['alg']): Scheme => ({
    id: 'test',
    alg,
    sig: { from: 'header:x-signature' },
    encoding: 'base64',
    message: '{body}',
  });
  const raw = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const send = (current: string, key: Scheme['key']) => {
    const scheme: Scheme = { ...of('ed25519'), ...given({ key }) };
    const signature = sign(null, Buffer.from('{}'), pair.privateKey).toString('base64');
    const request = requestWith('{}', { headers: { 'x-signature': signature } });
    return outcome(specWith(scheme), request, { secret: { current } });
  };

  it('counts with spaces and line ends around it, before its prefix too', async () => {
    const key = { encoding: 'base64', strip: ['whpk_'] } as const;
    for (const text of [`whpk_${raw}`, ` whpk_${raw}\n`, `\n${raw} `])
      expect(await send(text, key), text).toBe('verified');
  });

  it('is base64 where the spec does not say so', async () => {
    expect(await send(raw, undefined)).toBe('verified');
    expect(await send(raw, { encoding: 'utf8' })).toBe('verified');
    expect(await send(raw, { encoding: 'hex' })).toBe('no_key');
  });

  it('may be PEM, with nothing else beside it', async () => {
    const pem = ec.publicKey.export({ format: 'pem', type: 'spki' }) as string;
    const signature = sign('sha256', Buffer.from('{}'), ec.privateKey).toString('base64');
    const scheme: Scheme = { ...of('ecdsa-p256-sha256'), key: { strip: ['whpk_'] } };
    const request = requestWith('{}', { headers: { 'x-signature': signature } });
    const by = (current: string) => outcome(specWith(scheme), request, { secret: { current } });
    expect(await by(`\n${pem}\n`)).toBe('verified');
    for (const other of [`x${pem}`, `${pem}x`, 'whpk_']) expect(await by(other), other).toBe('no_key');
  });
});
