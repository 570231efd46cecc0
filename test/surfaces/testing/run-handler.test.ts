import { createTestEvent, runHandler } from 'holdfast/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  defer,
  done,
  type Handler,
  PermanentError,
  reject,
  retryAfter,
  stale,
} from '#core/handler/handler-contract.ts';
import { eventTime } from '#core/handler/ordering/version.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { DAY_MS } from '#core/time.ts';
import { providerById } from '#providers/index.ts';
import { recordPayment } from '#test/fixtures/project/handlers/payments-ledger.ts';
import { livedTime } from '#test/kit/lived-time.ts';

const payment = createTestEvent({
  provider: 'stripe',
  body: {
    id: 'evt_1',
    type: 'payment_intent.succeeded',
    created: 1_790_000_000,
    data: { object: { id: 'pi_1', amount: 4200, currency: 'eur' } },
  },
});
const env = { PAYMENTS_TABLE: 'payments' };

describe('the handler that is shipped as an example', () => {
  it('records a payment with the completion of its event', async () => {
    const run = await runHandler(recordPayment, payment, { env });
    expect(run).toMatchObject({
      status: 'completed',
      outcome: { kind: 'done', actionTaken: 'recorded_payment' },
      attempts: [{ number: 1, cause: 'ok', waitedMs: 0 }],
      effects: [{ kind: 'update', table: 'payments', key: { paymentId: 'pi_1' } }],
      tables: {
        payments: [
          { paymentId: 'pi_1', amount: 4200, currency: 'eur', lastEventId: 'evt_stripe.evt_1', timesApplied: 1 },
        ],
      },
      lastError: undefined,
    });
    expect(process.env['PAYMENTS_TABLE']).toBeUndefined();
  });

  it('gives up at once on an event without a payment', async () => {
    const empty = createTestEvent({ provider: 'stripe', body: { id: 'evt_2', type: 'payment_intent.succeeded' } });
    const run = await runHandler(recordPayment, empty, { env });
    expect(run.status).toBe('dead_letter');
    expect(run.attempts).toMatchObject([{ cause: 'permanent', error: expect.any(PermanentError) }]);
    expect(run.lastError).toMatch(/^permanent: .*data\.object has no id and amount/);
    expect(run.effects).toEqual([]);
  });
});

