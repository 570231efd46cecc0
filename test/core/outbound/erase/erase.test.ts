/** Erasing one application: nothing of it is left, nothing of another is touched, and the report counts each thing once, whatever fails. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { type ErasePorts, eraseSome } from '#core/outbound/erase/erase.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const RETENTION_MS = 30 * DAY_MS;
const E = '/v1/apps/{app}/endpoints/{ep}';
type World = Awaited<ReturnType<typeof withEndpoint>>;

/** 100 KB that no deflate makes small. */
const noise = (seed: string): string =>
  Array.from({ length: 3_200 }, (_, n) => createHash('sha256').update(`${seed}${n}`).digest('base64')).join('');

/** An application with a bit of everything; its deliveries: two delivered, one of them again, one dead, one that waits. */
async function fill(world: World, app: string, ep: string, uid: string): Promise<void> {
  const { call, publish, settle, answer } = world;
  const more = async (name: string): Promise<string> =>
    (await call('POST /v1/apps/{app}/endpoints', { app }, { url: `https://${name}.customer.com/`, uid: name })).body.id;
  const [gone, paused] = [await more('gone'), await more('paused')];
  for (const [id, types] of [
    [gone, ['gone']],
    [paused, ['held']],
    [ep, ['a', 'large']],
  ] as const)
    await call(`PATCH ${E}`, { app, ep: id }, { types });
  const send = async (key: string, type: string, data = '1'): Promise<string> =>
    (await publish(app, `{"key":"${key}","type":"${type}","data":${data},"max_attempts":1}`)).body.id;
  const sent = await send('k1', 'a');
  await send('k2', 'gone');
  await send('k3', 'large', `"${noise(uid)}"`);
  await settle();
  answer(422);
  await send('k4', 'a');
  await settle();
  answer(200);
  await call(`POST ${E}/deliveries/{msg}/replay`, { app, ep, msg: sent }, { request_id: 'r1' });
  await settle();
  await call(`DELETE ${E}`, { app, ep: gone });
  await call(`POST ${E}/pause`, { app, ep: paused }, {});
  await send('k5', 'held');
  await settle();
  await call('POST /v1/replay-jobs', {}, { app, why: 'test' });
  for (const id of [ep, paused]) await call(`POST ${E}/test`, { app, ep: id }, {});
}

const EXPECTED = {
  ...{ endpoints: 2, secrets: 2, messages: 5, bodies: 1, waiting: 1 },
  ...{ deliveries: 4, attempts: 1, tests: 2, replay_notes: 1, replay_jobs: 1 },
};

async function everything({ store }: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of ['registry', 'outbox'] as const) {
    let cursor: string | undefined;
    do {
      const page = await store.scan(table, { segment: 0, of: 1, ...given({ cursor }) });
      found.push(...page.items.map(item => JSON.stringify(item)));
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return found;
}

/** A fault at the `n`-th call from now: it fails before it acts, or acts and its answer is lost. */
type Fault = readonly [n: number, acts: boolean];
function faulty(world: World, [at, acts]: Fault) {
  let calls = 0;
  const emptied: string[] = [];
  const played = async <T>(work: () => Promise<T>): Promise<T> => {
    const fails = ++calls === at;
    const done = fails && !acts ? undefined : await work();
    if (fails) throw new DependencyError('dynamodb', 'no answer', { outcome: 'unknown' });
    return done as T;
  };
  const store = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function'
        ? (...given: unknown[]) => played(() => Promise.resolve(member.apply(target, given)))
        : member;
    },
  }) as unknown as ItemStore;
  const blobs: ErasePorts['blobs'] = {
    get: key => world.ports.blobs.get(key),
    list: (prefix, cursor) => played(() => world.ports.blobs.list(prefix, cursor)),
    put: (key, bytes) =>
      played(async () => {
        if (bytes.length === 0) emptied.push(key);
        await world.ports.blobs.put(key, bytes);
      }),
  };
  const ports: ErasePorts = { store, blobs, clock: world.clock, ids: world.ports.ids };
  return { ports, emptied, calls: () => calls };
}

