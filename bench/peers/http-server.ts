/** The receiving half that both programs share: raw bytes, HMAC-SHA256, the id out of the body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

export interface Received {
  readonly id: string;
  readonly body: string;
}

/** Serves POST requests; `keep` must be durable before it resolves. */
export function receive(port: number, secret: string, keep: (event: Received) => Promise<void>): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      try {
        const body = Buffer.concat(chunks);
        const given = Buffer.from(String(request.headers['x-hub-signature-256']).replace('sha256=', ''), 'hex');
        const wanted = createHmac('sha256', secret).update(body).digest();
        if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
          response.writeHead(401).end();
          return;
        }
        const text = body.toString('utf8');
        await keep({ id: (JSON.parse(text) as { event_id: string }).event_id, body: text });
        response.writeHead(200).end('{}');
      } catch {
        response.writeHead(503).end();
      }
    });
  });
  server.listen(port, '127.0.0.1');
}