describe('runHandler', () => {
  it('runs again after a failure, with the waits of production but in no time, and counts the effect once', async () => {
    let failures = 2;
    const handler: Handler = async (_event, context) => {
      context.transact([{ kind: 'update', table: 'counters', key: { id: 'a' }, add: { times: 1 } }]);
      if (failures-- > 0) throw new Error('the ledger is down');
      return done();
    };
    const lived = livedTime();
    const run = await runHandler(handler, payment, { retry: { attempts: 5, baseSeconds: 3_600, capSeconds: 86_400 } });
    expect(lived()).toBeLessThan(2_000);
    expect(run.status).toBe('completed');
    expect(run.attempts.map(({ number, cause }) => [number, cause])).toEqual([
      [1, 'handler_error'],
      [2, 'handler_error'],
      [3, 'ok'],
    ]);
    expect(run.attempts[0]).toMatchObject({ error: new Error('the ledger is down'), outcome: undefined });
    expect(run.attempts[2]?.waitedMs).toBeGreaterThan(1_000);
    expect(run.tables['counters']).toEqual([{ id: 'a', times: 1 }]);
  });

  it('ends as a dead letter when the attempts are spent', async () => {
    const handler = vi.fn<Handler>(() => Promise.reject(new Error('always')));
    const run = await runHandler(handler, payment, { retry: { attempts: 3, baseSeconds: 1, capSeconds: 5 } });
    expect(run.status).toBe('dead_letter');
    expect(handler).toHaveBeenCalledTimes(3);
    expect(run.lastError).toContain('always (attempt 3 of 3)');
    expect(run.outcome).toBeUndefined();
  });

  it.each([
    ['reject', reject('no such customer'), 'rejected'],
    ['stale', stale('older'), 'skipped_stale'],
    ['done', done({ data: { a: 1 } }), 'completed'],
  ] as const)('records what %s() means', async (_name, outcome, status) => {
    const run = await runHandler(async () => outcome, payment);
    expect(run).toMatchObject({ status, outcome, attempts: [{ number: 1 }] });
  });

  it('waits as long as the handler asks', async () => {
    const outcomes = [retryAfter(7_200), defer(payment.receivedAt + DAY_MS, 'the order comes first'), done()];
    let at = 0;
    const run = await runHandler(async () => outcomes[at++] ?? done(), payment);
    expect(run.attempts.map(({ number, waitedMs }) => [number, waitedMs])).toEqual([
      [1, 0],
      [1, 7_200_000],
      [1, DAY_MS - 7_200_000],
    ]);
    expect(run.status).toBe('completed');
  });

  it('stops where it is told to', async () => {
    const run = await runHandler(() => Promise.reject(new Error('later')), payment, { maxRuns: 2 });
    expect(run.status).toBe('failed');
    expect(run.attempts).toHaveLength(2);
  });

  it('stops a run that takes too long', async () => {
    const handler: Handler = (_event, context) =>
      new Promise((_resolve, fail) => context.signal.addEventListener('abort', () => fail(new Error('aborted'))));
    const run = await runHandler(handler, payment, { timeLimitMs: 300, maxRuns: 1 });
    expect(run.attempts).toMatchObject([{ cause: 'timeout', outcome: undefined }]);
  });

  it('holds conditions against the tables as they are, and says which outcome that had', async () => {
    const handler: Handler = async (_event, context) => {
      const condition = { op: 'missing', attribute: 'id' } as const;
      context.transact([{ kind: 'put', table: 'orders', item: { id: 'o-1', state: 'new' }, condition }], {
        onRefused: stale('the order is there already'),
      });
      return done();
    };
    const tables = { orders: { key: 'id' } };
    const first = await runHandler(handler, payment, { tables });
    expect(first).toMatchObject({ status: 'completed', tables: { orders: [{ id: 'o-1', state: 'new' }] } });
    const items = first.tables['orders'] ?? [];
    const second = await runHandler(handler, payment, { tables: { orders: { key: 'id', items } } });
    expect(second).toMatchObject({ status: 'skipped_stale', effects: [], tables: { orders: items } });
  });

  it('fails for writes that DynamoDB would never take, instead of hiding them in a retry', async () => {
    const put: Handler = async (_event, context) => {
      context.transact([{ kind: 'put', table: 'orders', item: { id: 'o-1' } }]);
      return done();
    };
    await expect(runHandler(put, payment)).rejects.toThrow(/name its key in tables: \{ 'orders': \{ key: '…' \} \}/);
    const twice: Handler = async (_event, context) => {
      const write = { kind: 'update', table: 'orders', key: { id: 'o-1' }, add: { n: 1 } } as const;
      context.transact([write, write]);
      return done();
    };
    await expect(runHandler(twice, payment)).rejects.toThrow(/DynamoDB would refuse.*two writes of one item/);
  });

  it('gives a handler a fresh copy of the event each time, and its own lines to the test', async () => {
    let runs = 0;
    const handler: Handler = async (event, context) => {
      const payload = event.payload as { id?: string };
      expect(payload.id).toBe('evt_1');
      delete payload.id;
      context.log.info('looked', { at: runs });
      expect(context.idempotencyKey).toBe('stripe:evt_1:1');
      return runs++ === 0 ? retryAfter(1) : done();
    };
    const run = await runHandler(handler, payment);
    expect(run.status).toBe('completed');
    expect(run.logs).toMatchObject([
      { message: 'looked', at: 0, attempt: 1 },
      { message: 'looked', at: 1, attempt: 1 },
    ]);
  });

  it('tells a handler what the event is about, as the gateway would, or as the test says', async () => {
    const seen: unknown[] = [];
    const look: Handler = async ({ subject }) => {
      seen.push(subject);
      return done();
    };
    const acme: ProviderSpec = {
      ...providerById('generic'),
      identity: { key: [['none']], type: [], ordering: 'json:who' },
    };
    await runHandler(look, payment);
    await runHandler(look, createTestEvent({ provider: acme, body: { who: 'ada' } }));
    await runHandler(look, createTestEvent({ body: {}, subject: 'ours' }));
    await runHandler(look, createTestEvent({ body: {} }));
    expect(seen).toEqual(['pi_1', 'ada', 'ours', undefined]);
  });

  it('tells a handler that the provider gave no time, as the gateway does: arrival is no order', async () => {
    const seen: unknown[] = [];
    const look: Handler = async event => {
      seen.push(eventTime(event));
      return done();
    };
    const push = { provider: 'github', body: { ref: 'refs/heads/main' }, headers: { 'X-GitHub-Event': 'push' } };
    const event = createTestEvent({ ...push, receivedAt: 9 });
    expect(event).toMatchObject({ time: 9, timeIsArrival: true });
    await runHandler(look, event);
    await runHandler(look, createTestEvent({ ...push, time: 5 }));
    await runHandler(look, payment);
    expect(seen).toEqual([undefined, 5, 1_790_000_000_000]);
  });

  it('tells a handler that answers nothing so', async () => {
    const run = await runHandler((async () => undefined) as unknown as Handler, payment);
    expect(run).toMatchObject({ status: 'dead_letter', attempts: [{ cause: 'bad_outcome' }] });
  });
});

