/**
 * What a customer sees of each trouble: replies of the portal as they are, and what the producer's API says beside them.
 * `npm run write` records them in docs/api/troubles.json.
 */
import assert from 'node:assert/strict';
import { eraseSome } from '#core/outbound/erase/erase.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { reconcileMessages, spanAt } from '#core/outbound/tend/reconcile-messages.ts';
import { DAY_MS } from '#core/time.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
type World = Awaited<ReturnType<typeof withEndpoint>>;
type Json = Readonly<Record<string, unknown>>;
interface Told {
  readonly [name: string]: unknown;
}

/** Publishes that many, and answers with the id that is looked at. */
async function publishAll({ app, publish, settle, pass }: World, count: number, looked = 0): Promise<MessageId> {
  const ids: MessageId[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await publish(app, `{"key":"k${n}","type":"a","data":${n}}`)).body.id);
    // Those of one millisecond go by their ids, which are drawn.
    pass(1);
  }
  await settle();
  return ids[looked] as MessageId;
}
async function later({ ep, pass, wakeUps, settle }: World, ms: number): Promise<void> {
  pass(ms);
  wakeUps.push({ v: 1, ep: ep as EndpointId });
  await settle();
}
const change = ({ app, ep, call }: World, body: object) => call(`PATCH ${E}`, { app, ep }, body);

/** Each trouble, up to the delivery that is shown. */
const TROUBLES: Readonly<Record<string, (world: World) => Promise<MessageId>>> = {
  'a poison: 422': async world => {
    world.answer(422);
    return publishAll(world, 1);
  },
  'the endpoint is down: 500 to everything': async world => {
    world.answer(500);
    return publishAll(world, 8);
  },
  'throttled: 429': async world => {
    world.answer(429);
    const msg = await publishAll(world, 1);
    await later(world, 60_000);
    return msg;
  },
  'the head of an ordered endpoint waits: 500': async world => {
    await change(world, { ordered: true });
    world.answer(500);
    return publishAll(world, 1);
  },
  'held by the guard: no answer': async world => {
    world.guard(true);
    world.answer(0);
    return publishAll(world, 1);
  },
  disabled: async world => {
    await world.call(`POST ${E}/disable`, { app: world.app, ep: world.ep }, { why: 'we move' });
    return publishAll(world, 1);
  },
  dead: async world => {
    await change(world, { schedule: [5] });
    world.answer(422);
    const msg = await publishAll(world, 1);
    await later(world, 60_000);
    return msg;
  },
  'a batch that was split: 422': async world => {
    await change(world, { batch: { max_events: 2, max_bytes: 10_000 } });
    world.answer(422);
    const msg = await publishAll(world, 2);
    await later(world, 1_000);
    return msg;
  },
  'a batch that failed twice: 503': async world => {
    await change(world, { batch: { max_events: 2, max_bytes: 10_000 } });
    world.answer(503);
    const msg = await publishAll(world, 2);
    await later(world, 10_000);
    return msg;
  },
  'a poison at a quiet endpoint: 500, ten times': async world => {
    world.answer(500);
    await change(world, { schedule: Array.from({ length: 9 }, () => 5) });
    const msg = await publishAll(world, 1);
    // The holds of its breaker are longer than the waits.
    for (let hour = 0; hour < 20; hour++) await later(world, 3_600_000);
    return msg;
  },
  'a head that was given up: 500, for longer than head_of_line_hours': async world => {
    await change(world, { ordered: true, head_of_line_hours: 1 });
    world.answer(500);
    const msg = await publishAll(world, 1);
    for (let hour = 0; hour < 3; hour++) await later(world, 3_600_000);
    return msg;
  },
  'sent again after its death': async world => {
    const { app, ep, call, settle, answer } = world;
    await change(world, { schedule: [5] });
    answer(422);
    const msg = await publishAll(world, 1);
    await later(world, 60_000);
    answer(200);
    await call(`POST ${E}/deliveries/{msg}/replay`, { app, ep, msg }, { request_id: 'r1' });
    await settle();
    return msg;
  },
  'its body was erased while it waited': async world => {
    const { app, ep, call } = world;
    await call(`POST ${E}/pause`, { app, ep }, {});
    const msg = await publishAll(world, 1);
    await call('DELETE /v1/apps/{app}/messages/{msg}/body', { app, msg });
    await call(`POST ${E}/resume`, { app, ep }, {});
    await world.settle();
    return msg;
  },
  'a broadcast, after another customer of it was erased': async world => {
    const { call, publish, settle, pass, ports, clock } = world;
    await call('POST /v1/apps', {}, { name: 'all', uid: 'broadcast' });
    const other = (await call('POST /v1/apps', {}, { name: 'other' })).body.id;
    const theirs = await call('POST /v1/apps/{app}/endpoints', { app: other }, { url: 'https://other.customer.com/' });
    await call(`POST ${E}/pause`, { app: other, ep: theirs.body.id }, {});
    const { id } = (await publish(undefined, '{"key":"b","type":"a","data":1}')).body;
    await settle();
    await call('DELETE /v1/apps/{app}', { app: other }, undefined, { erase: 'true' });
    for (let minute = 0; minute < 40; minute++) {
      await eraseSome(ports, 30 * DAY_MS, clock.now() + 45_000);
      pass(60_000);
    }
    return id;
  },
};

