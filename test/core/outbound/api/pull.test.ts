/** An endpoint of kind pull, as its owner meets it: what waits is given until it is acknowledged, and nothing is sent. */
import { describe, expect, it } from 'vitest';
import type { MetricName } from '#core/metrics.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { fanOut } from '#core/outbound/fan-out/fan-out.ts';
import { fanOutNow } from '#core/outbound/fan-out/fan-out-now.ts';
import type { FanOutJob } from '#core/outbound/ports.ts';
import { replay } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, MessageItem, RecordItem } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  liveRowKey,
  messageKey,
  recordKey,
  runtimeKey,
  wakeAtOf,
} from '#core/outbound/protocol/keys.ts';
import { audit } from '#core/outbound/tend/audit.ts';
import { type TendPorts, tend } from '#core/outbound/tend/tend.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { endpointWords, heldWords, stateWord } from '#core/words.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
const READ = `GET ${E}/messages` as const;
const ACK = `POST ${E}/ack` as const;
const MAKE = 'POST /v1/apps/{app}/endpoints';

async function world() {
  const it = producerWorld();
  const { call, publish, pass } = it;
  const app = (await call('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' })).body.id as string;
  const make = async (body: object = {}): Promise<string> => {
    const made = await call(MAKE, { app }, { kind: 'pull', ...body });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body.id;
  };
  const ep = await make();
  const at = { app, ep };
  const ok = async (reply: Promise<{ status: number; body: Json }>): Promise<Json> => {
    const { status, body } = await reply;
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  };
  const read = (limit?: string): Promise<Json> => ok(call(READ, at, undefined, limit === undefined ? {} : { limit }));
  const ids = (page: Json): readonly string[] => page['data'].map((each: Json) => each['id']);
  const ack = async (cursor: string): Promise<number> => (await ok(call(ACK, at, { cursor })))['acknowledged'];
  const send = async (key: string, type = 'a', data: object = { key }): Promise<string> => {
    const { id } = await ok(publish(app, JSON.stringify({ key, type, data })));
    await it.settle();
    pass(1_000);
    return id;
  };
  const sendAll = async (many: number): Promise<readonly string[]> => {
    const sent: string[] = [];
    for (let n = 0; n < many; n++) sent.push(await send(`k${n}-${it.clock.now()}`));
    return sent;
  };
  const statuses = async (): Promise<Record<string, string>> => {
    const { data } = await ok(call(`GET ${E}/deliveries`, at));
    return Object.fromEntries(data.map((each: Json) => [each['message'], each['status']]));
  };
  const replay = (msg: string, request: string) =>
    ok(call(`POST ${E}/deliveries/{msg}/replay`, { ...at, msg }, { request_id: request }));
  /** An audit of tend, and the sessions that it asks for. */
  const look = async () => {
    const walk = await audit({ ...it.ports, telemetry: it.telemetry }, it.rules.retentionMs, {
      place: undefined,
      until: it.clock.now() + MINUTE_MS,
      looked: 'all',
    });
    await it.settle();
    return walk.counts;
  };
  const measured = (name: MetricName): readonly number[] =>
    it.telemetry.measures.flatMap(({ metric, value }) => (metric === name ? [value] : []));
  return { ...it, measured, app, ep, at, make, ok, read, ids, ack, send, sendAll, statuses, replay, look };
}