describe('createTestEvent', () => {
  it('reads id, type and time as the gateway does', () => {
    expect(payment).toMatchObject({
      id: 'evt_stripe.evt_1',
      source: 'stripe',
      provider: 'stripe',
      type: 'payment_intent.succeeded',
      time: 1_790_000_000_000,
      payload: { id: 'evt_1' },
      headers: { 'content-type': 'application/json' },
    });
    const push = createTestEvent({
      provider: 'github',
      source: 'our-repositories',
      body: { ref: 'refs/heads/main' },
      headers: { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'd-1', Authorization: 'Bearer canary' },
    });
    expect(push).toMatchObject({ id: 'evt_our-repositories.d-1', source: 'our-repositories', type: 'push' });
    expect(JSON.stringify(push.headers)).not.toContain('canary');
  });

  it('takes what a test wants to be different', () => {
    const event = createTestEvent({ body: {}, id: 'x-1', type: 'order.paid', time: 5, receivedAt: new Date(9) });
    expect(event).toMatchObject({ id: 'evt_generic.x-1', type: 'order.paid', time: 5, receivedAt: 9 });
  });

  it('gives one event out of a request with many', () => {
    const body = [
      { sg_event_id: 'a', event: 'open', timestamp: 1 },
      { sg_event_id: 'b', event: 'click', timestamp: 2 },
    ];
    const event = createTestEvent({ provider: 'sendgrid', body, item: 1 });
    expect(event).toMatchObject({ id: 'evt_sendgrid.b', type: 'click', payload: body[1] });
    expect(Buffer.from(event.bytes).toString()).toBe(JSON.stringify(body[1]));
    expect(() => createTestEvent({ provider: 'sendgrid', body, item: 2 })).toThrow(
      /has 2 events, and none at `item: 2`/,
    );
  });

  it('gives what an event is about, wherever the request says it', () => {
    const changes = [{ field: 'feed', value: {} }];
    const entry = [{ id: 'page-1', time: 1, changes }];
    expect(createTestEvent({ provider: 'meta', body: { object: 'page', entry } }).subject).toBe('page-1');
    const xml =
      '<notification><kind>check</kind><subject><subscription><id>s-1</id></subscription></subject></notification>';
    const form = new URLSearchParams({ bt_payload: Buffer.from(xml).toString('base64') });
    expect(createTestEvent({ provider: 'braintree', body: form }).subject).toBe('s-1');
  });

  it('gives form fields as an object, and says when no handler would see the event', () => {
    const form = new URLSearchParams({ MessageSid: 'SM1', MessageStatus: 'sent' });
    const event = createTestEvent({ provider: 'twilio', body: form });
    expect(event).toMatchObject({ type: 'sent', payload: { MessageSid: 'SM1' } });
    expect(() => createTestEvent({ body: '{"open' })).toThrow(/No handler sees this event: the body is not JSON/);
  });
});
