/**
 * An event that was received goes on to a customer's endpoints, over the real functions of both sides: each endpoint gets
 * one message, whatever dies between the event's claim and its completion.
 */
import { describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { DependencyError } from '#core/errors.ts';
import { publisherForRoutes } from '#core/outbound/api/publish-for-route.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { PublishPorts } from '#core/outbound/publish/publish.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { type FaultPlan, faultsOf, recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryJobQueue } from '#test/kit/memory/queue/memory-outbound-queues.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';

const ROUTE = { kind: 'outbound', address: 'outbound:acme' } as const;

interface Options {
  /** Faults of the inbound processor's calls. */
  readonly plan?: FaultPlan;
  /** Around the calls of publishing itself. */
  readonly around?: (ports: PublishPorts) => PublishPorts;
  readonly uid?: string;
}

/** Both sides, each with its own clock, and a customer with two endpoints. */
async function bothSides({ plan = () => undefined, around = ports => ports, uid = 'acme' }: Options = {}) {
  const outbound = new OutboundWorld({ idleMs: 200, longPolling: true });
  const app = await outbound.clock.complete(outbound.createApplication({ uid }));
  const endpoints: EndpointId[] = [];
  for (const types of [[], ['invoice.*']]) {
    endpoints.push(await outbound.clock.complete(outbound.createEndpoint(app, () => answered(200), { types })));
  }
  const ports: PublishPorts = {
    ...{ store: outbound.store, jobs: new MemoryJobQueue(outbound.jobs), clock: outbound.clock },
    ...{ codec: nodeCodec, crypto: nodeCrypto, telemetry: outbound.telemetry },
    blobs: { put: async () => undefined, get: async () => undefined },
  };
  const inbound = new MemoryWorld({
    source: { routes: [{ type: '*', targets: [ROUTE] }] },
    retry: { attempts: 6, baseSeconds: 1, capSeconds: 4 },
    targets: { publisher: publisherForRoutes(around(ports), outbound.rules) },
    planOf: role => (role === 'process' ? plan : () => undefined),
  });
  return { inbound, outbound, endpoints };
}

type Sides = Awaited<ReturnType<typeof bothSides>>;

async function receive({ inbound, outbound }: Sides, id = 'evt_1'): Promise<void> {
  inbound.start();
  await inbound.post({ id, type: 'invoice.paid', data: { amount: 7 } });
  expect(await inbound.settle()).toBe(true);
  // Longer than a process may be frozen.
  await inbound.clock.advanceBy(20 * MINUTE_MS);
  inbound.stop();
  outbound.start();
  await outbound.clock.advanceBy(60_000);
  await outbound.until(() => outbound.isQuiet(), HOUR_MS);
  outbound.stop();
}

const messagesOf = ({ outbound }: Sides) => outbound.items<{ type: string }>('outbox', 'M#');
const requestsOf = ({ outbound, endpoints }: Sides) => endpoints.map(ep => outbound.requestsTo(ep).length);

describe('an event with a route to a customer', () => {
  // Holds O13.
  it('reaches each endpoint once, byte for byte, under one webhook-id', async () => {
    const sides = await bothSides();
    await receive(sides);
    expect(sides.inbound.item('evt_1')).toMatchObject({ status: 'completed', actionTaken: 'routed to 1 target' });
    expect(messagesOf(sides).map(each => each.type)).toEqual(['invoice.paid']);
    expect(requestsOf(sides)).toEqual([1, 1]);
    const { requests } = sides.outbound;
    const body = new TextDecoder().decode(requests[0]?.body);
    expect(JSON.parse(body)).toMatchObject({ event_id: 'evt_1', data: { amount: 7 } });
    expect(new Set(requests.map(each => new TextDecoder().decode(each.body)))).toEqual(new Set([body]));
    expect(new Set(requests.map(each => each.id)).size).toBe(1);
  });

  it('comes again as a new message when a person replays the event', async () => {
    const sides = await bothSides();
    const { inbound } = sides;
    await receive(sides);
    inbound.start();
    await inbound.clock.complete(inbound.replay('evt_1', { replayId: 'r1', by: 'test', why: 'test' }));
    await inbound.settle();
    inbound.stop();
    expect(messagesOf(sides)).toHaveLength(2);
  });

  it('is a dead letter with the reason where there is no such application, and goes on once it is made', async () => {
    const sides = await bothSides({ uid: 'other' });
    await receive(sides);
    expect(sides.inbound.item('evt_1')).toMatchObject({
      status: 'dead_letter',
      cause: 'target_not_found',
      attempts: 1,
    });
    expect(sides.inbound.item('evt_1')?.lastError).toContain(
      'customer acme refused (not_found): there is no application uid:acme',
    );
    expect(messagesOf(sides)).toEqual([]);
  });
});

it('after every fault at every call of the processor: one message, one request to each endpoint', async () => {
  const names: string[] = [];
  await receive(await bothSides({ plan: recordCalls(names) }));
  expect(names.filter(name => name === 'targets.publish')).toHaveLength(1);
  for (const [at, name] of names.entries()) {
    for (const fault of faultsOf(name)) {
      let seen = 0;
      const sides = await bothSides({ plan: () => (++seen === at + 1 ? fault : undefined) });
      await receive(sides);
      const place = `${fault} at ${name} (${at})`;
      expect(sides.inbound.item('evt_1')?.status, place).toBe('completed');
      expect(messagesOf(sides), place).toHaveLength(1);
      expect(requestsOf(sides), place).toEqual([1, 1]);
    }
  }
  recordRun(['O5'], 'outbound-from-inbound', names.flatMap(name => faultsOf(name)).length);
});

describe('after a failure before or after each call of publishing', () => {
  const CALLS = ['get', 'get', 'get', 'put', 'send'] as const;

  /** The ports, whose call number `at` fails: before it is done, or after. */
  const failing =
    (at: number, when: 'before' | 'after', names: string[]) =>
    ({ store, jobs, ...ports }: PublishPorts): PublishPorts => {
      const wrap =
        <Args extends unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
        async (...args: Args): Promise<T> => {
          names.push(name);
          const failsNow = names.length === at + 1;
          if (failsNow && when === 'before') throw new DependencyError('dynamodb', `${name}: no answer`);
          const result = await call(...args);
          if (failsNow) throw new DependencyError('dynamodb', `${name}: the answer was lost`);
          return result;
        };
      const get = wrap('get', (...args: Parameters<typeof store.get>) => store.get(...args)) as typeof store.get;
      const put = wrap('put', (...args: Parameters<typeof store.put>) => store.put(...args)) as typeof store.put;
      return { ...ports, store: { get, put }, jobs: { send: wrap('send', (...args) => jobs.send(...args)) } };
    };

  it.each(CALLS.flatMap((name, at) => (['before', 'after'] as const).map(when => [when, name, at] as const)))(
    '%s %s (call %i): one message, one request to each endpoint',
    async (when, name, at) => {
      const names: string[] = [];
      const sides = await bothSides({ around: failing(at, when, names) });
      await receive(sides);
      expect(names[at]).toBe(name);
      expect(names.length).toBeGreaterThan(CALLS.length);
      expect(sides.inbound.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
      expect(messagesOf(sides)).toHaveLength(1);
      expect(requestsOf(sides)).toEqual([1, 1]);
    },
  );
});