describe('what it is given', () => {
  it('comes in order, again and again until it is acknowledged, and then never', async () => {
    const { read, ids, ack, sendAll, statuses } = await world();
    const sent = await sendAll(5);
    const page = await read('2');
    expect(ids(page)).toEqual(sent.slice(0, 2));
    expect(ids(await read('2'))).toEqual(sent.slice(0, 2));
    expect(ids(await read())).toEqual(sent);
    expect(await ack(page['cursor'])).toBe(2);
    expect(ids(await read())).toEqual(sent.slice(2));
    expect(Object.values(await statuses()).sort()).toEqual(['delivered', 'delivered', 'pending', 'pending', 'pending']);
    expect(await ack((await read())['cursor'])).toBe(3);
    const last = await read();
    expect([last['data'], last['cursor']]).toEqual([[], null]);
  });

  it('is the body that endpoints get, and no more than one answer can hold', async () => {
    const { read, ids, ack, send } = await world();
    const first = await send('k0', 'invoice.paid', { amount: 5 });
    const [shown] = (await read())['data'];
    expect(shown).toMatchObject({ id: first, type: 'invoice.paid', content_type: 'application/json' });
    expect(JSON.parse(Buffer.from(shown['base64'], 'base64').toString())).toMatchObject({ data: { amount: 5 } });
    const large: string[] = [];
    for (let n = 0; n < 6; n++) large.push(await send(`large${n}`, 'a', { text: 'x'.repeat(220_000) }));
    const page = await read();
    expect(ids(page)).toEqual([first, ...large.slice(0, 4)]);
    expect(page['next_poll_seconds']).toBe(1);
    await ack(page['cursor']);
    expect(ids(await read())).toEqual(large.slice(4));
  });

  it('is what it wants, and nothing is sent: no request, no wake-up, whoever else is sent to', async () => {
    const { app, call, make, ok, publish, send, settle, sent, ports, rules, jobs, wakeUps, store, telemetry } =
      await world();
    const wants = await make({
      types: ['invoice.*'],
      filter: { all: [{ path: 'data.amount', op: 'gt', value: 3 }] },
    });
    const pushed = (await ok(call(MAKE, { app }, { url: 'https://hooks.customer.com/in' })))['id'];
    const msg = await send('k1', 'invoice.paid', { amount: 5 });
    await send('k2', 'invoice.paid', { amount: 1 });
    await send('k3', 'other', { amount: 9 });
    expect(sent).toHaveLength(3);
    // Neither by a job nor at once.
    await publish(app, JSON.stringify({ key: 'k4', type: 'other', data: {} }));
    const endpoints = endpointsOf(store);
    const doing = { publishOperational: async () => undefined, runReplay: async () => undefined };
    const [job] = jobs.splice(0) as FanOutJob[];
    await fanOut({ ...ports, ...doing, endpoints }, rules, [{ id: 1, job: job as FanOutJob }]);
    expect(wakeUps.splice(0)).toEqual([{ v: 1, ep: pushed }]);
    const application = (await store.get(applicationKey(app as AppId), 'consistent')) as ApplicationItem;
    const message = (await store.get(messageKey(job?.msg as MessageId), 'consistent')) as MessageItem;
    await fanOutNow({ ...ports, telemetry, endpoints }, rules, { message, application });
    expect(wakeUps.splice(0)).toEqual([{ v: 1, ep: pushed }]);
    expect((await ok(call(READ, { app, ep: wants })))['data'].map((each: Json) => each['id'])).toEqual([msg]);
    // A wake-up that comes all the same finds a closed door, and takes a wake away with it.
    const runtime = await store.get(runtimeKey(wants as EndpointId), 'consistent');
    await call(`POST ${E}/pause`, { app, ep: wants }, {});
    await call(`POST ${E}/resume`, { app, ep: wants }, {});
    expect(wakeAtOf((await store.get(runtimeKey(wants as EndpointId), 'consistent')) ?? {})).toBeDefined();
    await settle();
    expect(sent).toHaveLength(3);
    const after = await store.get(runtimeKey(wants as EndpointId), 'consistent');
    expect([wakeAtOf(after ?? {}), after?.crashes]).toEqual([undefined, runtime?.crashes]);
  });

  it('goes through a job as well, where many endpoints want it', async () => {
    const { app, call, make, ok, send, settle, sent } = await world();
    const others = [await make(), await make(), await make()];
    await ok(call(MAKE, { app }, { url: 'https://hooks.customer.com/in' }));
    const msg = await send('k1');
    await settle();
    expect(sent).toHaveLength(1);
    for (const ep of others) expect((await ok(call(READ, { app, ep })))['data'][0]['id']).toBe(msg);
  });

  it('skips no row that comes late, behind what was acknowledged', async () => {
    const { ep, store, read, ids, ack, sendAll, clock } = await world();
    const createdAt = clock.now();
    const sent = await sendAll(3);
    // The fan-out of the first one is still under way.
    const key = liveRowKey({ ep: ep as EndpointId, msg: sent[0] as MessageId, createdAt });
    const row = await store.get(key, 'consistent');
    await store.delete(key);
    const page = await read();
    expect(ids(page)).toEqual(sent.slice(1));
    await store.put({ kind: 'put', key, item: row as never });
    expect(await ack(page['cursor'])).toBe(2);
    expect(ids(await read())).toEqual(sent.slice(0, 1));
  });

  it('leaves the others readable where one body cannot be had, and says so where it is the only one', async () => {
    const { read, ids, ack, send, ports, call, at } = await world();
    const words = Array.from({ length: 30_000 }, (_, n) => Math.sin(n).toString(36))
      .join(' ')
      .slice(0, 240_000);
    const large = await send('large', 'a', { text: words });
    const small = await send('small');
    const { blobs } = ports;
    const get = blobs.get.bind(blobs);
    blobs.get = () => Promise.reject(new Error('no bucket'));
    const page = await read();
    expect(ids(page)).toEqual([small]);
    await ack(page['cursor']);
    const alone = await call(READ, at).catch((error: unknown) => error);
    expect(String(alone)).toContain('read_pulled');
    blobs.get = get;
    expect(ids(await read())).toEqual([large]);
  });
});

