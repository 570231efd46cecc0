import { expect, it } from 'vitest';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { methodsOf, schemeId, signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { PROVIDERS } from '#providers/index.ts';

const { handshakes: _, methods: __, signatureHeaders: ___, ...bare } = PROVIDERS['generic'] as ProviderSpec;
const scheme = { alg: 'hmac-sha256', sig: { from: 'header:x-signature' }, message: '{body}' } as const;
const signed = (...verify: ProviderSpec['verify']): ProviderSpec => ({ ...bare, verify });

it('is called with POST, and as its handshakes are', () => {
  const head = { when: { method: 'HEAD' }, verify: 'none', respond: { status: 200 } } as const;
  expect(methodsOf(bare)).toEqual(['POST']);
  expect(methodsOf({ ...bare, handshakes: [head, head] })).toEqual(['POST', 'HEAD']);
  expect(methodsOf({ ...bare, handshakes: [head], methods: ['GET'] })).toEqual(['GET']);
});

it('keeps out of logs what its ways to sign read signatures and times from, once each', () => {
  const time = { from: 'header:x-time', unit: 's', signed: true } as const;
  const other = {
    ...scheme,
    id: 'other',
    sig: { from: ['header:x-signature', 'header:x-old?', 'query:sig'] },
  } as const;
  expect(signatureHeadersOf(signed({ ...scheme, time }, other))).toEqual(['x-signature', 'x-time', 'x-old']);
  expect(signatureHeadersOf(signed())).toEqual([]);
  expect(signatureHeadersOf({ ...signed(scheme), signatureHeaders: ['x-own'] })).toEqual(['x-own']);
});

it('has one way to sign of its own name', () => {
  expect(schemeId(scheme, bare)).toBe('generic');
  expect(schemeId({ ...scheme, id: 'generic-old' }, bare)).toBe('generic-old');
});
