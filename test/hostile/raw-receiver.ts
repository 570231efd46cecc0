/** A receiver that is told what to do with each connection, byte by byte. */

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

export interface Receiver {
  readonly port: number;
  /** Connections that were accepted. */
  readonly connections: () => number;
  /** Requests whose header was complete. */
  readonly requests: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
  /** What came of each request, as it came. */
  readonly received: () => readonly Buffer[];
  stop(): Promise<void>;
}

/** `onRequest` is called when the header of the n-th request of a connection has come (from 1). */
export interface Behaviour {
  readonly onConnect?: (socket: Socket) => void;
  readonly onRequest?: (socket: Socket, n: number, head: string) => void;
}

export async function startReceiver(behaviour: Behaviour, tls?: TlsOptions, host = '127.0.0.1'): Promise<Receiver> {
  let connections = 0;
  let requests = 0;
  const received: Buffer[] = [];
  const open = new Set<Socket>();
  const serve = (socket: Socket): void => {
    let n = 0;
    let head = '';
    behaviour.onConnect?.(socket);
    socket.on('error', () => {});
    socket.on('data', chunk => {
      // Copied: a chunk may be a slice of a much larger block.
      received.push(Buffer.from(chunk));
      head += chunk.toString('latin1');
      for (let end = head.indexOf('\r\n\r\n'); end >= 0; end = head.indexOf('\r\n\r\n')) {
        const length = Number(/^content-length: (\d+)/im.exec(head.slice(0, end))?.[1] ?? 0);
        if (behaviour.onRequest === undefined) return;
        const first = head.slice(0, end + 4);
        n += 1;
        requests += 1;
        behaviour.onRequest(socket, n, first);
        head = head.slice(end + 4 + length);
      }
    });
  };
  const server: Server = tls ? createTlsServer(tls) : createServer();
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket | TLSSocket) => serve(socket));
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    requests: () => requests,
    open: () => open.size,
    received: () => received,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** An answer with its length. */
export function answer(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} Text\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
