/** The feed, as a client that polls it sees it: each message at least once, in order, whatever the index shows when. */
import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { SETTLED_MS } from '#core/outbound/api/deliveries/feed-api.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { messageKey } from '#core/outbound/protocol/keys.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const ROUTE = 'GET /v1/apps/{app}/feed';

async function world() {
  const it = await withEndpoint();
  const { app, call, publish, pass } = it;
  const feed = async (query: Record<string, string> = {}): Promise<Json> => {
    const { status, body } = await call(ROUTE, { app }, undefined, query);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const send = async (key: string, type = 'a', waitMs = 1_000): Promise<string> => {
    const heard = await publish(app, JSON.stringify({ key, type, data: { key } }));
    pass(waitMs);
    return heard.body['id'] as string;
  };
  /** All that a client gets until nothing is left. */
  const drain = async (query: Record<string, string>, from?: string) => {
    const got: string[] = [];
    let after = from;
    for (let calls = 0; calls < 50; calls++) {
      const answer = await feed({ ...query, ...(after === undefined ? {} : { after }) });
      got.push(...answer['data'].map((each: Json) => each['id']));
      const isEnd = answer['after'] === after || answer['data'].length === 0;
      after = answer['after'];
      if (isEnd) break;
    }
    return { got, after: after as string };
  };
  return { ...it, feed, send, drain };
}

it.each(['1', '2', '50'])('tells each message once, in order, over hours, in pages of %s', async limit => {
  const { send, drain, pass } = await world();
  const sent: string[] = [];
  for (let n = 0; n < 7; n++) sent.push(await send(`k${n}`, 'a', n === 3 ? 3 * 60 * MINUTE_MS : 1_000));
  pass(SETTLED_MS);
  const { got, after } = await drain({ limit });
  expect(got).toEqual(sent);
  // A day later the place is still good, and what came meanwhile follows.
  pass(30 * 60 * MINUTE_MS);
  const later = await send('later');
  pass(SETTLED_MS);
  expect((await drain({ limit }, after)).got).toEqual([later]);
});

it('holds back what is younger than the index may be late', async () => {
  const { send, feed, pass } = await world();
  const id = await send('k1');
  const early = await feed();
  expect(early['data']).toEqual([]);
  pass(SETTLED_MS);
  const answer = await feed({ after: early['after'] });
  expect(answer['data']).toEqual([
    expect.objectContaining({ id, type: 'a', content_type: 'application/json', base64: expect.any(String) }),
  ]);
  const body = JSON.parse(Buffer.from(answer['data'][0]['base64'], 'base64').toString());
  expect(body).toMatchObject({ data: { key: 'k1' } });
});

it('misses nothing of a producer whose clock is 90 s behind, and that took 25 s to write', async () => {
  const { feed, send, drain, pass } = await world();
  const { after } = await feed();
  pass(-115_000);
  const late = await send('late', 'a', 115_000);
  pass(3 * MINUTE_MS);
  expect((await drain({}, after)).got).toEqual([late]);
});

it('takes one type, and passes the others by', async () => {
  const { send, drain, pass } = await world();
  const wanted = [await send('k1', 'b')];
  for (let n = 0; n < 5; n++) await send(`other${n}`);
  wanted.push(await send('k2', 'b'));
  pass(SETTLED_MS);
  expect((await drain({ type: 'b', limit: '1' })).got).toEqual(wanted);
});

it('says when to come again: at once while messages come, later the longer none do', async () => {
  const { send, feed, pass } = await world();
  await send('k1');
  pass(SETTLED_MS);
  const first = await feed();
  expect(first['next_poll_seconds']).toBe(1);
  pass(5_000);
  expect((await feed({ after: first['after'] }))['next_poll_seconds']).toBe(10);
  pass(10 * MINUTE_MS);
  expect((await feed({ after: first['after'] }))['next_poll_seconds']).toBe(30);
});

it('stops before an answer is too large, with one message at least, and shows no copy for one endpoint', async () => {
  const { app, publish, feed, drain, pass } = await world();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await publish(app, JSON.stringify({ key, type: 'large', data: { text: 'x'.repeat(220_000) } }));
    pass(10);
  }
  pass(SETTLED_MS);
  expect((await feed())['data']).toHaveLength(4);
  expect((await drain({})).got).toHaveLength(6);
});

it.each(['x', '1', '1764180000000#', "1764180000000#msg_' or 1"])('refuses after=%s', async after => {
  const { app, call } = await world();
  const { status, body } = await call(ROUTE, { app }, undefined, { after });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('the `after` of the answer before')]);
});

it('waits a day for a body that cannot be read, then goes on behind it; what lies before it is given', async () => {
  const { store, send, feed, app, call, pass, telemetry } = await world();
  const [before, damaged, behind] = [await send('k1'), await send('k2'), await send('k3')] as MessageId[];
  pass(SETTLED_MS);
  const there = await store.get(messageKey(damaged as MessageId), 'consistent');
  assert(there);
  const { pk: _, sk: __, ...item } = there as typeof there & { readonly pk?: string; readonly sk?: string };
  await store.put({ kind: 'put', key: messageKey(item.id), item: { ...item, body: Uint8Array.of(1, 2, 3) } });
  const first = await feed();
  expect(first['data'].map(({ id }: Json) => id)).toEqual([before]);
  const after = first['after'] as string;
  // The kit throws what it logged with a 503.
  await expect(call(ROUTE, { app }, undefined, { after })).rejects.toThrow('a stored body cannot be read');
  expect(telemetry.total('OwnFault')).toBeGreaterThan(0);
  pass(DAY_MS);
  const { data } = await feed({ after });
  expect(data.map(({ id, base64 }: Json) => [id, base64 === null])).toEqual([
    [damaged, true],
    [behind, false],
  ]);
});

it('skips nothing while the bucket is away, however old it is', async () => {
  const { send, app, call, pass, ports } = await world();
  await send('k1');
  pass(2 * DAY_MS);
  const inflate = () => {
    throw new DependencyError('s3', 'no answer', { outcome: 'unknown' });
  };
  Object.assign(ports, { codec: { ...ports.codec, inflate } });
  await expect(call(ROUTE, { app })).rejects.toThrow('s3: no answer');
});
