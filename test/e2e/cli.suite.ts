/** What the CLI promises, on the real stacks: nothing missed, answers in time, a bulk replay to its end. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '#cli/gateway.ts';
import { HOLDFAST_DIRECTORY } from '#local/workspace.ts';
import { isLongRun } from '#test/support/long-run.ts';
import { startFaultProxy } from '../adapters/fault-proxy.ts';
import { type CliRunOptions, runOnAws } from './cli-on-aws.ts';
import { type GatewayUnderTest, genericEvent } from './gateway-under-test.ts';
import { multiplyEvent } from './multiply-event.ts';

const HOUR_MS = 3_600_000;

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

    it.runIf(isLongRun())(
      'replays 2,400 dead events at 50 a second, with progress, each with one effect',
      async () => {
        const keys = await fillWithDeadEvents(gateway(), 2_400);
        const documents = DynamoDBDocumentClient.from(gateway().clients.dynamo);
        const TableName = gateway().physicalId(/^HandlersPayments/);
        await documents.send(new PutCommand({ TableName, Item: { paymentId: 'schema mended' } }));
        const filter = ['--cause', 'schema', '--source', 'default', '--type', 'test.schema_new', '--since', '7h'];
        const dry = await runOnAws(gateway(), ['replay', ...filter, '--dry-run', '--json']);
        expect(JSON.parse(dry.stdout)).toMatchObject({ count: 2_400, rate_per_second: 50 });
        const startedAt = performance.now();
        const { code, stdout, stderr } = await runOnAws(
          gateway(),
          [...['replay', ...filter, '--why', 'the schema is mended', '--yes', '--json']],
          { onOutput: (text, name) => name === 'stderr' && process.stderr.write(text) },
        );
        const seconds = (performance.now() - startedAt) / 1_000;
        expect(code, stderr).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({
          state: 'done',
          counts: { replayed: 2_400 },
          why: 'the schema is mended',
        });
        expect(stderr).toMatch(/Replaying \[[#.]+\] \d+\/2400 about \d+ s left/);
        expect(seconds, 'not faster than its rate').toBeGreaterThan(2_400 / 50 - 1);
        const last = await untilAllCompleted(gateway(), keys);
        console.log(
          `2,400 replayed in ${Math.round(seconds)} s; the last one ended ${Math.round((performance.now() - startedAt) / 1_000)} s after the start; ${last}`,
        );
      },
      1_200_000,
    );

    it.runIf(isLongRun())(
      'answers the first page of events ls in under 2 s with 10,000 events, and never scans',
      async () => {
        await fillWithEvents(gateway(), 10_000);
        const lists: Readonly<Record<string, readonly string[]>> = {
          everything: [],
          'one source': ['--source', 'stripe'],
          'one status': ['--status', 'completed'],
          'dead letters': ['--status', 'dead_letter'],
          'open events': ['--status', 'pending,failed,processing'],
          'a cause': ['--cause', 'schema'],
          'a type': ['--type', 'test.schema*'],
          'a type nobody has': ['--type', 'nobody.*'],
          'some hours': ['--since', '6h', '--until', '3h'],
          'all of these': ['--source', 'default', '--status', 'dead_letter', '--cause', 'schema', '--since', '12h'],
        };
        const rows: string[] = [];
        for (const [name, filter] of Object.entries(lists)) {
          const looks = [await look(gateway(), filter), await look(gateway(), filter), await look(gateway(), filter)];
          // What else runs on this machine only adds.
          const ms = Math.min(...looks.map(each => each.ms));
          const [{ events, calls } = { events: 0, calls: new Map<string, number>() }] = looks;
          rows.push(`${name}: ${events} events, ${ms} ms, ${JSON.stringify(Object.fromEntries(calls))}`);
          expect(calls.get('scan'), name).toBeUndefined();
          if (!/nobody|open/.test(name)) expect(events, name).toBe(50);
          expect(ms, rows.join('\n')).toBeLessThan(2_000);
        }
        console.log(rows.join('\n'));
      },
      600_000,
    );
  });
}

/** One first page: how many events, how long it took, and what was asked of the store. */
async function look(
  gateway: GatewayUnderTest,
  filter: readonly string[],
): Promise<{ readonly events: number; readonly ms: number; readonly calls: ReadonlyMap<string, number> }> {
  const calls = new Map<string, number>();
  const startedAt = performance.now();
  const { code, stdout, stderr } = await runOnAws(gateway, ['events', 'ls', '--json', ...filter], {
    wrap: opened => counting(opened, calls),
  });
  const ms = Math.round(performance.now() - startedAt);
  expect(code, stderr).toBe(0);
  return { events: (JSON.parse(stdout) as { events: unknown[] }).events.length, ms, calls };
}

interface Following {
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  /** Sends so many events past the proxy. */
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

/** A gateway whose store notes every call by name. */
function counting(opened: Gateway, calls: Map<string, number>): Gateway {
  const store = new Proxy(opened.store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.set(String(property), (calls.get(String(property)) ?? 0) + 1);
        return value.apply(target, args) as unknown;
      };
    },
  });
  return { ...opened, store };
}

/** Copies of one completed and one dead event, over a day and two sources. */
async function fillWithEvents(gateway: GatewayUnderTest, count: number): Promise<void> {
  const [good, dead] = [genericEvent('test.effect'), genericEvent('test.schema_old')];
  for (const event of [good, dead]) expect((await gateway.sendUntilAcknowledged('default', event)).status).toBe(200);
  await gateway.waitUntilFinished(good.pk);
  await gateway.waitFor(dead.pk, item => item.dlqSent === true);
  const now = Date.now();
  const at = (n: number, of: number): number => now - 60_000 - Math.floor((n / of) * 23.5 * HOUR_MS);
  const deadCount = count / 10;
  for (const source of ['default', 'stripe']) {
    await multiplyEvent(gateway, dead.pk, deadCount / 2, n => ({ source, receivedAt: at(n, deadCount / 2) }));
    const rest = (count - deadCount) / 2;
    await multiplyEvent(gateway, good.pk, rest, n => ({ source, receivedAt: at(n, rest) }));
  }
}

async function fillWithDeadEvents(gateway: GatewayUnderTest, count: number): Promise<readonly string[]> {
  const dead = genericEvent('test.schema_new');
  expect((await gateway.sendUntilAcknowledged('default', dead)).status).toBe(200);
  await gateway.waitFor(dead.pk, item => item.dlqSent === true);
  const now = Date.now();
  const copies = await multiplyEvent(gateway, dead.pk, count - 1, n => ({
    source: 'default',
    receivedAt: now - 60_000 - Math.floor((n / count) * 6 * HOUR_MS),
  }));
  return [...copies, dead.key];
}

async function untilAllCompleted(gateway: GatewayUnderTest, keys: readonly string[]): Promise<string> {
  for (const key of keys) {
    const item = await gateway.waitUntilFinished(`default#${key}` as never, 300_000);
    expect([key, item.status, item.gen]).toEqual([key, 'completed', 2]);
  }
  const times = new Map<number, number>();
  for (const key of keys) {
    const applied = await gateway.timesApplied(`effect of evt_default.${key}`);
    times.set(applied, (times.get(applied) ?? 0) + 1);
  }
  expect([...times]).toEqual([[1, keys.length]]);
  return `effects: ${JSON.stringify(Object.fromEntries(times))}`;
}
