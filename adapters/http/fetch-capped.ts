/**
 * One HTTPS call with every limit set: total time, size of the answer, no redirects, no other scheme or port. node:https
 * rather than fetch, which would load all of undici at a cold start.
 */
import { type Agent, request as httpsRequest } from 'node:https';

export interface CappedCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  readonly maxBytes: number;
  /** For tests: where host names lead and which authority signs them. */
  readonly agent?: Agent;
}

export interface CappedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Rejects with Error when the URL is not plain https, on a timeout, a connection failure, or a larger answer. */
export function fetchCapped(call: CappedCall): Promise<CappedAnswer> {
  const url = URL.canParse(call.url) ? new URL(call.url) : undefined;
  if (!url || !isPlainHttps(url)) {
    return Promise.reject(new Error('only https addresses with a host name, without user and port, are fetched'));
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${call.timeoutMs} ms`)), call.timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(new Error(`${call.method} ${url.host}: ${error.message}`, { cause: error }));
    };
    const request = httpsRequest(
      url,
      {
        method: call.method,
        headers: { ...call.headers, ...(call.body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(call.signal === undefined ? {} : { signal: call.signal }),
        ...(call.agent === undefined ? {} : { agent: call.agent }),
      },
      response => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > call.maxBytes) request.destroy(new Error(`the answer is larger than ${call.maxBytes} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    request.on('error', fail);
    request.end(call.body);
  });
}

function isPlainHttps(url: URL): boolean {
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/.test(url.hostname);
  return url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '' && isName;
}
