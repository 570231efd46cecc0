/** Whose body is it? A message owns its own, a copy its own, a broadcast its own; what is erased is nowhere left and never sent. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { eraseSome } from '#core/outbound/erase/erase.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { messageKey } from '#core/outbound/protocol/keys.ts';
import { DAY_MS } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

type World = Awaited<ReturnType<typeof withEndpoint>>;
const E = '/v1/apps/{app}/endpoints/{ep}';
const M = '/v1/apps/{app}/messages/{msg}';
const RETENTION_MS = 30 * DAY_MS;

/** 100 KB that no deflate makes small: its body lies in the bucket. */
const noise = (seed: string): string =>
  Array.from({ length: 3_200 }, (_, n) => createHash('sha256').update(`${seed}${n}`).digest('base64')).join('');
const said = (key: string, data: unknown): string => JSON.stringify({ key, type: 'a', data });

async function objectsOf({ ports }: World, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ports.blobs.list(prefix, cursor);
    found.push(...page.keys);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

/** As `tend` does it, a run each minute. */
async function erase(world: World, app: string): Promise<Json> {
  const { call, ports, clock, pass } = world;
  expect((await call('DELETE /v1/apps/{app}', { app }, undefined, { erase: 'true' })).status).toBe(202);
  for (let runs = 0; runs < 40; runs++) {
    await eraseSome(ports, RETENTION_MS, clock.now() + 45_000);
    const { body } = await call('GET /v1/apps/{app}/erasure', { app });
    if (body.finished_at !== null) return body;
    pass(60_000);
  }
  throw new Error('the erasure does not end');
}

const asNew = async ({ call }: World, app: string, ep: string, msg: string, id = 'r1'): Promise<string> => {
  const copied = await call(`POST ${E}/deliveries/{msg}/replay`, { app, ep, msg }, { request_id: id, as_new: true });
  expect(copied.status, JSON.stringify(copied.body)).toBe(202);
  return copied.body.message as string;
};
const statusOf = async ({ call }: World, app: string, msg: string): Promise<readonly string[]> =>
  (await call(`GET ${M}/deliveries`, { app, msg })).body.data.map(({ status }: Json) => status);

it('a repeated publish changes no byte of what is sent, and brings no erased body back', async () => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, sent, pass } = world;
  const given = said('k1', noise('repeated'));
  const { id } = (await publish('uid:acme', given)).body;
  await settle();
  // The answer was lost: the producer asks again, a minute later. The envelope has a time.
  pass(60_000);
  expect((await publish('uid:acme', given)).body).toMatchObject({ id, duplicate: true });
  expect(await objectsOf(world, `outbound/${app}/`)).toHaveLength(1);
  const again = await call(`POST ${E}/deliveries/{msg}/replay`, { app, ep, msg: id }, { request_id: 'r1' });
  expect(again.status).toBe(202);
  await settle();
  const [first, second] = sent.map(({ body }) => new TextDecoder().decode(body));
  expect(second).toBe(first);
  expect(sent).toHaveLength(2);

  expect((await call(`DELETE ${M}/body`, { app, msg: id })).status).toBe(200);
  expect((await publish('uid:acme', given)).status).toBe(202);
  expect(await objectsOf(world, `outbound/${app}/`)).toEqual([]);
});

it('erases what a publish left that died before its message was written', async () => {
  const world = await withEndpoint();
  const { app, call, publish, settle, pass, store } = world;
  const given = said('k1', noise('died'));
  // The body is stored; then nothing is heard of the table. A minute later the same message has other bytes: its time.
  const { put } = store;
  store.put = () => Promise.reject(new DependencyError('dynamodb', 'no answer', { outcome: 'unknown' }));
  expect((await publish('uid:acme', given)).status).toBe(503);
  store.put = put;
  pass(60_000);
  const { id } = (await publish('uid:acme', given)).body;
  await settle();
  expect(await objectsOf(world, `outbound/${app}/${id}/`)).toHaveLength(2);
  expect((await call(`DELETE ${M}/body`, { app, msg: id })).status).toBe(200);
  expect(await objectsOf(world, `outbound/${app}/`)).toEqual([]);
});

it.each([
  ['large', noise('b')],
  ['small', 'hello'],
])('erasing one application leaves a %s broadcast to the others', async (_, data) => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, sent } = world;
  const other = (await call('POST /v1/apps', {}, { name: 'Other', uid: 'other' })).body.id as string;
  const url = 'https://o.customer.com/';
  const made = (await call('POST /v1/apps/{app}/endpoints', { app: other }, { url })).body.id as string;
  await call(`POST ${E}/pause`, { app: other, ep: made }, {});
  await call('POST /v1/apps', {}, { name: 'Broadcast', uid: 'broadcast' });
  const broadcast = await publish(undefined, said('k1', data));
  expect(broadcast.status, JSON.stringify(broadcast.body)).toBe(202);
  const { id } = broadcast.body;
  await settle();
  await asNew(world, app, ep, id);
  await settle();
  expect((await erase(world, app)).state).toBe('erased');
  await call(`POST ${E}/resume`, { app: other, ep: made }, {});
  await settle();
  expect(sent.filter(request => request.url === url)).toHaveLength(1);
});