describe('a cursor', () => {
  it('counts once, whoever brings it, and whenever', async () => {
    const { read, ack, sendAll, statuses, pass } = await world();
    const sent = await sendAll(2);
    const [one, other] = [await read(), await read('1')];
    expect(await ack(other['cursor'])).toBe(1);
    expect(await ack(one['cursor'])).toBe(1);
    await sendAll(1);
    pass(3 * DAY_MS);
    expect([await ack(one['cursor']), await ack(other['cursor'])]).toEqual([0, 0]);
    const now = await statuses();
    expect(sent.map(id => now[id])).toEqual(['delivered', 'delivered']);
    expect(Object.values(now).filter(each => each === 'pending')).toHaveLength(1);
  });

  it('is of one endpoint, and is not made by hand', async () => {
    const { app, at, call, make, read, sendAll, ids } = await world();
    const other = await make();
    await sendAll(1);
    const { cursor } = await read();
    for (const [ep, given] of [
      [other, cursor],
      [at.ep, `${cursor.slice(0, -2)}AA`],
      [at.ep, 'A#1764180000000#msg_1'],
    ]) {
      const { status, body } = await call(ACK, { app, ep }, { cursor: given });
      expect([status, body['error']]).toEqual([400, 'invalid_cursor']);
    }
    expect((await call(ACK, at, {})).body['detail']).toContain('cursor: given nothing');
    expect(ids(await read())).toHaveLength(1);
  });

  it('does not end a replay: that is given anew', async () => {
    const { read, ids, ack, sendAll, replay, statuses } = await world();
    const [msg = '', later = ''] = await sendAll(2);
    const { cursor } = await read('1');
    await ack(cursor);
    await replay(msg, 'r1');
    expect(await ack(cursor)).toBe(0);
    // Behind what was never given.
    expect(ids(await read())).toEqual([later, msg]);
    expect((await statuses())[msg]).toBe('pending');
    expect(await ack((await read())['cursor'])).toBe(2);
    expect(await statuses()).toEqual({ [msg]: 'delivered', [later]: 'delivered' });
  });

  it('is not given for what a replay job has for later', async () => {
    const { ep, read, ids, ack, sendAll, store, rules, clock, pass } = await world();
    const createdAt = clock.now();
    const [msg = ''] = await sendAll(1);
    await ack((await read())['cursor']);
    const delivery = { ep: ep as EndpointId, msg: msg as MessageId, createdAt };
    const record = (await store.get(recordKey(delivery), 'consistent')) as RecordItem;
    const now = clock.now();
    const request = { replayId: 'r1', by: 'ada', now, alsoRetrying: false, dueAt: now + MINUTE_MS };
    await store.transact(replay(delivery, record, request, rules.retentionMs), 'token');
    expect(ids(await read())).toEqual([]);
    pass(2 * MINUTE_MS);
    expect(ids(await read())).toEqual([msg]);
  });

  it('may die between record and row: nothing is given twice then, and nothing counts twice', async () => {
    const { read, ids, ack, sendAll, store } = await world();
    await sendAll(1);
    const { cursor } = await read();
    const { delete: remove } = store;
    store.delete = () => Promise.reject(new Error('the process died'));
    await expect(ack(cursor)).rejects.toThrow('the process died');
    store.delete = remove;
    expect(ids(await read())).toEqual([]);
    expect(await ack(cursor)).toBe(0);
  });
});

