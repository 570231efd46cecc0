import { expect, it } from 'vitest';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { ackOf, methodsOf, schemeId, signatureHeadersOf, strengthOf } from '#core/provider/spec-defaults.ts';
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

it('proves the least that its schemes do, unless it says more', () => {
  const ways = (...algs: readonly ('hmac-sha256' | 'token' | 'jwt')[]) => ({
    verify: algs.map(alg => ({ ...scheme, alg })),
  });
  expect(strengthOf(ways('hmac-sha256'))).toBe('signed');
  expect(strengthOf(ways('hmac-sha256', 'jwt'))).toBe('origin');
  expect(strengthOf(ways('jwt', 'token', 'hmac-sha256'))).toBe('shared-secret');
  expect(strengthOf({ ...ways('jwt'), strength: 'signed' })).toBe('signed');
  expect(strengthOf(ways()), 'not that it proves nothing: a check asks for that').toBe('signed');
});

it('is answered with 200 and refused with 401 within ten seconds, unless it says so', () => {
  const own = { status: 202, rejectStatus: 403, deadlineMs: 5_000 } as const;
  expect(ackOf({})).toEqual({ status: 200, rejectStatus: 401, deadlineMs: 10_000 });
  expect(ackOf({ ack: own })).toBe(own);
});
