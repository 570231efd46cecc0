/** A job replays what has its status at the moment of the replay, however long ago its page was read, and finds all that is kept. */
import { expect, it } from 'vitest';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import { recordEnd } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { type DeliveryId, messageKey, recordKey, rowsRange } from '#core/outbound/protocol/keys.ts';
import { runReplayJobs } from '#core/outbound/replay/replay-job.ts';
import { DAY_MS } from '#core/time.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

async function world(code = 500) {
  const it = await withEndpoint();
  const { app, ep, call, publish, settle, store, clock, ports, rules } = it;
  it.answer(code);
  const id = (await publish(app, JSON.stringify({ key: 'k', type: 'a', data: {} }))).body.id as MessageId;
  const createdAt = clock.now();
  await settle();
  const delivery: DeliveryId = { ep: ep as EndpointId, msg: id, createdAt };
  const record = () => store.get(recordKey(delivery), 'consistent');
  /** As the session does whose retry came first. */
  const deliver = () =>
    store.update(
      recordEnd({ ...delivery, app: app as AppId, gen: 1 }, 'delivered', {
        ...{ now: clock.now(), retentionMs: rules.retentionMs },
        last: { at: clock.now(), ms: 1, class: 'ok' },
      }),
    );
  /** All of it in one run; before what it writes, or behind what it reads, something happens. */
  const job = async (body: object, between: Partial<ItemStore> = {}) => {
    const made = (await call('POST /v1/replay-jobs', {}, { app, ...body })).body.id as string;
    const over: ItemStore = Object.assign(Object.create(store), between);
    const wake = { send: async () => undefined };
    await runReplayJobs({ ...ports, wake, store: over }, rules, clock.now() + 40_000);
    return (await call('GET /v1/replay-jobs/{job}', { job: made })).body;
  };
  return { ...it, id, delivery, record, deliver, job };
}

it('leaves alone what was delivered since its page was read', async () => {
  const { store, record, deliver, job } = await world();
  expect((await record())?.status).toBe('retrying');
  const query: ItemStore['query'] = async range => {
    const page = await store.query(range);
    if (range.partition.startsWith('D#') && page.items.length > 0) await deliver();
    return page;
  };
  expect((await job({ status: 'retrying' }, { query })).counts).toEqual({ seen: 1, replayed: 0, skipped: 1 });
  expect(await record()).toMatchObject({ status: 'delivered', gen: 1 });
});

it('leaves alone what is delivered in the moment before its write', async () => {
  const { store, record, deliver, job } = await world();
  const transact: ItemStore['transact'] = async (...given) => {
    await deliver();
    return store.transact(...given);
  };
  expect((await job({ status: 'retrying' }, { transact })).counts).toEqual({ seen: 1, replayed: 0, skipped: 1 });
  expect(await record()).toMatchObject({ status: 'delivered', gen: 1 });
});

it('finds what expired, and whatever else is kept, without a time to begin at', async () => {
  const { app, ep, call, settle, pass, record, job, wakeUps } = await world(503);
  await call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep }, {});
  pass(33 * DAY_MS);
  wakeUps.push({ v: 1, ep, mode: 'end' });
  await settle();
  expect((await record())?.status).toBe('expired');
  expect((await job({ status: 'expired' })).counts).toEqual({ seen: 1, replayed: 1, skipped: 0 });
});

it.each([
  ['1970-01-01', 1],
  ['0000-01-01T00:00:00+23:59', 1],
  ['9999-12-31T23:59:59-23:59', 0],
])('looks only at days of which something is kept, whatever time it is to begin at: %s', async (since, many) => {
  const { deliver, store, job } = await world();
  await deliver();
  const days = new Set<string>();
  const query: ItemStore['query'] = async range => {
    if (range.partition.startsWith('D#')) days.add(range.partition);
    return store.query(range);
  };
  const { state, counts } = await job({ status: 'delivered', since }, { query });
  expect([state, counts]).toEqual(['done', { seen: 1, replayed: many, skipped: 0 }]);
  expect(days.size).toBeLessThan(40);
});

