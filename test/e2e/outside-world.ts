/** What is outside the gateway in the end-to-end tests, on this machine: a shop with an API, and a service that takes events. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TakenPost {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
}

export interface ShopOrder {
  readonly id: string;
  readonly status: string;
  readonly updated_at: string;
}

export class OutsideWorld {
  /** `GET /orders/<id>` answers with these. */
  readonly orders = new Map<string, ShopOrder>();
  /** `POST /hooks`, by event id. */
  readonly posts = new Map<string, TakenPost[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const order = this.orders.get(decodeURIComponent(request.url?.replace('/orders/', '') ?? ''));
      if (request.method === 'GET') {
        response.writeHead(order ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(order ?? {}));
        return;
      }
      const id = String(request.headers['holdfast-event-id']);
      const posts = this.posts.get(id) ?? [];
      // Each event is refused twice for a reason that passes.
      const status = posts.length < 2 ? 503 : 200;
      this.posts.set(id, [...posts, { headers: request.headers, body: Buffer.concat(chunks).toString(), status }]);
      response.writeHead(status).end();
    });
  }

  static async start(): Promise<OutsideWorld> {
    const world = new OutsideWorld();
    await new Promise<void>((resolve, reject) => {
      world.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return world;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
