import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { HMAC, outcome, requestWith, specWith } from './test-spec.ts';

const mac = (text: string) => createHmac('sha256', 'secret').update(text).digest('hex');

describe('the hash of a body, where the signature covers the hash only', () => {
  const scheme: Scheme = {
    ...HMAC,
    message: '{header:x-hash?}',
    bind: [{ equals: 'header:x-hash', hash: 'sha256', encoding: 'hex', absentWhenEmpty: true }],
  };
  const hashOf = (body: string) => createHash('sha256').update(body).digest('hex');
  const send = (body: string, hash: string | undefined) =>
    outcome(
      specWith(scheme),
      requestWith(body, {
        headers: { 'x-signature': mac(hash ?? ''), ...given({ 'x-hash': hash }) },
      }),
    );

  it('must be there and fit', async () => {
    expect(await send('{}', hashOf('{}'))).toBe('verified');
    expect(await send('{}', hashOf('[]'))).toBe('binding');
    expect(await send('', hashOf('{}'))).toBe('binding');
  });

  it('may be absent of an empty body only: nobody can add a body to a signed request without one', async () => {
    expect(await send('', undefined)).toBe('verified');
    expect(await send('{"forged":true}', undefined)).toBe('binding');
  });
});

describe('a body of a provider that signs for all its customers with one key', () => {
  const scheme: Scheme = { ...HMAC, claims: { 'to.client': 'config:client' } };
  const send = (body: unknown, settings: Record<string, string>) => {
    const text = JSON.stringify(body);
    return outcome(specWith(scheme), requestWith(text, { headers: { 'x-signature': mac(text) } }), { settings });
  };

  it('must name the customer that the source is of', async () => {
    expect(await send({ to: { client: 'ours' } }, { client: 'ours' })).toBe('verified');
    expect(await send({ to: { client: 'theirs' } }, { client: 'ours' })).toBe('binding');
    expect(await send({ to: {} }, { client: 'ours' })).toBe('binding');
  });

  it('verifies for nobody while the source does not say who it is', async () => {
    expect(await send({ to: {} }, {})).toBe('no_key');
    expect(await send({ to: { client: '' } }, { client: '' })).toBe('no_key');
  });
});
