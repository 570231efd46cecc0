/** Replay jobs beside one another: however many there are and whatever one endpoint does, each goes on. */
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { deadListed, messageKey, recordKey } from '#core/outbound/protocol/keys.ts';
import { runReplayJobs } from '#core/outbound/replay/replay-job.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';
const JOBS = 'GET /v1/replay-jobs';

/** An application with endpoints that have so many dead deliveries each. */
async function withDead(world: ReturnType<typeof producerWorld>, name: string, dead: readonly number[]) {
  const { call, store, clock } = world;
  const app = (await call('POST /v1/apps', {}, { name })).body.id as AppId;
  const eps: EndpointId[] = [];
  for (const [at, many] of dead.entries()) {
    const url = `https://${name}${at}.customer.com/in`;
    const ep = (await call('POST /v1/apps/{app}/endpoints', { app }, { url })).body.id as EndpointId;
    eps.push(ep);
    for (let n = 0; n < many; n++) {
      const msg = `msg_${name}${at}n${n}` as MessageId;
      const createdAt = clock.now() - 1_000 - n;
      const body = world.ports.codec.deflate(new TextEncoder().encode('{}'));
      const about = {
        id: msg,
        app,
        type: 'a',
        mode: 'live',
        createdAt,
        inputSha: '',
        size: 2,
        body,
        expiresAt: 4e9,
      } as const;
      await store.put({ kind: 'put', key: messageKey(msg), item: about });
      const record = {
        gen: 1,
        status: 'dead',
        attempts: 3,
        type: 'a',
        app,
        endedAt: createdAt,
        expiresAt: 4e9,
      } as const;
      const item = { ...record, ...deadListed(ep, createdAt, msg) };
      await store.put({ kind: 'put', key: recordKey({ ep, msg, createdAt }), item });
    }
  }
  return { app, eps };
}
const start = async ({ call }: ReturnType<typeof producerWorld>, app: string): Promise<string> =>
  (await call('POST /v1/replay-jobs', {}, { app, rate_per_second: 1_000 })).body.id;
const stateOf = async ({ call }: ReturnType<typeof producerWorld>, job: string): Promise<Json> =>
  (await call('GET /v1/replay-jobs/{job}', { job })).body;

it('begins at once when it is resumed: nobody waits for the next minute', async () => {
  const world = producerWorld();
  const { app } = await withDead(world, 'acme', [2]);
  const job = await start(world, app);
  await world.call('POST /v1/replay-jobs/{job}/pause', { job }, {});
  const told: unknown[] = [];
  const ports = { ...world.ports, jobs: { send: async (jobs: readonly unknown[]) => void told.push(...jobs) } };
  const request = { route: 'POST /v1/replay-jobs/{job}/resume', path: { job }, query: {}, body: '{}' } as const;
  const { status } = await answerApi({ ...request, caller: 'arn:test', ports, rules: world.rules });
  expect([status, told]).toEqual([200, [{ v: 1, replay: job }]]);
});

it('runs a job beside one that fails by a bug, whichever is listed first', async () => {
  const world = producerWorld();
  const { app, eps } = await withDead(world, 'broken', [1]);
  const { app: other } = await withDead(world, 'other', [1]);
  const { app: third } = await withDead(world, 'third', [1]);
  const query = world.store.query.bind(world.store);
  world.store.query = async asked => {
    if (JSON.stringify(asked).includes(`${eps[0]}`)) throw new RangeError('a bug');
    return query(asked);
  };
  const before = await start(world, other);
  const broken = await start(world, app);
  const after = await start(world, third);
  await expect(world.minute()).rejects.toThrow('a bug');
  for (const sound of [before, after]) expect((await stateOf(world, sound)).state).toBe('done');
  expect((await stateOf(world, broken)).state).toBe('running');
});

it('throws a bug of one job before what a later one could not reach', async () => {
  const world = producerWorld();
  const { app, eps } = await withDead(world, 'broken', [1]);
  const { app: other, eps: others } = await withDead(world, 'other', [1]);
  const asked: string[] = [];
  const query: ItemStore['query'] = async range => {
    if (JSON.stringify(range).includes(`${eps[0]}`)) {
      asked.push('broken');
      throw new RangeError('a bug');
    }
    if (JSON.stringify(range).includes(`${others[0]}`)) {
      asked.push('unreachable');
      throw new DependencyError('dynamodb', 'no answer');
    }
    return world.store.query(range);
  };
  const store = Object.assign(Object.create(world.store), { query }) as ItemStore;
  await start(world, app);
  world.pass(1);
  await start(world, other);
  const run = () => runReplayJobs({ ...world.ports, store }, world.rules, world.clock.now() + 40_000);
  await expect(run()).rejects.toThrow('a bug');
  expect(asked).toEqual(['broken', 'unreachable']);
});

