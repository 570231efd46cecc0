/**
 * A bad night in the whole product in memory: 444 requests of nine kinds from two providers, and nine endpoints of two
 * customers, of which one is well. The clock goes on with the true one while somebody looks.
 */
import { setTimeout } from 'node:timers/promises';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { defer, PermanentError } from '#core/handler/handler-contract.ts';
import { HOUR_MS } from '#core/time.ts';
import { Operator } from '#operator/operator.ts';
import { PROVIDERS } from '#providers/index.ts';
import type { Delivery } from '#test/kit/memory-world.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from '../cli/cli-world.ts';

const GATEWAY = defineGateway({
  sources: { shop: { provider: 'generic' }, pay: { provider: 'generic' } },
  environments: { local: { outbound: {} } },
});

/** What kills the orders of the night, by their type. */
export const ERRORS: Readonly<Record<string, Error>> = {
  'order.paid': new PermanentError('getaddrinfo ENOTFOUND ledger.internal'),
  'order.created': new PermanentError('column "tax_rate" does not exist'),
  'order.updated': new Error('the ledger answered 503'),
};
const HOSTILE = '<img src=x onerror=alert(1)>';
const FORGED = { headers: { 'x-webhook-signature': `sha256=${'0'.repeat(64)}` } };

/** How many of each kind. */
export const KINDS: Readonly<Record<string, readonly [count: number, of: (n: number) => Delivery]>> = {
  'no ledger': [100, n => ({ id: `paid-${n}`, source: 'shop', type: 'order.paid', data: { order: `ord_1${n}` } })],
  'no column': [
    103,
    n => ({ id: `created-${n}`, source: 'shop', type: 'order.created', data: { order: `ord_2${n}` } }),
  ],
  'ledger down': [97, n => ({ id: `updated-${n}`, source: 'shop', type: 'order.updated' })],
  good: [60, n => ({ id: `payment-${n}`, source: 'pay', type: 'payment.succeeded', createdAt: 1_767_571_200_000 + n })],
  'wrong secret': [31, n => ({ id: `forged-${n}`, source: n < 19 ? 'shop' : 'pay', type: 'order.paid', ...FORGED })],
  'once more': [
    10,
    n => ({ id: `payment-${n}`, source: 'pay', type: 'payment.succeeded', createdAt: 1_767_571_200_000 + n }),
  ],
  'another body': [
    4,
    n => ({ id: `payment-${20 + n}`, source: 'pay', type: 'payment.succeeded', data: { n: 'other' } }),
  ],
  hostile: [30, n => ({ id: `hostile-${n}`, source: 'pay', type: 'note.written', data: { note: HOSTILE, n } })],
  'waits long': [9, n => ({ id: `waits-${n}`, source: 'shop', type: 'order.waits' })],
};

/** What each endpoint answers; 0: the connection is refused. */
export const ENDPOINTS = [
  ['acme', 'https://hooks.acme.com/ok', 200],
  ['acme', 'https://hooks.acme.com/500', 500],
  ['acme', 'https://hooks.acme.com/503', 503],
  ['acme', 'https://hooks.acme.com/422', 422],
  ['acme', 'https://hooks.acme.com/404', 404],
  ['globex', 'https://in.globex.com/down', 0],
  ['globex', 'https://in.globex.com/gone', 410],
  ['globex', 'https://in.globex.com/429', 429],
  ['globex', 'https://in.globex.com/paused', 200],
] as const;
const MESSAGES = 30;

export async function badNight() {
  const state = { fixed: false };
  const cli = new CliWorld({
    handlers: handlerThat(({ world }, event) => {
      if (event.type === 'order.waits')
        return Promise.resolve(defer(world.clock.now() + HOUR_MS, 'the warehouse opens at six'));
      const error = state.fixed ? undefined : ERRORS[event.type];
      return error === undefined ? undefined : Promise.reject(error);
    }),
  });
  const { world } = cli;
  world.start();
  let requests = 0;
  const answered: Record<string, number> = {};
  for (const [count, of] of Object.values(KINDS)) {
    for (let n = 0; n < count; n++) {
      const answer = await world.post(of(n));
      requests += 1;
      await world.clock.advanceBy(20);
      const status = String(answer?.status);
      answered[status] = (answered[status] ?? 0) + 1;
    }
    await world.clock.advanceBy(10_000);
  }
  await world.clock.advanceBy(120_000);

  const customers = producerWorld(world.clock.now() - MESSAGES * 2 * 10_000);
  const codes = new Map(ENDPOINTS.map(([, url, code]) => [url as string, code as number]));
  customers.answerBy(({ url }) => [codes.get(url) ?? 200, HOSTILE]);
  const ids = new Map<string, string>();
  for (const app of new Set(ENDPOINTS.map(([of]) => of)))
    await customers.call('POST /v1/apps', {}, { uid: app, name: app });
  for (const [app, url] of ENDPOINTS) {
    const { body } = await customers.call('POST /v1/apps/{app}/endpoints', { app: `uid:${app}` }, { url });
    ids.set(url, body.id as string);
  }
  const paused = { app: 'uid:globex', ep: ids.get('https://in.globex.com/paused') ?? '' };
  await customers.call('POST /v1/apps/{app}/endpoints/{ep}/pause', paused, { why: 'a deploy' });
  for (let n = 0; n < MESSAGES; n++)
    for (const app of ['uid:acme', 'uid:globex']) {
      const type = n % 3 === 0 ? 'invoice.paid' : 'order.shipped';
      await customers.publish(app, JSON.stringify({ key: `${app}-${n}`, type, data: { n } }));
      await customers.settle();
      customers.pass(10_000);
    }
  customers.pass(Math.max(0, world.clock.now() - customers.clock.now()));

  const gateway = {
    ...cli.gateway,
    deployment: resolveDeployment(GATEWAY, 'local', PROVIDERS),
    delivery: () => Promise.resolve(customers.api),
    timer: { ...cli.gateway.timer, sleep: async (ms: number) => void (await setTimeout(ms)) },
  };
  cli.alarms.push({
    name: 'holdfast-local-process-dead-letters-waiting',
    state: 'ALARM',
    since: world.clock.now() - 60_000,
    reason: '300 messages in the dead-letter queue',
    description: 'page: events are dead\nRunbook: docs/runbooks/dead-letters.md',
  });
  const operator = new Operator({
    ...{ environment: 'local', clock: world.clock, by: 'ada', program: 'holdfast' },
    readDeployment: () => gateway.deployment,
    openGateway: () => Promise.resolve(gateway),
  });
  const fix = (): void => {
    state.fixed = true;
  };
  return { cli, world, customers, ids, operator, requests, answered, fix };
}

/** Lets both clocks go with the true one until it is told to stop. */
export function goOn({ world, customers }: Awaited<ReturnType<typeof badNight>>): () => Promise<void> {
  let stopped = false;
  const running = (async () => {
    for (let last = Date.now(); !stopped; ) {
      await setTimeout(50);
      const ms = Date.now() - last;
      last += ms;
      await world.clock.advanceBy(ms);
      customers.pass(ms);
    }
  })();
  return () => {
    stopped = true;
    return running;
  };
}
