/** All endpoints in one process on loopback: those that hang take the request and never answer. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stopwatch } from './scenario.ts';

export interface Receivers {
  urlOf(endpoint: number): string;
  close(): Promise<void>;
}

export async function startReceivers(watch: Pick<Stopwatch, 'begun' | 'hangs'>): Promise<Receivers> {
  const server = createServer((request, response) => {
    const at = Date.now();
    const endpoint = Number((request.url ?? '').split('/').at(-1));
    watch.begun(String(request.headers['webhook-id']), endpoint, at);
    request.resume();
    if (watch.hangs(endpoint, at)) return;
    request.on('end', () => response.writeHead(200).end('ok'));
  });
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: endpoint => `http://127.0.0.1:${port}/e/${endpoint}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