it('leaves alone what has no body any more', async () => {
  const { app, id, call, store, record, job, deliver, delivery } = await world();
  await deliver();
  await call('DELETE /v1/apps/{app}/messages/{msg}/body', { app, msg: id });
  expect((await store.get(messageKey(id), 'consistent'))?.bodyRemovedAt).toBeDefined();
  expect((await job({ status: 'delivered' })).counts).toEqual({ seen: 1, replayed: 0, skipped: 1 });
  expect(await record()).toMatchObject({ status: 'delivered', gen: 1 });
  expect((await store.query(rowsRange(delivery.ep))).items.filter(({ gen }) => gen > 1)).toEqual([]);
});

/** Another transaction is met, so many times. */
const busy = (store: ItemStore, times: number): ItemStore['transact'] => {
  let met = 0;
  return async (...given) => (met++ < times ? { kind: 'conflict' } : store.transact(...given));
};

it('passes by nothing whose write met other transactions: the next run has it, and counts it once', async () => {
  const { call, store, job, minute } = await world();
  const first = await job({ status: 'retrying' }, { transact: busy(store, 3) });
  expect([first.state, first.counts]).toEqual(['running', { seen: 0, replayed: 0, skipped: 0 }]);
  await minute();
  const then = (await call('GET /v1/replay-jobs/{job}', { job: first.id })).body;
  expect([then.state, then.counts]).toEqual(['done', { seen: 1, replayed: 1, skipped: 0 }]);
});

it('tells a person to ask again, and not that the delivery goes on', async () => {
  const { app, ep, id, store, deliver, ports, rules, record } = await world();
  await deliver();
  const ask = (transact: ItemStore['transact']) =>
    answerApi({
      route: 'POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay',
      ...{ path: { app, ep, msg: id }, query: {}, body: '{"request_id":"r1"}', caller: 'arn:test', rules },
      ports: { ...ports, store: Object.assign(Object.create(store), { transact }) },
    });
  expect((await ask(busy(store, 3))).status).toBe(503);
  expect((await ask(busy(store, 2))).status).toBe(202);
  expect(await record()).toMatchObject({ gen: 2 });
});

it('refuses a message that does not exist as its single replay does', async () => {
  const { app, ep, call, id } = await world();
  const replay = 'POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay';
  const single = await call(replay, { app, ep, msg: 'msg_none' }, { request_id: 'r' });
  const { status, body } = await call('POST /v1/replay-jobs', {}, { app, message: 'msg_none' });
  expect([status, body]).toEqual([410, single.body]);
  expect([single.status, body.error]).toEqual([410, 'message_gone']);
  expect((await call('GET /v1/replay-jobs', {})).body.data).toEqual([]);
  expect((await call('POST /v1/replay-jobs', {}, { app, message: id })).status).toBe(202);
});

it('refuses a window that ends before it begins, and takes one of a single moment', async () => {
  const { app, call } = await world();
  const [early, late] = ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'];
  const { status, body } = await call('POST /v1/replay-jobs', {}, { app, since: late, until: early });
  expect([status, body.error]).toEqual([400, 'invalid_request']);
  expect(body.details).toEqual([
    {
      path: 'since',
      given: `${late}, which is after until (${early})`,
      allowed: 'a window with a beginning before its end',
      fix: 'move since back, or until on',
    },
  ]);
  expect((await call('GET /v1/replay-jobs', {})).body.data).toEqual([]);
  expect((await call('POST /v1/replay-jobs', {}, { app, since: early, until: early })).status).toBe(202);
});

it('leaves alone with an as_of of long ago what was ever replayed, and nothing else', async () => {
  const { settle, job } = await world();
  const long = { status: 'retrying', as_of: '1970-01-01T00:00:00Z' };
  expect((await job(long)).counts).toEqual({ seen: 1, replayed: 1, skipped: 0 });
  await settle();
  expect((await job(long)).counts.replayed).toBe(0);
});
