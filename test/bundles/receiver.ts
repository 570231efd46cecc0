/**
 * The servers of all customers: what came, by the effect that it has there. A delivery may come more than once by contract;
 * then it has the same `webhook-id` and the same bytes, so that its receiver knows it.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAll } from '#test/kit/forward.ts';

interface Arrived {
  readonly path: string;
  readonly effect: string;
  readonly webhookId: string;
  /** Of the bytes. */
  readonly sha: string;
  readonly status: number;
}

export interface Receiver {
  readonly url: string;
  /**
   * What is wrong with an effect at an endpoint: it never came, came as several deliveries or with other bytes, or came again
   * although nothing failed. `times`: it was sent anew on purpose.
   */
  judge(path: string, effect: string, how: { readonly calm: boolean; readonly times?: number }): readonly string[];
  stop(): void;
}

/** Below it, the first request of each delivery is answered with 500. */
export const FLAKY = '/flaky';

export async function startReceiver(): Promise<Receiver> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await readAll(request).catch(() => undefined);
    if (bytes === undefined) return;
    const path = String(request.url);
    const webhookId = String(request.headers['webhook-id']);
    const known = arrived.some(it => it.path === path && it.webhookId === webhookId);
    const status = path.startsWith(FLAKY) && !known ? 500 : 200;
    const sha = createHash('sha256').update(bytes).digest('hex');
    arrived.push({ path, effect: effectOf(bytes), webhookId, sha, status });
    response.writeHead(status).end('ok');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    judge(path, effect, { calm, times = 1 }) {
      const all = arrived.filter(it => it.path === path && it.effect === effect);
      const taken = all.filter(it => it.status === 200);
      const ids = new Set(taken.map(it => it.webhookId));
      const bodies = new Set(all.map(it => `${it.webhookId} ${it.sha}`));
      return [
        ...(ids.size < times ? [`LOST: ${ids.size} of ${times} deliveries reached ${path}`] : []),
        ...(ids.size > times ? [`DOUBLED: ${ids.size} webhook-ids for one effect at ${path}`] : []),
        ...(bodies.size > ids.size ? [`other bytes under the same webhook-id at ${path}`] : []),
        ...(calm && taken.length > times ? [`came ${taken.length} times at ${path} although nothing failed`] : []),
      ];
    },
    stop: () => server.close(),
  };
}

function effectOf(bytes: Buffer): string {
  try {
    return String(JSON.parse(bytes.toString('utf8')).data.key);
  } catch {
    return 'no effect';
  }
}