/** Undefined: there is no message, and what is shown is that nothing is there. */
const MORE: Readonly<Record<string, (world: World) => Promise<MessageId | undefined>>> = {
  'its URL was changed and its secret rotated without grace while it failed': async world => {
    const { app, ep, call, answer } = world;
    answer(500);
    const msg = await publishAll(world, 1);
    await change(world, { url: 'https://new.customer.com/in' });
    await call(`POST ${E}/secret/rotate`, { app, ep }, { grace_seconds: 0 });
    answer(200);
    await later(world, 60_000);
    return msg;
  },
  'a broadcast whose walk was lost, and found by the recheck': async world => {
    const { app, ep, call, publish, settle, pass, ports, clock, jobs } = world;
    await call('POST /v1/apps', {}, { name: 'all', uid: 'broadcast' });
    const { id } = (await publish(undefined, '{"key":"b","type":"a","data":1}')).body;
    jobs.length = 0;
    const before = await call(`GET ${E}/deliveries`, { app, ep });
    assert.deepEqual(before.body.data, []);
    pass(3_600_000);
    const withEndpoints = { ...ports, endpoints: endpointsOf(ports.store) };
    await reconcileMessages(withEndpoints, {
      span: spanAt(clock.now(), undefined),
      place: undefined,
      until: clock.now() + 45_000,
    });
    assert.equal(jobs.length, 1);
    await settle();
    return id;
  },
  'a publish that was refused, and its body with it': async world => {
    const { app, call, publish } = world;
    await call('PATCH /v1/apps/{app}', { app }, { limits: { payload_bytes: 1_024 } });
    const refused = await publish(app, `{"key":"k","type":"a","data":"${'x'.repeat(2_000)}"}`);
    assert.equal(refused.status, 413);
    return undefined;
  },
};

export async function recordTroubles(): Promise<Json> {
  const all: [string, Json][] = [];
  for (const [name, happens] of Object.entries({ ...TROUBLES, ...MORE }))
    all.push([name, await look(await withEndpoint(), happens)]);
  return Object.fromEntries(all);
}

async function look(world: World, happens: (world: World) => Promise<MessageId | undefined>): Promise<Json> {
  const { app, ep, call, askPortal } = world;
  const msg = await happens(world);
  if (msg === undefined) {
    const { data } = await askPortal(`GET ${E}/deliveries`, { app, ep });
    return {
      portal: {
        deliveries: data,
        health: masked(short(await askPortal(`GET ${E}/health`, { app, ep })), { [ep]: 'ep_…' }),
      },
    };
  }
  const asked = {
    delivery: 'GET /v1/apps/{app}/messages/{msg}/deliveries',
    attempts: `GET ${E}/deliveries/{msg}/attempts`,
    health: `GET ${E}/health`,
  } as const;
  const shown: Record<string, unknown> = {};
  const hidden: Record<string, unknown> = {};
  for (const [name, route] of Object.entries(asked)) {
    const mine = firstOf((await call(route, { app, ep, msg })).body);
    const theirs = firstOf(await askPortal(route, { app, ep, msg }));
    shown[name] = short(theirs);
    const more = Object.keys(mine ?? {}).filter(field => theirs?.[field] === undefined);
    if (more.length > 0) hidden[name] = more;
  }
  return masked({ portal: shown, api_has_more: hidden }, { [msg]: 'msg_…', [ep]: 'ep_…' }) as Json;
}
/** Of a list the last one. */
const firstOf = (body: { readonly data?: readonly Told[] } & Told): Told | undefined =>
  Array.isArray(body.data) ? body.data.at(-1) : body;

/** Without headers and bodies, which the guides show, and without what is null. */
function short(value: Told | undefined): Told | undefined {
  if (value === undefined) return undefined;
  const { request: _, response: __, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).filter(([, each]) => each !== null));
}

function masked(value: unknown, names: Readonly<Record<string, string>>): unknown {
  const text = Object.entries(names).reduce((shown, [id, name]) => shown.replaceAll(id, name), JSON.stringify(value));
  return JSON.parse(text);
}