describe('an acknowledgement is a success', () => {
  it('in lists, health and statistics; until then it waits for its reader, and nothing fails', async () => {
    const { app, at, call, ok, read, ack, sendAll, telemetry } = await world();
    await sendAll(3);
    const before = await ok(call(`GET ${E}`, at));
    expect(before).toMatchObject({ kind: 'pull', url: null, state: 'pulled', success_rate_24h: null });
    expect(`${stateWord(before['state'])}: ${endpointWords(before, at => at)}`).toBe(
      'waits for its reader: nothing was acknowledged yet',
    );
    const [waiting] = (await ok(call(`GET ${E}/deliveries`, at)))['data'];
    expect(waiting).toMatchObject({ held: true, held_until: null, held_why: 'pulled', attempt_count: 0 });
    expect(heldWords(waiting['held_why'])).toBe('waits for its reader');
    const page = await read('2');
    await ack(page['cursor']);
    const health = await ok(call(`GET ${E}/health`, at));
    expect(health).toMatchObject({ state: 'pulled', success_rate_24h: 1, failed_in_a_row: 0, waiting: { count: 1 } });
    expect(endpointWords(health, () => '14:02')).toBe('last acknowledged 14:02');
    const { hours } = await ok(call('GET /v1/stats', {}, undefined, { app }));
    expect(hours[0]).toMatchObject({ successes: 2, failures: 0 });
    const [first] = (await ok(call(`GET ${E}/deliveries`, at, undefined, { status: 'delivered' })))['data'];
    expect(first).toMatchObject({ type: 'a', attempt_count: 1, held: false, last_attempt: { class: 'ok' } });
    expect(first['delivered_at']).not.toBeNull();
    expect(telemetry.total('Delivered')).toBe(2);
  });

  it('of two readers at once: both count', async () => {
    const { at, call, ok, read, sendAll } = await world();
    await sendAll(6);
    const [one, all] = [await read('3'), await read()];
    const acked = await Promise.all([one, all].map(({ cursor }) => ok(call(ACK, at, { cursor }))));
    expect(acked.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBe(6);
    const { each } = await ok(call('GET /v1/stats', {}, undefined, { app: at.app, endpoint: at.ep }));
    expect(each[0]['successes'][0]).toBe(6);
  });
});

describe('its gate', () => {
  it('paused: nothing is given, and what was given may be acknowledged', async () => {
    const { at, call, ok, read, ids, ack, sendAll } = await world();
    const sent = await sendAll(2);
    const { cursor } = await read('1');
    await ok(call(`POST ${E}/pause`, at, {}));
    const { status, body } = await call(READ, at);
    expect([status, body['error']]).toEqual([409, 'gate_closed']);
    expect(await ack(cursor)).toBe(1);
    await ok(call(`POST ${E}/resume`, at, {}));
    expect(ids(await read())).toEqual(sent.slice(1));
  });

  it('enabled without its backlog: that ends as dropped, read or not', async () => {
    const { at, call, ok, read, ids, send, sendAll, statuses, look } = await world();
    await sendAll(2);
    await ok(call(`POST ${E}/disable`, at, {}));
    await ok(call(`POST ${E}/enable`, at, { backlog: 'drop' }));
    await look();
    expect(Object.values(await statuses())).toEqual(['dropped', 'dropped']);
    const next = await send('next');
    expect(ids(await read())).toEqual([next]);
    await ok(call(`POST ${E}/disable`, at, {}));
    await ok(call(`POST ${E}/enable`, at, { backlog: 'drop' }));
    expect(ids(await read())).toEqual([]);
    expect((await statuses())[next]).toBe('dropped');
  });

  it('an erased body is given to nobody, and a deleted endpoint cancels what waits', async () => {
    const { app, ep, at, call, ok, read, ids, sendAll, statuses, settle, store, clock } = await world();
    const createdAt = clock.now();
    const [erased = '', left = ''] = await sendAll(2);
    const key = recordKey({ ep: ep as EndpointId, msg: left as MessageId, createdAt: createdAt + 1_000 });
    await ok(call('DELETE /v1/apps/{app}/messages/{msg}/body', { app, msg: erased }));
    expect(ids(await read())).toEqual([left]);
    expect(await statuses()).toEqual({ [erased]: 'canceled', [left]: 'pending' });
    await ok(call(`DELETE ${E}`, at));
    expect((await call(READ, at)).status).toBe(404);
    expect((await call(ACK, at, { cursor: 'x' })).status).toBe(404);
    await settle();
    expect((await store.get(key, 'consistent'))?.status).toBe('canceled');
  });
});

describe('whoever watches', () => {
  it('sees nothing late, lost or failing, however long nobody reads', async () => {
    const { ports, rules, look, read, ack, sendAll, pass, telemetry, measured, wakeUps, sent } = await world();
    await sendAll(3);
    pass(3 * HOUR_MS);
    await ack((await read('1'))['cursor']);
    expect(await look()).toMatchObject({ endpoints: 1, withTraffic: 0, waiting: 0, lost: 0, onHold: 0 });
    const told: unknown[] = [];
    const jobs = { send: async (list: readonly unknown[]) => void told.push(...list) };
    const tending = { ...ports, jobs, slow: ports.wake, telemetry, endpoints: async () => [] } as unknown as TendPorts;
    await tend(tending, { retentionMs: rules.retentionMs, auditMinutes: 10 });
    expect([wakeUps, told, sent]).toEqual([[], [], []]);
    expect(telemetry.total('WakeLost') + telemetry.total('FanOutLost')).toBe(0);
    expect(measured('DeliveriesWaiting')).toEqual([0]);
  });

  it('what nobody acknowledges ends with the retention: expired, seen, and replayed when somebody asks', async () => {
    const { rules, read, ids, ack, sendAll, pass, look, statuses, replay, sent, measured } = await world();
    const [old = ''] = await sendAll(1);
    const page = await read();
    pass(rules.retentionMs - HOUR_MS);
    const [young = ''] = await sendAll(1);
    pass(2 * HOUR_MS);
    await look();
    expect(await statuses()).toEqual({ [old]: 'expired', [young]: 'pending' });
    expect(await ack(page['cursor'])).toBe(0);
    expect((await statuses())[old]).toBe('expired');
    await replay(old, 'r1');
    await look();
    expect(ids(await read())).toEqual([young, old]);
    expect(await ack((await read())['cursor'])).toBe(2);
    expect(sent).toEqual([]);
    expect(measured('WaitingOldestHealthyAge')).toEqual([]);
  });

  it('a session that ends what is old takes no success away', async () => {
    const { rules, at, call, ok, read, ack, sendAll, pass, look, ep, store } = await world();
    await sendAll(1);
    pass(rules.retentionMs - HOUR_MS);
    await sendAll(1);
    pass(2 * HOUR_MS);
    // While the session has the lease, a reader acknowledges.
    const { update } = store;
    let isFirst = true;
    store.update = (async (write: Parameters<typeof update>[0]) => {
      const result = await update(write);
      const takes = (write.set as Json)?.['owner'] !== undefined;
      if (takes && isFirst) {
        isFirst = false;
        await ack((await read())['cursor']);
      }
      return result;
    }) as typeof update;
    await look();
    expect(isFirst).toBe(false);
    const runtime = await store.get(runtimeKey(ep as EndpointId), 'consistent');
    expect([runtime?.oks, runtime?.owner]).toEqual([1, undefined]);
    expect((await ok(call(`GET ${E}/health`, at)))['success_rate_1h']).toBe(1);
  });
});

describe('is refused', () => {
  const said = ({ status, body }: { status: number; body: Json }): string => `${status} ${body['detail']}`;
  it.each([
    [
      { kind: 'pull', url: 'https://hooks.customer.com/in' },
      /^400 url: given a value; allowed: of kind pull only kind, description, types, channels, mode, api_version, filter, metadata, as nothing is sent; fix: leave it out/,
    ],
    [{ kind: 'pull', headers: { a: 'b' }, ordered: true }, /headers: given.*ordered: given/],
    [{ kind: 'pull', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, /^400 secret: given a value/],
    [{ kind: 'poll' }, /kind: given "poll"; allowed: "push", "pull"; fix: did you mean "pull"/],
    [{}, /^400 url: given nothing; allowed: this key is required; fix: add url, or make an endpoint of kind pull/],
    [{ kind: 'push' }, /^400 url: given nothing/],
  ])('%j', async (body, wanted) => {
    const { app, call } = await world();
    expect(said(await call(MAKE, { app }, body))).toMatch(wanted);
    expect(said(await call(`PUT ${E}`, { app, ep: 'uid:new' }, body))).toMatch(wanted);
  });

  it('another kind than it has, and what only the other kind has', async () => {
    const { app, at, call, ok, store } = await world();
    const pushed = { app, ep: (await ok(call(MAKE, { app }, { url: 'https://a.customer.com/' })))['id'] };
    expect(said(await call(`PATCH ${E}`, at, { kind: 'push' }))).toMatch(
      /^400 kind: given "push"; allowed: "pull": the kind of an endpoint never changes; fix: make another endpoint/,
    );
    expect(said(await call(`PATCH ${E}`, pushed, { kind: 'pull' }))).toMatch(
      /^400 kind: given "pull"; allowed: "push"/,
    );
    expect(said(await call(`PATCH ${E}`, at, { url: 'https://a.customer.com/' }))).toMatch(/^400 url: given a value/);
    const verify = await call(MAKE, { app }, { kind: 'pull' }, { verify: 'true' });
    expect(said(verify)).toMatch(/^400 verify: given true; allowed: nothing with kind pull/);
    for (const act of ['trial', 'test', 'secret/rotate', 'secret/activate'] as const)
      expect(said(await call(`POST ${E}/${act}`, at, {}))).toMatch(
        /^409 the endpoint is of kind pull: nothing is sent/,
      );
    expect(said(await call(READ, pushed))).toMatch(
      /^409 the endpoint is of kind push: its messages are sent to its url/,
    );
    expect(said(await call(ACK, pushed, { cursor: 'x' }))).toMatch(/^409 the endpoint is of kind push/);
    expect(said(await call(READ, at, undefined, { limit: '101' }))).toMatch(/^400 limit: given "101"/);
    expect((await store.get(runtimeKey(at.ep as EndpointId), 'consistent'))?.pulled).toBe(true);
  });

  it('not what both have: a change of what it wants, the same kind again, a repeated request', async () => {
    const { app, at, call, ok } = await world();
    const changed = await ok(call(`PATCH ${E}`, at, { kind: 'pull', types: ['b'], metadata: { a: 1 }, if_version: 1 }));
    expect(changed).toMatchObject({ kind: 'pull', url: null, types: ['b'], version: 2 });
    const given = { kind: 'pull', uid: 'reader', types: ['c'] };
    const [made, again] = [await ok(call(MAKE, { app }, given)), await ok(call(MAKE, { app }, given))];
    expect(again).toEqual(made);
    expect(Object.keys(made)).not.toContain('secret');
    expect((await ok(call(`PUT ${E}`, { app, ep: 'uid:reader' }, { kind: 'pull', types: [] })))['types']).toEqual([]);
    expect(await ok(call(`GET ${E}/secret`, at))).toEqual({ data: [] });
    expect(
      (await ok(call('GET /v1/apps/{app}/endpoints', { app }, undefined, { state: 'pulled' })))['data'],
    ).toHaveLength(2);
  });
});
