/**
 * One HTTPS call with every limit set: total time, size of the answer, no redirects, no other scheme or port. Who asks an
 * address that somebody else chose gives a guarded agent (guarded-agent.ts); the operator's own addresses may be anywhere.
 */
import { Agent } from 'node:https';
import { given } from '#core/given.ts';
import { exchange } from './exchange.ts';

export interface CappedCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  readonly maxBytes: number;
  /** Where host names may lead. @default anywhere, over a connection of its own */
  readonly agent?: Agent;
}

export interface CappedAnswer {
  readonly status: number;
  /** Lower-case names; values of a repeated header joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Rejects with Error when the URL is not plain https, on a timeout, a connection failure, or a larger answer. */
export async function fetchCapped(call: CappedCall): Promise<CappedAnswer> {
  const { method, body, timeoutMs, maxBytes, signal } = call;
  const url = URL.canParse(call.url) ? new URL(call.url) : undefined;
  if (!url || !isPlainHttps(url)) {
    throw new Error('only https addresses with a host name, without user and port, are fetched');
  }
  const { hostname: host, pathname, search } = url;
  const startedAt = performance.now();
  const result = await exchange({
    ...{ method, startedAt, endsAt: startedAt + timeoutMs, maxKept: maxBytes, maxRead: maxBytes },
    target: { protocol: 'https:', host, port: 443, path: `${pathname}${search}` },
    headers: { ...call.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    agent: call.agent ?? new Agent({ keepAlive: false }),
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    ...given({ signal }),
  });
  const failed = (why: string, cause?: unknown): Error => new Error(`${method} ${host}: ${why}`, { cause });
  if (result.kind === 'failed')
    throw failed(result.error instanceof Error ? result.error.message : result.detail, result.error);
  if (result.end === 'cut') throw failed(`the answer is larger than ${maxBytes} bytes`);
  if (result.end === 'deadline') throw failed(`no answer within ${timeoutMs} ms`);
  if (result.end === 'broken') throw failed('the connection was closed before the answer was complete');
  const headers = Object.entries(result.headers).map(([name, values]) => [name, values.join(', ')]);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(result.body);
  return { status: result.status, headers: Object.fromEntries(headers), text };
}

function isPlainHttps(url: URL): boolean {
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/.test(url.hostname);
  return url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '' && isName;
}
