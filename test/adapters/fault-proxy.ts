import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forward, readAll } from '#test/kit/forward.ts';

/**
 * What the proxy does with one request. `drop_reply`, `hang_after`: the service applies it, the answer is cut off, or
 * never comes. `reset`, `hang`, `error`, `throttle`: the service never sees it. `slow_body`: half an answer, then nothing.
 */
export type ProxyFault = 'pass' | 'drop_reply' | 'hang_after' | 'reset' | 'hang' | 'error' | 'throttle' | 'slow_body';

export interface FaultProxy {
  readonly url: string;
  /** `<operation>: <fault>` of every request since the last `plan`. */
  readonly seen: string[];
  /** The JSON bodies among them, parsed. */
  readonly bodies: Record<string, unknown>[];
  /** Faults of the next requests, in order; those after them pass. `always`: of every request from now on. */
  plan(...faults: readonly ProxyFault[]): void;
  always(fault: ProxyFault): void;
  stop(): Promise<void>;
}

/** A server between the SDK and an AWS-like service that loses, delays and refuses answers on request. */
export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  const target = new URL(targetUrl);
  const seen: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  let planned: ProxyFault[] = [];
  let standing: ProxyFault = 'pass';
  const server = createServer((incoming, outgoing) => {
    const fault = planned.shift() ?? standing;
    const operation = String(incoming.headers['x-amz-target'] ?? incoming.url).replace(/^.*\./, '');
    seen.push(`${operation}: ${fault}`);
    void answer(fault, incoming, outgoing, target, body => {
      if (String(incoming.headers['content-type']).includes('json')) bodies.push(JSON.parse(body.toString('utf8')));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    bodies,
    plan(...faults) {
      seen.length = 0;
      bodies.length = 0;
      planned = [...faults];
      standing = 'pass';
    },
    always(fault) {
      seen.length = 0;
      bodies.length = 0;
      planned = [];
      standing = fault;
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  fault: ProxyFault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: URL,
  onBody: (body: Buffer) => void,
): Promise<void> {
  if (fault === 'reset') {
    incoming.socket.destroy();
    return;
  }
  const body = await readAll(incoming);
  onBody(body);
  if (fault === 'hang') return;
  if (fault === 'error') {
    reply(outgoing, 500, '{"__type":"InternalServerError","message":"injected"}');
    return;
  }
  if (fault === 'throttle') {
    reply(outgoing, 400, '{"__type":"com.amazon.coral.availability#ThrottlingException","message":"injected"}');
    return;
  }
  const answered = await forward(incoming, body, target);
  if (fault === 'hang_after') return;
  if (fault === 'drop_reply') {
    incoming.socket.destroy();
    return;
  }
  outgoing.writeHead(answered.status, answered.headers);
  if (fault === 'slow_body') outgoing.write(answered.body.subarray(0, Math.floor(answered.body.length / 2)));
  else outgoing.end(answered.body);
}

function reply(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(body);
}
