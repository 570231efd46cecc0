import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { outcome, requestWith, specWith } from './test-spec.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }) as string;
const BODY = '{"paid":true}';

const check = (alg: Scheme['alg'], signature: Buffer) => {
  const sig = { from: 'header:x-signature' } as const;
  const scheme: Scheme = { id: 'test', alg, sig, encoding: 'base64', message: '{body}', key: { encoding: 'base64' } };
  const request = requestWith(BODY, { headers: { 'x-signature': signature.toString('base64') } });
  return outcome(specWith(scheme), request, { secret: { current: pem } });
};

it('an RSA signature counts with the hash of its scheme only', async () => {
  const [sha1, sha256] = (['sha1', 'sha256'] as const).map(hash => sign(hash, Buffer.from(BODY), rsa.privateKey));
  if (sha1 === undefined || sha256 === undefined) throw new Error('two signatures');
  expect(await check('rsa-sha1', sha1)).toBe('verified');
  expect(await check('rsa-sha256', sha256)).toBe('verified');
  expect(await check('rsa-sha1', sha256)).toBe('mismatch');
  expect(await check('rsa-sha256', sha1)).toBe('mismatch');
});

it('a signature of another length than its algorithm makes is malformed, with any key', async () => {
  for (const alg of ['rsa-sha256', 'ed25519', 'ecdsa-p256-sha256'] as const)
    expect(await check(alg, Buffer.alloc(7)), alg).toBe('malformed');
  expect(await check('ed25519', Buffer.alloc(65))).toBe('malformed');
  expect(await check('ed25519', Buffer.alloc(64)), 'another key').toBe('mismatch');
});
