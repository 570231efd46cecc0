/** A door for forwarders and tunnels: the webhooks of the local AWS and nothing else of it, under short addresses. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Paths of sources. A tunnel to the local AWS itself would open its tables and secrets to everybody. */
const WEBHOOK = /^\/webhooks?(?:[/?]|$)/;

export interface FrontDoor {
  /** Origin: paths of sources follow. */
  readonly url: string;
  close(): void;
}

/** Passes requests on to the deployed API as they came, but for `host`. Undefined: the port is taken. */
export async function openFrontDoor(gatewayUrl: string, port: number): Promise<FrontDoor | undefined> {
  const target = new URL(gatewayUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    // What a parser would read as another path (/webhooks/../…) leads nowhere.
    const { pathname, search } = new URL(`${gatewayUrl}${url}`);
    if (!WEBHOOK.test(url) || `${pathname}${search}` !== `${target.pathname}${url}`) {
      outgoing.writeHead(404).end('Only /webhooks/<source> is here.\n');
      return;
    }
    const options = { method, headers: { ...headers, host: target.host } };
    const passed = request(`${gatewayUrl}${url}`, options, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    // No answer of the gateway: the provider sends it again.
    passed.once('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    incoming.pipe(passed);
  });
  const isOpen = await listen(server, port);
  if (!isOpen) return undefined;
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}`, close: () => server.close() };
}

function listen(server: Server, port: number): Promise<boolean> {
  return new Promise(resolve => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}