it('runs a job whatever number of others is over', async () => {
  const world = producerWorld();
  const { app } = await withDead(world, 'acme', [1]);
  for (let n = 0; n < 250; n++) await start(world, app);
  await world.minute();
  await world.minute();
  const last = await start(world, app);
  await world.minute();
  expect((await stateOf(world, last)).state).toBe('done');
});

it('lists those that are under way first, then those that are over, in pages of any size', async () => {
  const world = producerWorld();
  const { app } = await withDead(world, 'acme', []);
  const made: string[] = [];
  for (let n = 0; n < 5; n++) {
    made.push(await start(world, app));
    world.pass(1);
  }
  await world.call('POST /v1/replay-jobs/{job}/pause', { job: made[1] ?? '' }, {});
  await world.minute();
  world.pass(1);
  made.push(await start(world, app));
  const wanted = [5, 1, 4, 3, 2, 0].map(at => made[at]);
  for (const limit of [1, 2, 3, 5, 50]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query = { limit: String(limit), ...(cursor === null ? {} : { cursor: cursor as string }) };
      const page: Json = (await world.call(JOBS, {}, undefined, query)).body;
      expect(page.data.length).toBeLessThanOrEqual(limit);
      seen.push(...page.data.map((job: Json) => job.id));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen, `in pages of ${limit}`).toEqual(wanted);
  }
  // Those that are over fill the page that those under way leave room in.
  const { data, cursor } = (await world.call(JOBS, {}, undefined, { limit: '7' })).body;
  expect([data.length, cursor]).toEqual([6, null]);
});

it('asks for no rows at all where the jobs under way fill the page to its last place', async () => {
  const world = producerWorld();
  const { app } = await withDead(world, 'acme', []);
  for (let n = 0; n < 2; n++) await start(world, app);
  const asked: (number | undefined)[] = [];
  const query: ItemStore['query'] = async range => {
    asked.push(range.limit);
    // A store may know that nothing comes behind a full page.
    return { items: (await world.store.query(range)).items };
  };
  const ports = { ...world.ports, store: Object.assign(Object.create(world.store), { query }) as ItemStore };
  const request = { route: JOBS, path: {}, query: { limit: '2' }, body: undefined, caller: 'arn:test' } as const;
  const { status, body } = await answerApi({ ...request, ports, rules: world.rules });
  const page = JSON.parse(body) as Json;
  expect([status, page.data.length, typeof page.cursor, asked]).toEqual([200, 2, 'string', [2]]);
});

it("lets nobody's job wait until another customer's is done", async () => {
  const world = producerWorld();
  const large = await withDead(world, 'large', [50, 50, 50, 50]);
  const small = await withDead(world, 'small', [3]);
  await start(world, large.app);
  world.pass(1);
  const theirs = await start(world, small.app);
  // Each call takes 5 ms: the large job needs far longer than the time there is.
  const slow = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        world.pass(5);
        return member.apply(target, given);
      };
    },
  }) satisfies ItemStore;
  const wake = { send: async () => undefined };
  await runReplayJobs({ ...world.ports, store: slow, wake }, world.rules, world.clock.now() + 1_500);
  expect((await stateOf(world, theirs)).state).toBe('done');
  expect((await stateOf(world, theirs)).counts.replayed).toBe(3);
});

it('leaves an endpoint that takes no more for later, and goes on with the others', async () => {
  const world = producerWorld();
  const { app, eps } = await withDead(world, 'acme', [160, 160, 160]);
  // The job comes to it first: it goes by ids, which are random.
  const shut = { app, ep: eps.toSorted()[0] ?? '' };
  await world.call(`POST ${E}/pause`, shut, {});
  const job = await start(world, app);
  // Replays are due by the rate of the job: here time passes by minutes only.
  for (let n = 0; n < 8; n++) await world.minute();
  // A hundred wait at the one that is paused; the others got all of theirs.
  // Looked at before each page, and a page may be short: a hundred, and less than one page more.
  const { state, counts } = await stateOf(world, job);
  expect(state).toBe('running');
  expect(counts.replayed).toBeGreaterThanOrEqual(420);
  expect(counts.replayed).toBeLessThan(470);
  expect(world.sent).toHaveLength(320);
  await world.call(`POST ${E}/resume`, shut, {});
  for (let n = 0; n < 6; n++) await world.minute();
  expect(await stateOf(world, job)).toMatchObject({ state: 'done', counts: { seen: 480, replayed: 480, skipped: 0 } });
  expect(world.sent).toHaveLength(480);
});
