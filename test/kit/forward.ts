/** Passes a request on to a service, and its answer back: what proxies between a client and a local AWS do. */
import { type IncomingMessage, request } from 'node:http';

export interface Answered {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

export function forward(incoming: IncomingMessage, body: Buffer, { hostname, port }: URL): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { ...incoming.headers, 'content-length': String(body.length) };
    const { method = 'POST', url: path = '/' } = incoming;
    const onward = request({ hostname, port, method, path, headers, agent: false }, response => {
      readAll(response).then(bytes => {
        // What belongs to the connection to the service must not reach the client.
        const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = response.headers;
        resolve({
          status: response.statusCode ?? 502,
          headers: { ...kept, 'content-length': String(bytes.length) },
          body: bytes,
        });
      }, reject);
    });
    onward.on('error', reject);
    onward.end(body);
  });
}

export async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
