/** Limits of one application: what is above them is refused with the number, and nobody beside it notices. */
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const DELIVERIES = 'GET /v1/apps/{app}/messages/{msg}/deliveries';
const E = '/v1/apps/{app}/endpoints/{ep}';

/** `uid:acme` with limits, and a neighbour without. */
async function limited(limits: Json) {
  const world = await withEndpoint();
  const other = (await world.call('POST /v1/apps', {}, { name: 'Other', uid: 'other' })).body.id as string;
  const made = await world.call('POST /v1/apps/{app}/endpoints', { app: other }, { url: 'https://b.customer.com/' });
  const set = await world.call('PATCH /v1/apps/{app}', { app: world.app }, { limits });
  expect([set.status, set.body.limits]).toEqual([200, limits]);
  return { ...world, other, otherEp: made.body.id as string };
}

it.each([
  [{ retention_days: 31 }, 'limits.retention_days', 'from 1 to 30'],
  [{ retention_days: 0 }, 'limits.retention_days', 'from 1 to 30'],
  [{ payload_bytes: 300_000 }, 'limits.payload_bytes', 'from 1024 to 262144'],
  [{ payload_bytes: 10 }, 'limits.payload_bytes', 'from 1024 to 262144'],
  [{ endpoints: 10_001 }, 'limits.endpoints', 'from 1 to 10000'],
  [{ publish_per_second: 1.5 }, 'limits.publish_per_second', 'a whole number'],
  [{ bodies: 1 }, 'limits.bodies', 'an unknown key'],
])('%j is told what is allowed', async (limits, path, said) => {
  const { app, call } = await withEndpoint();
  const { status, body } = await call('PATCH /v1/apps/{app}', { app }, { limits });
  expect([status, body.error]).toEqual([400, 'invalid_request']);
  expect(body.detail).toContain(path);
  expect(body.detail).toContain(said);
});

describe('payload_bytes', () => {
  const message = (key: string, length: number): string =>
    `{"key":"${key}","type":"invoice.paid","data":"${'x'.repeat(length)}"}`;

  it('refuses a body that would be sent longer, stores nothing of it, and leaves the neighbour alone', async () => {
    const { app, other, publish, call } = await limited({ payload_bytes: 1_024 });
    expect((await publish(app, message('short', 800))).status).toBe(202);
    const refused = await publish(app, message('long', 1_000));
    expect([refused.status, refused.body.error]).toEqual([413, 'too_large']);
    expect(refused.body.detail).toMatch(
      new RegExp(`has 1\\d{3} bytes; at most 1024 are allowed for ${app}, its limit`),
    );
    expect((await call('GET /v1/apps/{app}/messages', { app })).body.data).toHaveLength(1);
    expect((await publish(other, message('long', 1_000))).status).toBe(202);
  });

  it('goes with the limit: the same message is taken when it is gone', async () => {
    const { app, publish, call } = await limited({ payload_bytes: 1_024 });
    expect((await publish(app, message('long', 2_000))).status).toBe(413);
    await call('PATCH /v1/apps/{app}', { app }, { limits: {} });
    expect((await publish(app, message('long', 2_000))).status).toBe(202);
  });
});

describe('retention_days', () => {
  /** One message to each application, whose endpoints are paused; then two days and a bit. */
  async function twoDaysLater() {
    const world = await limited({ retention_days: 2 });
    const { app, ep, other, otherEp, call, publish, settle, pass, wakeUps } = world;
    const endpoints = [
      { app, ep },
      { app: other, ep: otherEp },
    ];
    for (const at of endpoints) await call(`POST ${E}/pause`, at, {});
    const sent = await publish(app, '{"key":"k1","type":"a","data":1}');
    const kept = await publish(other, '{"key":"k1","type":"a","data":1}');
    await settle();
    const end = async (): Promise<void> => {
      wakeUps.push(...[ep, otherEp].map(each => ({ v: 1, ep: each, mode: 'end' }) as const));
      await settle();
    };
    pass(2 * DAY_MS - 1_000);
    await end();
    const statusOf = async (at: string, msg: string): Promise<string> =>
      (await call(DELIVERIES, { app: at, msg })).body.data[0].status;
    expect(await statusOf(app, sent.body.id)).toBe('pending');
    pass(2_000);
    await end();
    return { ...world, msg: sent.body.id as string, keptMsg: kept.body.id as string, statusOf, end };
  }

  it('ends what waited for so long as expired, and nothing of the neighbour', async () => {
    const { app, other, msg, keptMsg, statusOf } = await twoDaysLater();
    expect(await statusOf(app, msg)).toBe('expired');
    expect(await statusOf(other, keptMsg)).toBe('pending');
  });

  it('gives message, record and attempt the earlier end, with the week of grace that all have', async () => {
    const { app, other, publish, settle, answer, store } = await limited({ retention_days: 2 });
    answer(422);
    const [short, long] = [app, other].map(to => publish(to, '{"key":"k1","type":"a","data":1}'));
    await settle();
    const ids = [(await short)?.body.id, (await long)?.body.id];
    await settle();
    const items = (await store.scan('outbox', { segment: 0, of: 1 })).items as readonly Json[];
    const daysOf = (kind: string, id: string): number => {
      const found = items.find(({ pk, sk }) => pk.startsWith(kind) && `${pk} ${sk}`.includes(id));
      const at = Date.parse('2026-11-22T08:00:00Z');
      return (found.expiresAt * 1_000 - at) / DAY_MS;
    };
    for (const kind of ['M#', 'D#', 'T#'])
      expect(
        ids.map(id => Math.round(daysOf(kind, id))),
        kind,
      ).toEqual([9, 37]);
  });

  it('a replay ends with the grace of its message, not with that of the environment', async () => {
    const { app, ep, call, msg, pass, statusOf, end } = await twoDaysLater();
    const replayed = await call(`POST ${E}/deliveries/{msg}/replay`, { app, ep, msg }, { request_id: 'r1' });
    expect(replayed.status).toBe(202);
    pass(7 * DAY_MS - 10_000);
    await end();
    expect(await statusOf(app, msg)).toBe('pending');
    pass(10_000);
    await end();
    expect(await statusOf(app, msg)).toBe('expired');
  });
});
