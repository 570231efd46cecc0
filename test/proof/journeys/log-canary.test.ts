/** Each function, made to print whatever it can print: never a secret, a signature, a MAC or a body. */
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededIds } from '#adapters/memory/seeded-random.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { DependencyError } from '#core/errors.ts';
import { toSourceId } from '#core/glossary.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { notifyOnCall } from '#core/inbound/watch/notify-on-call.ts';
import { type ProbePorts, probe } from '#core/inbound/watch/probe.ts';
import { MINUTE_MS } from '#core/time.ts';
import { ApiDocument } from '#test/kit/api-document.ts';
import { EVENTS, SECRET, type WorldOptions } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';
import { CANARY, Canaries, printing } from './support/printing.ts';
import { StatusApi } from './support/status-api.ts';

const down = () => Promise.reject(new DependencyError('dynamodb', 'no answer within 1 s'));

/** Events that end well, die and fail, and a message of somebody else's among the dead letters. */
async function incident(options: WorldOptions = {}) {
  const printed = printing('debug', {
    handlers: handlerThat(({ id }) => {
      if (id.startsWith('die')) return Promise.reject(new PermanentError('for good'));
      if (id.startsWith('fail')) return Promise.reject(new Error('for now'));
      return undefined;
    }),
    retry: { attempts: 2, baseSeconds: 1, capSeconds: 1 },
    ...options,
  });
  const canaries = new Canaries(printed);
  for (const id of ['good', 'die', 'fail']) await canaries.post({ id });
  printed.world.dead.send(JSON.stringify({ card: CANARY }));
  return { ...printed, canaries, store: new MemoryEventStore(printed.world.database, EVENTS) };
}

describe('no line', () => {
  it('of ingest and process, whatever happens to the event', async () => {
    const { world, canaries } = await incident();
    await canaries.post({ id: 'good', data: { card: `${CANARY}-changed` } });
    await canaries.post({ id: 'broken', rawBody: `{"event_id":"broken","card":"${CANARY}` });
    for (const forged of [`sha256=${'f'.repeat(64)}`, `sha256=${CANARY}`, undefined])
      await canaries.post({ id: 'forged', headers: { 'x-webhook-signature': forged } });
    world.main.send(JSON.stringify({ card: CANARY }));
    await world.settle();
    const text = canaries.check();
    for (const seen of ['dead_letter', 'payload_mismatch', '"cause":"mismatch"', 'unknown_message'])
      expect(text).toContain(seen);
  });

  it('of sweep, with an unknown record, a failing table, a drained dead letter and a replay', async () => {
    let failing = '';
    const { world, canaries, store } = await incident({
      planOf: role => call => (role === 'sweep' && call.name === failing ? 'error' : undefined),
    });
    await canaries.post({ id: 'odd' });
    world.database.write({ kind: 'update', table: EVENTS, key: { pk: 'stripe#odd' }, set: { status: 'hibernating' } });
    await world.clock.advanceBy(10 * MINUTE_MS);
    const api = new StatusApi(world, new ApiDocument(), { store });
    const body = { status: 'dead_letter', why: CANARY };
    await world.clock.complete(api.call('POST /replay-jobs', { body }));
    failing = 'store.watchDue';
    await world.clock.advanceBy(2 * MINUTE_MS);
    failing = '';
    await world.clock.advanceBy(10 * MINUTE_MS);
    const text = canaries.check();
    for (const seen of ['unknown_record', '"stage":"sweep","dependency"', '"stage":"drain"', '"stage":"replay_job"'])
      expect(text).toContain(seen);
  });

  it('of the audit, with a record that breaks a rule', async () => {
    const { world, canaries } = await incident();
    await world.clock.advanceBy(MINUTE_MS);
    const watchAt = world.clock.now() + MINUTE_MS;
    world.database.write({ kind: 'update', table: EVENTS, key: { pk: 'stripe#good' }, set: { watchAt } });
    await world.clock.complete(world.auditor.invoke({}));
    expect(canaries.check()).toContain('settled_but_watched');
  });

  it('of api, with events that are shown, input that is refused and a table that does not answer', async () => {
    const { world, canaries, store } = await incident();
    await world.clock.advanceBy(MINUTE_MS);
    const api = new StatusApi(world, new ApiDocument());
    const path = { event_id: 'evt_stripe.die' };
    expect((await api.call('GET /events/{event_id}', { path })).status).toBe(200);
    expect((await api.call('GET /events', { query: { cursor: CANARY } })).status).toBe(400);
    expect((await api.call('POST /events/{event_id}/replay', { path, body: { why: CANARY } })).status).toBe(202);
    Object.assign(store, { get: down, timeline: down });
    const broken = new StatusApi(world, new ApiDocument(), { store });
    expect((await broken.call('GET /events/{event_id}', { path })).status).toBe(503);
    expect(canaries.check()).toContain('"stage":"api"');
  });

  it('nor page of notify, with deaths it names and a table that does not answer', async () => {
    const { world, canaries, telemetry, store } = await incident();
    await world.clock.advanceBy(MINUTE_MS);
    const pages: string[] = [];
    const pager = { publish: async (...page: string[]) => void pages.push(...page) };
    const ports = { pager, store, clock: world.clock, telemetry };
    const rules = { environment: 'prod', sourceIds: [toSourceId('stripe')] };
    const message = JSON.stringify({ AlarmName: 'it', NewStateValue: 'ALARM' });
    await world.clock.complete(notifyOnCall({ subject: 'ALARM', message }, ports, rules));
    expect(pages.join()).toContain('evt_stripe.die');
    store.attention = down;
    await world.clock.complete(notifyOnCall({ subject: 'ALARM', message }, ports, rules));
    expect(canaries.check(pages)).toContain('"stage":"notify"');
  });

  it('of probe, refused and unanswered', async () => {
    const { world, canaries, telemetry, store } = await incident();
    let answer = 401;
    const ports: ProbePorts = {
      sender: {
        post: async (_url, headers) => {
          canaries.note(headers);
          return answer > 0 ? answer : down();
        },
      },
      secrets: { get: async () => ({ kind: 'secret', secret: { current: SECRET } }), refresh: async () => true },
      store,
      crypto: nodeCrypto,
      clock: world.clock,
      ids: new SeededIds(world.random.fork()),
      timer: { sleep: ms => world.clock.sleep(ms) },
      telemetry,
    };
    const url = 'https://hooks.example.com/webhooks/stripe';
    const rules = { source: world.sources[0] as ResolvedSource, url, limitMs: 1_000 };
    for (answer of [401, 200, 0]) await world.clock.complete(probe(ports, rules));
    const text = canaries.check();
    expect(canaries.signatures).toHaveLength(6);
    for (const cause of ['refused', 'not_completed', 'dependency']) expect(text).toContain(`"cause":"${cause}"`);
  });
});
