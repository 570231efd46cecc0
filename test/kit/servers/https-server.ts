/** An https server on this machine that answers under the names of its certificate: keys.example.com, sandbox.plaid.com. */
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';

const pem = readFileSync(new URL('../../fixtures/key-server.pem', import.meta.url), 'utf8');
export const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(pem)?.[0] ?? '';
const key = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(pem)?.[0] ?? '';

export interface HttpsServer {
  /** Leads every host name to the server; the name in its certificate is still checked. */
  readonly agent: Agent;
  stop(): Promise<void>;
}

export async function startHttpsServer(listener: RequestListener): Promise<HttpsServer> {
  const server = createServer({ cert: certificate, key }, listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  class LocalAgent extends Agent {
    override createConnection(options: object): ReturnType<typeof connect> {
      return connect({ ...options, host: '127.0.0.1', port, ca: certificate });
    }
  }
  const agent = new LocalAgent({ keepAlive: false });
  return {
    agent,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
