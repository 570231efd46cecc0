import { expect, it } from 'vitest';
import { failureOf, SendFailure } from '#adapters/http/send-failure.ts';

const coded = (code: string, syscall?: string): Error => Object.assign(new Error('10.1.2.3'), { code, syscall });

it.each([
  // A router on the way says this of a network that is gone (ICMP, "net unreachable"): no fault of ours.
  ['ENETUNREACH', 'connect', 'connect'],
  ['EHOSTUNREACH', 'connect', 'connect'],
  ['ECONNREFUSED', 'connect', 'connect'],
  ['EMFILE', 'connect', 'own_fault'],
  ['ENETDOWN', 'connect', 'own_fault'],
  ['EADDRNOTAVAIL', 'connect', 'own_fault'],
  // What Node refuses to send is ours, whatever it is.
  ['ERR_INVALID_CHAR', 'open', 'own_fault'],
  ['ERR_INVALID_ARG_TYPE', 'open', 'own_fault'],
  ['ERR_INVALID_ARG_VALUE', 'open', 'own_fault'],
  ['ERR_HTTP_INVALID_HEADER_VALUE', 'open', 'own_fault'],
  ['ERR_INVALID_HTTP_TOKEN', 'open', 'own_fault'],
  ['ERR_UNESCAPED_CHARACTERS', 'open', 'own_fault'],
  ['CERT_HAS_EXPIRED', 'tls', 'tls'],
  ['HPE_INVALID_CONSTANT', 'open', 'bad_http'],
] as const)('%s while it is at %s is %s, and no address is told', (code, phase, cause) => {
  const failure = failureOf(coded(code, 'connect'), phase);
  expect(failure.cause).toBe(cause);
  expect(failure.detail).toContain(code);
  expect(failure.detail).not.toContain('10.1.2.3');
});

it('tells a reset from a connection that was closed in good order, and keeps what is known', () => {
  expect(failureOf(coded('ECONNRESET', 'read'), 'open')).toEqual({
    cause: 'reset',
    detail: 'the connection was reset (ECONNRESET)',
  });
  expect(failureOf(coded('ECONNRESET'), 'open').cause).toBe('closed_early');
  expect(failureOf(new SendFailure('dns', 'no such name'), 'open')).toEqual({ cause: 'dns', detail: 'no such name' });
});
