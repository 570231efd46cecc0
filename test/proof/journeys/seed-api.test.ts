/** The seed's API, word for word: its own sample request as printed, its answers, and the result read back by id. */
import { describe, expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { SeededIds } from '#adapters/memory/seeded-random.ts';
import { toSourceId } from '#core/glossary.ts';
import { done } from '#core/handler/handler-contract.ts';
import { answerApi } from '#core/inbound/api/api-requests.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemoryWorkQueue } from '#test/kit/memory/queue/memory-queue-ports.ts';
import { EVENTS, MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import vectors from '../../fixtures/provider-vectors.json' with { type: 'json' };
import { handlerThat } from './support/handlers.ts';
import { tracesIn, workOff } from './support/traces.ts';

interface Vector {
  readonly id: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  readonly now: number;
}
const sample = (vectors.vectors as unknown as readonly Vector[]).find(it => it.id === 'generic-seed-sample') as Vector;
const ID = 'evt_1MqLSbKJFk9d2k';

async function seedWorld(options: ConstructorParameters<typeof MemoryWorld>[0] = {}): Promise<MemoryWorld> {
  const world = new MemoryWorld({ source: { paths: ['/webhooks/default', '/webhook'] }, ...options });
  world.secretValues.set(toSourceId('default'), sample.secret);
  await world.clock.advanceTo(sample.now * 1_000);
  return world;
}

/** The vector as API Gateway hands it over at `POST /webhook`. */
async function postSample(world: MemoryWorld, change: Readonly<Record<string, string>> = {}) {
  const headers = Object.fromEntries(
    Object.entries({ ...sample.headers, ...change }).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const request = world.apiEvent({ id: ID });
  const outcome = await world.clock.complete(
    world.ingest.invoke({
      ...request,
      routeKey: 'POST /webhook',
      rawPath: '/webhook',
      headers,
      body: sample.bodyBase64,
    }),
  );
  if (outcome.kind !== 'returned') throw new Error(`the function ${outcome.kind}`);
  const { statusCode, body } = JSON.parse(outcome.payload ?? '{}') as { statusCode: number; body: string };
  return { status: statusCode, body };
}

async function statusOf(world: MemoryWorld, id: string, source?: string) {
  const ports = {
    store: new MemoryEventStore(world.database, EVENTS),
    payloads: new MemoryPayloadStore(world.database, PAYLOADS),
    control: new MemoryControlStore(world.database, EVENTS),
    queue: new MemoryWorkQueue(world.main),
    beginSweep: async () => {},
    clock: world.clock,
    ids: new SeededIds(world.random),
    telemetry: world.telemetry,
  };
  const rules = { ...world.rules, sources: world.sources, replaysPerSecond: 50, sweepSendsPerSecond: 300 };
  const query = source === undefined ? {} : { source };
  const route = 'GET /events/{event_id}/status';
  const request = { route, path: { event_id: id }, query, body: undefined, caller: 'test' } as const;
  const reply = await answerApi(request, ports, rules);
  return { status: reply.status, body: JSON.parse(reply.body) as Record<string, unknown> };
}

describe('the sample request', () => {
  it('is accepted once and known the second time, with the answers of the seed', async () => {
    const world = await seedWorld();
    expect(await postSample(world)).toEqual({ status: 200, body: `{"status":"accepted","event_id":"${ID}"}` });
    expect(await postSample(world)).toEqual({ status: 200, body: `{"status":"already_processed","event_id":"${ID}"}` });
    expect(world.main.sent).toBe(1);
  });

  it('has its id, type and time read from the signed body', async () => {
    const world = await seedWorld();
    await postSample(world, { 'X-Event-Id': 'evt_forged' });
    expect(world.items()).toMatchObject([
      { pk: `default#${ID}`, eventType: 'payment_intent.succeeded', eventAt: Date.parse('2026-03-17T10:00:00Z') },
    ]);
  });

  it('with another signature is refused with the flat body, and nothing is stored', async () => {
    const world = await seedWorld();
    const refused = {
      status: 401,
      body: '{"error":"invalid_signature","message":"HMAC signature verification failed"}',
    };
    expect(await postSample(world, { 'X-Webhook-Signature': `sha256=${'0'.repeat(64)}` })).toEqual(refused);
    expect(tracesIn(world)).toEqual([]);
  });

  it('is answered 503, with a time to come back, when neither store takes it', async () => {
    const world = await seedWorld({ plan: call => (call.name.startsWith('secrets') ? undefined : 'error') });
    expect(await postSample(world)).toMatchObject({ status: 503, body: expect.stringContaining('not_recorded') });
  });
});

describe('the status of an event', () => {
  it('tells what was done, by the provider id, by ours, with and without the source', async () => {
    const handlers = handlerThat(() =>
      Promise.resolve(done({ actionTaken: 'payment recorded', data: { amount: 5_000 } })),
    );
    const world = await seedWorld({ handlers });
    await postSample(world);
    expect(await workOff(world)).toBe(true);
    for (const [id, source] of [
      [ID],
      [ID, 'default'],
      [`evt_default.${ID}`],
      [`evt_default.${ID}`, 'default'],
    ] as const) {
      const { status, body } = await statusOf(world, id, source);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        event_id: ID,
        id: `evt_default.${ID}`,
        source: 'default',
        event_type: 'payment_intent.succeeded',
        status: 'completed',
        attempts: 1,
        generation: 1,
        event_at: '2026-03-17T10:00:00.000Z',
        action_taken: 'payment recorded',
        result: { amount: 5_000 },
        body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        size_bytes: Buffer.from(sample.bodyBase64, 'base64').length,
      });
      expect(JSON.stringify(body)).not.toContain('cus_NffrFeUfNV2Hib');
    }
  });

  it('tells a large result, and the last error of a dead event', async () => {
    const data = { text: 'x'.repeat(5_000) };
    const world = await seedWorld({
      handlers: handlerThat(({ id }) => Promise.resolve(id === ID ? done({ data }) : (null as never))),
    });
    await postSample(world);
    expect(await workOff(world)).toBe(true);
    expect((await statusOf(world, ID)).body).toMatchObject({ result: data });
    const broken = await seedWorld({
      handlers: handlerThat(() => Promise.reject(new Error('no such customer'))),
      retry: { attempts: 2, baseSeconds: 1, capSeconds: 1 },
    });
    await postSample(broken);
    expect(await workOff(broken)).toBe(true);
    expect((await statusOf(broken, ID)).body).toMatchObject({
      status: 'dead_letter',
      attempts: 2,
      cause: 'handler_error',
      last_error: expect.stringContaining('no such customer'),
      recent_attempts: [{ attempt: 1 }, { attempt: 2 }],
    });
  });

  it('is 404 for an unknown event or source, and 409 for an id that several sources have', async () => {
    const world = new MemoryWorld({ sources: ['a', 'b'] });
    await world.post({ id: 'evt_1', source: 'a' });
    await world.post({ id: 'evt_1', source: 'b' });
    expect(await statusOf(world, 'evt_2')).toMatchObject({ status: 404, body: { error: 'unknown_event' } });
    expect(await statusOf(world, 'evt_1', 'c')).toMatchObject({ status: 404, body: { error: 'unknown_source' } });
    expect(await statusOf(world, 'evt_1')).toMatchObject({
      status: 409,
      body: { error: 'ambiguous_event', sources: ['a', 'b'] },
    });
    expect(await statusOf(world, 'evt_1', 'b')).toMatchObject({ status: 200, body: { source: 'b' } });
    for (const id of ['', '%', '../..', 'evt_a.%ff', 'x'.repeat(3_000), '\u0000', '__proto__']) {
      expect((await statusOf(world, id)).status).toBe(404);
    }
  });
});
