/**
 * A local HTTPS server in a provider's place, and the agent that leads every host name to it. What it speaks is written
 * after the provider's documentation; what it does wrong is the test's.
 */
import { readFileSync } from 'node:fs';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';

const pem = readFileSync(new URL('../../fixtures/key-server.pem', import.meta.url), 'utf8');
const part = (name: string): string =>
  new RegExp(`-----BEGIN ${name}-----[^-]+-----END ${name}-----`).exec(pem)?.[0] ?? '';
const [certificate, key] = [part('CERTIFICATE'), part('PRIVATE KEY')];

/** Host in the certificate of the fixture. */
export const PROVIDER_URL = 'https://keys.example.com';

export interface ServedCall {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ServedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is where it is a text. */
  readonly body?: unknown;
  /** Never answers. */
  readonly hang?: true;
}

export class ProviderServer {
  readonly calls: ServedCall[] = [];
  /** What to answer: replaced by each test. */
  answer: (call: ServedCall) => ServedAnswer = () => ({ status: 404 });
  readonly agent: Agent;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', PROVIDER_URL);
        const call = {
          method: request.method ?? '',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        };
        this.calls.push(call);
        const { status = 200, headers = {}, body = '', hang } = this.answer(call);
        if (hang) return;
        response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
    const server = this.#server;
    this.agent = new (class extends Agent {
      override createConnection(options: object): ReturnType<typeof connect> {
        const { port } = server.address() as AddressInfo;
        return connect({ ...options, host: '127.0.0.1', port, ca: certificate });
      }
    })({ keepAlive: true });
  }

  static async start(): Promise<ProviderServer> {
    const started = new ProviderServer();
    await new Promise<void>(resolve => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}
