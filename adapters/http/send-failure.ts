/** Why a request ended without an answer, in the closed words of the outbound rules. */
import type { NoAnswerCause } from '#core/outbound/ports.ts';

/** Where a connection was when it failed. */
export type Phase = 'dns' | 'connect' | 'tls' | 'open';

/** A failure whose cause is known where it is thrown. The message is for people: no address, no header value. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly reason: NoAnswerCause;

  constructor(reason: NoAnswerCause, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * What only a lack of our own brings: descriptors, memory, ports, an interface, a request that cannot be written. Not
 * ENETUNREACH: a router on the way says that of a customer's network that is gone. If it is ours, the egress guard sees it.
 */
const OWN = [
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'ENETDOWN',
  'EACCES',
  'EPERM',
  'ABORT_ERR',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_ARG_TYPE',
  'ERR_INVALID_ARG_VALUE',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_UNESCAPED_CHARACTERS',
];

const TEXTS: Readonly<Record<NoAnswerCause, string>> = {
  timeout: 'no answer in time',
  dns: 'the name could not be resolved',
  connect: 'no connection could be made',
  tls: 'no secure connection could be made',
  reset: 'the connection was reset',
  closed_early: 'the connection was closed before the answer was complete',
  bad_http: 'the answer is not HTTP that can be read',
  forbidden_address: 'this address is not allowed',
  own_fault: 'the request could not be sent from here',
};

/** Never Node's own message: it may name an inner address, a certificate or a header. Its code is safe. */
export function failureOf(error: unknown, phase: Phase): { readonly cause: NoAnswerCause; readonly detail: string } {
  if (error instanceof SendFailure) return { cause: error.reason, detail: error.message };
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  const known = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : '';
  const cause = causeOf(known, phase, syscall);
  return { cause, detail: known === '' ? TEXTS[cause] : `${TEXTS[cause]} (${known})` };
}

function causeOf(code: string, phase: Phase, syscall: unknown): NoAnswerCause {
  if (OWN.includes(code)) return 'own_fault';
  if (phase !== 'open') return phase;
  if (code.startsWith('HPE_')) return 'bad_http';
  // A server that wants a client's certificate says so when the connection is already open (TLS 1.3).
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') return 'tls';
  // "Socket hang up" has the code of a reset, too, but no system call: the other side closed in good order.
  if (code === 'EPIPE' || (code === 'ECONNRESET' && syscall !== undefined)) return 'reset';
  return 'closed_early';
}