/** Runs an erasure to its end as `tend` does, a run each minute; what fails is tried again by the next run. */
async function erased(fault: Fault, dryRun = false) {
  const world = await withEndpoint();
  const { app, ep, call } = world;
  const other = (await call('POST /v1/apps', {}, { name: 'Other', uid: 'other' })).body.id as string;
  const made = await call('POST /v1/apps/{app}/endpoints', { app: other }, { url: 'https://o.customer.com/' });
  await fill(world, app, ep, 'acme');
  await fill(world, other, made.body.id, 'other');
  const before = await everything(world);
  const query = { erase: 'true', ...(dryRun ? { dry_run: 'true' } : {}) };
  const asked = await call('DELETE /v1/apps/{app}', { app: 'uid:acme' }, undefined, query);
  expect(asked.status).toBe(202);
  const { ports, emptied, calls } = faulty(world, fault);
  const report = async (): Promise<Json> =>
    (await call('GET /v1/apps/{app}/erasure', { app }, undefined, dryRun ? { dry_run: 'true' } : {})).body;
  let runs = 0;
  for (; (await report()).finished_at === null; runs++) {
    if (runs > 40) throw new Error(JSON.stringify(await report()));
    await eraseSome(ports, RETENTION_MS, world.clock.now() + 45_000).catch((error: unknown) => {
      if (!(error instanceof DependencyError)) throw error;
    });
    world.pass(60_000);
  }
  return { ...world, other, before, emptied, calls, report: await report() };
}

/** What is wrong with the end of an erasure; empty: nothing. */
async function wrongWith(end: Awaited<ReturnType<typeof erased>>): Promise<readonly string[]> {
  const { app, other, before, report, emptied } = end;
  const after = await everything(end);
  const isReport = (item: string): boolean => item.includes(`"pk":"C#erase#${app}"`);
  // As the report says: a number that goes within the hour.
  const isCounter = (item: string): boolean =>
    item.startsWith('{"pk":"C#test#') &&
    Number(JSON.parse(item).expiresAt) * 1_000 <= Date.parse(report.finished_at) + HOUR_MS;
  const kept = before.filter(item => item.includes(other) || !isOf(before, app, item));
  return [
    ...after
      .filter(item => !isReport(item) && !isCounter(item) && isOf(before, app, item))
      .map(item => `left: ${item.slice(0, 80)}`),
    ...kept.filter(item => !after.includes(item)).map(item => `touched: ${item.slice(0, 80)}`),
    ...(JSON.stringify(report.counts) === JSON.stringify(EXPECTED) ? [] : [JSON.stringify(report.counts)]),
    ...(new Set(emptied).size === 1 ? [] : [`${emptied.length} bodies emptied`]),
  ];
}

/** By its own id, or that of an endpoint or message of it. */
function isOf(before: readonly string[], app: string, item: string): boolean {
  const ids = before.filter(each => each.includes(app)).flatMap(each => each.match(/(?:ep|msg)_[0-9a-z]+/g) ?? []);
  return [app, ...ids].some(id => item.includes(id));
}

it('removes everything of one application, touches nothing of another, and leaves a report', async () => {
  const end = await erased([0, true]);
  expect(await wrongWith(end)).toEqual([]);
  const { report, call, app, publish } = end;
  expect(report).toMatchObject({ application: app, dry_run: false, state: 'erased', phase: 'done', by: 'arn:test' });
  expect(Date.parse(report.finished_at)).toBeGreaterThanOrEqual(Date.parse(report.started_at) + 10 * MINUTE_MS);
  expect(report.stays).toHaveLength(6);
  expect(report.stays[0]).toEqual({
    what: expect.stringContaining('backups'),
    until: new Date(Date.parse(report.finished_at) + 35 * DAY_MS).toISOString(),
  });
  // It is gone for everybody; its name is free, and the report of the old one stays.
  expect((await call('GET /v1/apps/{app}', { app })).status).toBe(404);
  expect((await publish(app, '{"key":"k9","type":"a","data":1}')).status).toBe(404);
  expect((await call('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' })).status).toBe(201);
  expect((await call('GET /v1/apps/{app}/erasure', { app: 'uid:acme' })).status).toBe(404);
  expect((await call('GET /v1/apps/{app}/erasure', { app })).body).toEqual(report);
});

it('counts the same in a dry run, which changes nothing', async () => {
  const end = await erased([0, true], true);
  expect(end.report).toMatchObject({ dry_run: true, state: 'counted', counts: EXPECTED, stays: [] });
  const after = await everything(end);
  expect(after.filter(item => !item.includes('C#erase-dry#')).sort()).toEqual([...end.before].sort());
  expect((await end.publish(end.app, '{"key":"k9","type":"a","data":1}')).status).toBe(202);
});

it('ends the same whichever call fails, before it acts or after', async () => {
  const good = await erased([0, true]);
  const all = Array.from({ length: good.calls() }, (_, n) => n + 1).flatMap(n => [
    [n, false] as const,
    [n, true] as const,
  ]);
  // By default every thirteenth, which meets each phase; the long run plays all.
  const faults = isLongRun() ? all : all.filter((_, n) => n % 13 === 0);
  expect(faults.length).toBeGreaterThan(10);
  for (const fault of faults) expect(await wrongWith(await erased(fault)), `call ${fault}`).toEqual([]);
}, 120_000);
