/** What the CLI promises of following, on the real stacks: nothing is missed. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { startFaultProxy } from '../adapters/fault-proxy.ts';
import { type CliRunOptions, runOnAws } from './cli-on-aws.ts';
import { type GatewayUnderTest, genericEvent } from './gateway-under-test.ts';

export function cliSuite(gateway: () => GatewayUnderTest): void {
  describe('the CLI on it', () => {
    it('misses nothing in events tail and listen --forward-to while it is cut off', async () => {
      const cutMs = isLongRun() ? 30_000 : 3_000;
      await follow(gateway(), async ({ proxy, send, seen }) => {
        await send(2);
        await seen();
        // Nothing gets through; in a long run nothing answers any more, as when a laptop slept.
        proxy.always('reset');
        await send(3);
        await wait(cutMs / 2);
        proxy.always(isLongRun() ? 'hang' : 'reset');
        await send(3);
        await wait(cutMs / 2);
        proxy.always('pass');
        await send(2);
        await seen();
      });
    }, 180_000);
  });
}

interface Following {
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  /** Sends this number of events past the proxy. */
  send(count: number): Promise<void>;
  /** Waits until both commands told of everything that was sent. */
  seen(): Promise<void>;
}

/** Both followers behind a proxy; afterwards each must have told of every event, and of none twice. */
async function follow(gateway: GatewayUnderTest, scenario: (following: Following) => Promise<void>): Promise<void> {
  const proxy = await startFaultProxy(gateway.aws.endpoint);
  const forwarded: { id: string; body: string }[] = [];
  const program = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    forwarded.push({ id: String(request.headers['holdfast-event-id']), body: Buffer.concat(chunks).toString() });
    response.end();
  });
  await new Promise<void>(resolve => program.listen(0, '127.0.0.1', resolve));
  const { port } = program.address() as AddressInfo;
  const sent = new Map<string, string>();
  const lines: { id: string; status: string }[] = [];
  const stop = new AbortController();
  let started = 0;
  const onOutput: CliRunOptions['onOutput'] = (text, stream) => {
    if (/^(?:Following|Forwarding)/.test(text)) started += 1;
    if (stream === 'stdout' && text.includes('"status"'))
      lines.push(JSON.parse(text) as { id: string; status: string });
  };
  const name = `e2e-${randomUUID().slice(0, 8)}`;
  const options = { endpoint: proxy.url, signal: stop.signal, onOutput };
  const commands = [
    runOnAws(gateway, ['events', 'tail', '--source', 'default', '--json', '--name', `${name}-tail`], options),
    runOnAws(
      gateway,
      ['listen', '--source', 'default', '--forward-to', `http://127.0.0.1:${port}`, '--name', `${name}-listen`],
      options,
    ),
  ];
  const ended = (id: string): boolean => lines.some(line => line.id === id && line.status === 'completed');
  const arrived = (id: string): boolean => forwarded.some(it => it.id === id);
  try {
    await until(
      () => started === 2,
      30_000,
      () => 'the commands did not start',
    );
    await scenario({
      proxy,
      send: async count => {
        for (let n = 0; n < count; n++) {
          const event = genericEvent('test.effect');
          expect((await gateway.sendUntilAcknowledged('default', event)).status).toBe(200);
          sent.set(`evt_default.${event.key}`, String(event.body));
        }
      },
      seen: async () => {
        const missing = (): string[] => [...sent.keys()].filter(id => !ended(id) || !arrived(id));
        await until(
          () => missing().length === 0,
          90_000,
          () => `missed: ${missing().join(', ')}`,
        );
      },
    });
    for (const [id, body] of sent) {
      expect(
        forwarded.filter(it => it.id === id),
        'forwarded once, byte for byte',
      ).toEqual([{ id, body }]);
      const told = lines.filter(line => line.id === id).map(line => line.status);
      expect(told.length, `${id}: ${told.join()}`).toBeLessThanOrEqual(2);
      expect(told.filter(status => status === 'completed')).toHaveLength(1);
    }
  } finally {
    stop.abort();
    await Promise.all([proxy.stop(), Promise.all(commands)]);
    await new Promise(resolve => program.close(resolve));
    for (const kind of ['tail', 'listen'])
      await rm(join(HOLDFAST_DIRECTORY, 'cursors', `local-${name}-${kind}.json`), { force: true });
  }
}

async function until(holds: () => boolean, limitMs: number, problem: () => string): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(problem());
    await wait(100);
  }
}
