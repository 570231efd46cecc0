/**
 * Who may talk to the console. Every page in the same browser can reach an address of this machine, so each request is
 * judged: by its Host (a name that was bound anew to 127.0.0.1 is not ours), by its Origin, and by the token of this run.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type Problem, TOKEN_HEADER } from '../wire.ts';

/** Of every answer, errors included. */
export const GUARD_HEADERS: OutgoingHttpHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};

export interface Refusal extends Problem {
  readonly status: 400 | 401 | 403 | 405 | 415;
}

/** Undefined: it may pass. `needsToken`: everything but the page itself. */
export function judge(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  { port, token, needsToken }: { readonly port: number; readonly token: string; readonly needsToken: boolean },
): Refusal | undefined {
  const { method = '', headers } = request;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? ''))
    return { status: 403, problem: `This console answers only as ${hosts.join(' or ')}` };
  const { origin } = headers;
  if (origin !== undefined && !hosts.some(host => origin === `http://${host}`))
    return { status: 403, problem: 'Another page asked: only the page of this console may' };
  const site = headers['sec-fetch-site'];
  // Opening the address from elsewhere is fine; fetching from elsewhere is not.
  if (site !== undefined && needsToken && site !== 'same-origin')
    return { status: 403, problem: 'Another page asked: only the page of this console may' };
  if (method !== 'GET' && method !== 'POST')
    return {
      status: 405,
      problem: `${method.slice(0, 20)} is not a method that this console takes`,
      fix: 'GET or POST',
    };
  if (!needsToken)
    return method === 'GET' ? undefined : { status: 405, problem: 'This address only takes GET', fix: 'GET' };
  if (!isToken(headers[TOKEN_HEADER], token))
    return {
      status: 401,
      problem: 'This page does not have the token of the console that is running now',
      fix: 'Open the whole address that `holdfast console` printed',
    };
  if (method === 'POST' && !/^application\/json\b/.test(headers['content-type'] ?? ''))
    return { status: 415, problem: 'A POST must carry JSON', fix: 'content-type: application/json' };
  return undefined;
}

function isToken(given: string | readonly string[] | undefined, token: string): boolean {
  const [theirs, ours] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(token)];
  return theirs.length === ours.length && timingSafeEqual(theirs, ours);
}