it.each([
  ['large', noise('c')],
  ['small', 'hello'],
])('erasing the %s body of a copy leaves the original', async (_, data) => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle } = world;
  const url = 'https://second.customer.com/';
  const paused = (await call('POST /v1/apps/{app}/endpoints', { app }, { url })).body.id as string;
  await call(`POST ${E}/pause`, { app, ep: paused }, {});
  const { id } = (await publish(app, said('k1', data))).body;
  await settle();
  const copy = await asNew(world, app, ep, id);
  await settle();
  const erased = await call(`DELETE ${M}/body`, { app, msg: copy });
  expect(erased.body).toMatchObject({ id: copy, copies_erased: 0, body_erased_at: expect.any(String) });
  expect((await call(`GET ${M}/body`, { app, msg: id })).status).toBe(200);
  await call(`POST ${E}/resume`, { app, ep: paused }, {});
  await settle();
  expect(await statusOf(world, app, id)).toEqual(['delivered', 'delivered']);
});

it.each([
  ['large', noise('d')],
  ['small', 'Jane Roe'],
])('erasing the %s body of the original erases it from its copies, and says how many', async (_, data) => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, sent, store } = world;
  const { id } = (await publish(app, said('k1', data))).body;
  await settle();
  await call(`POST ${E}/pause`, { app, ep }, {});
  const first = await asNew(world, app, ep, id, 'r1');
  expect(await asNew(world, app, ep, id, 'r1')).toBe(first);
  await asNew(world, app, ep, id, 'r2');
  const before = sent.length;
  const erased = await call(`DELETE ${M}/body`, { app, msg: id });
  expect(erased.body).toMatchObject({ id, copies_erased: 2 });
  expect((await call(`DELETE ${M}/body`, { app, msg: id })).body.copies_erased).toBe(2);
  for (const msg of [id, first]) expect((await call(`GET ${M}/body`, { app, msg })).status).toBe(410);
  expect(await objectsOf(world, 'outbound/')).toEqual([]);
  const { items } = await store.scan('outbox', { segment: 0, of: 1 });
  expect(items.filter(item => item['body'] !== undefined || item['ref'] !== undefined)).toEqual([]);
  await call(`POST ${E}/resume`, { app, ep }, {});
  await settle();
  expect(sent).toHaveLength(before);
  const again = await call(
    `POST ${E}/deliveries/{msg}/replay`,
    { app, ep, msg: id },
    { request_id: 'r3', as_new: true },
  );
  expect(again.status).toBe(410);
});

it('a copy that is made while its original is erased is refused, and leaves nothing behind', async () => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, ports } = world;
  const { id } = (await publish(app, said('k1', noise('e')))).body;
  await settle();
  // The bytes are read, then the body is erased, then the copy is put.
  const { get } = ports.blobs;
  ports.blobs.get = async key => {
    ports.blobs.get = get;
    const bytes = await get.call(ports.blobs, key);
    await call(`DELETE ${M}/body`, { app, msg: id });
    return bytes;
  };
  const copied = await call(
    `POST ${E}/deliveries/{msg}/replay`,
    { app, ep, msg: id },
    { request_id: 'r', as_new: true },
  );
  expect([copied.status, copied.body.error]).toEqual([410, 'message_gone']);
  expect(await objectsOf(world, 'outbound/')).toEqual([]);
});

it('a publish that is refused leaves no body behind, and one that was cut off is found by the erasure', async () => {
  const world = await withEndpoint();
  const { app, publish, ports, settle } = world;
  const first = await publish(app, said('k1', noise('f')));
  expect(first.status).toBe(202);
  await settle();
  const mine = await objectsOf(world, `outbound/${app}/`);
  expect(mine).toHaveLength(1);
  expect((await publish(app, said('k1', noise('g')))).status).toBe(409);
  expect(await objectsOf(world, `outbound/${app}/`)).toEqual(mine);
  // Its process ended before the message was written.
  await ports.blobs.put(`outbound/${app}/msg_x/0123`, Uint8Array.of(1));
  await ports.blobs.put('outbound/app_other/msg_x/0123', Uint8Array.of(1));
  const report = await erase(world, app);
  expect(report.counts.bodies).toBe(2);
  expect(await objectsOf(world, 'outbound/')).toEqual(['outbound/app_other/msg_x/0123']);
});

it.each(['large', 'small'] as const)('keeps the body of a %s copy for the retention of the copy', async size => {
  const world = await withEndpoint();
  const { app, ep, call, publish, settle, sent, pass, store } = world;
  const { id } = (await publish('uid:acme', said('k1', size === 'large' ? noise('kept') : 1))).body;
  await settle();
  const first = new TextDecoder().decode(sent[0]?.body);
  pass(29 * DAY_MS);
  await call(`POST ${E}/pause`, { app, ep }, {});
  const copy = await asNew(world, app, ep, id);
  await settle();
  // The original is over, and whatever the bucket and the tables kept of it is gone.
  pass(29 * DAY_MS);
  const kept = await store.get(messageKey(copy as MessageId), 'consistent');
  expect((kept?.expiresAt ?? 0) * 1_000 - world.clock.now()).toBeGreaterThan(0);
  await call(`POST ${E}/resume`, { app, ep }, {});
  await settle();
  expect(sent).toHaveLength(2);
  expect(sent[1]?.headers['webhook-id']).toBe(copy);
  expect(new TextDecoder().decode(sent[1]?.body)).toBe(first);
});
