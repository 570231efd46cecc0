/** What customers, producers and receivers do, step by step; each is played with a fault at every call. */

import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import { eraseBodyOf } from '#core/outbound/erase/erase-body.ts';
import { startErase } from '#core/outbound/erase/erasure.ts';
import { disable, enableEndpoint, pause, resume, tryEndpoint } from '#core/outbound/gate/gate.ts';
import { removeBody } from '#core/outbound/protocol/delivery-writes.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';
import type { Publication } from '#core/outbound/publish/publish.ts';
import { deleteEndpoint } from '#core/outbound/registry/endpoints.ts';
import { replayAsNew } from '#core/outbound/replay/replay-as-new.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, noAnswer, type Receiver } from '#test/kit/outbound-world.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';
import type { Journey, Stage } from './stage.ts';

const ok: Receiver = () => answered(200, {}, 'ok');
const gate = (stage: Stage) => ({ by: 'customer', why: 'test', now: stage.world.clock.now() }) as const;
/** Fails `times` times, then succeeds. */
const failing = (times: number, status = 422): Receiver => {
  let n = 0;
  return () => (n++ < times ? answered(status) : answered(200));
};

/** Somebody who hears what the engine tells about its endpoints. */
async function operations({ world }: Stage): Promise<void> {
  await world.createEndpoint(await world.createApplication({ uid: 'operations' }), ok);
}

/** Random letters, so that it stays too large for the table when it is compressed. */
const LETTERS = new SeededRandom(1);
const filler = Array.from({ length: 110_000 }, () => LETTERS.int(36).toString(36)).join('');
const json = new TextEncoder().encode(JSON.stringify({ kind: 'large', filler }));
const LARGE: Publication['content'] = { kind: 'data', json };

/** A fan-out that dies keeps its messages for minutes: the others must not be dead by then. */
const LONG_WAITS = [5, 60, 600, 600, 600];

export const JOURNEYS: readonly Journey[] = [
  {
    name: 'publish, delivered',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'publish without a job, delivered',
    world: { publishes: 'direct' },
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'publish twice',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.publish('k');
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'fan-out of three',
    async play(stage) {
      const eps = [await stage.endpoint(ok), await stage.endpoint(ok), await stage.endpoint(ok)];
      await stage.publish('k');
      for (const ep of eps) stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'failure, retry, delivered',
    async play(stage) {
      const ep = await stage.endpoint(failing(1));
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'dead after three',
    async play(stage) {
      const ep = await stage.endpoint(failing(99));
      await stage.publish('k');
      stage.expect(ep, 'k', 'dead');
    },
  },
  {
    name: 'breaker opens, probe, ramp',
    world: { waits: LONG_WAITS },
    async play(stage) {
      let up = false;
      const ep = await stage.endpoint(() => (up ? answered(200) : answered(503)), { maxConcurrency: 2 });
      const keys = ['a', 'b', 'c', 'd', 'e'];
      for (const key of keys) await stage.publish(key);
      await stage.until(() => stage.world.runtime(ep).opens > 0);
      up = true;
      for (const key of keys) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'our way out is suspected, then delivered',
    async play(stage) {
      const { world } = stage;
      const item = { value: '{}', version: 1, until: world.clock.now() + 10 * MINUTE_MS };
      await world.store.put({ kind: 'put', key: controlKey(EGRESS), item });
      let n = 0;
      const ep = await stage.endpoint(() => (n++ < 2 ? noAnswer('connect') : answered(200)));
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
      // It costs no attempt, so only its own wait keeps it from being asked again at once.
      await stage.until(() => world.requests.length > 1);
      const [first, second] = world.requests;
      const waited = (second?.startedAt ?? 0) - (first?.startedAt ?? 0);
      if (stage.played.length === 0 && waited < 20_000) throw new Error(`it was asked again after ${waited} ms`);
    },
  },
  {
    name: 'two messages get 500, the second is not charged',
    world: { waits: LONG_WAITS },
    async play(stage) {
      let n = 0;
      const ep = await stage.endpoint(() => answered(n++ < 3 ? 500 : 200), { maxConcurrency: 1 });
      for (const key of ['a', 'b']) await stage.publish(key);
      for (const key of ['a', 'b']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'in order: a head that is refused, then the next',
    async play(stage) {
      let first = '';
      const refuse: Receiver = ({ id }) => {
        first ||= id;
        return answered(id === first ? 500 : 200);
      };
      const ep = await stage.endpoint(refuse, { ordered: true });
      await stage.publish('a');
      await stage.until(() => stage.world.requests.length > 0);
      await stage.publish('b');
      stage.expect(ep, 'a', 'dead');
      stage.expect(ep, 'b', 'delivered');
    },
  },
  {
    name: 'gone twice disables; enabled, it goes on',
    async play(stage) {
      let gone = true;
      const ep = await stage.endpoint(() => answered(gone ? 410 : 200));
      await stage.publish('k');
      await stage.until(() => stage.world.runtime(ep).gate === 'disabled', HOUR_MS);
      gone = false;
      await stage.run(stage.world.insist(ports => enableEndpoint(ports, ep, gate(stage), { kind: 'drain' })));
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'pause and resume in mid-session',
    async play(stage) {
      const { clock } = stage.world;
      const ep = await stage.endpoint(() => clock.sleep(3_000).then(() => answered(200)), { maxConcurrency: 1 });
      for (const key of ['a', 'b', 'c']) await stage.publish(key);
      await stage.until(() => stage.world.requests.length > 0);
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      await clock.advanceBy(20_000);
      await stage.run(stage.world.insist(ports => resume(ports, ep, gate(stage))));
      for (const key of ['a', 'b', 'c']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'pause and resume with nothing waiting',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.publish('k');
      await stage.until(() => stage.record(ep, 'k')?.status === 'delivered');
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      await stage.run(stage.world.insist(ports => resume(ports, ep, gate(stage))));
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'disable, enable and drop the backlog',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.run(stage.world.insist(ports => disable(ports, ep, gate(stage))));
      await stage.world.clock.advanceBy(10_000);
      await stage.publish('old');
      await stage.until(() => stage.world.rows(ep).length > 0);
      await stage.run(stage.world.insist(ports => enableEndpoint(ports, ep, gate(stage), { kind: 'drop' })));
      await stage.publish('new');
      stage.expect(ep, 'old', 'dropped');
      stage.expect(ep, 'new', 'delivered');
    },
  },
  {
    name: 'delete with a backlog',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      await stage.publish('a');
      await stage.until(() => stage.world.rows(ep).length > 0);
      await stage.run(
        stage.world.insist(ports =>
          deleteEndpoint(ports, stage.app, ep, { by: 'customer', why: 'test', ...stage.world.rules }),
        ),
      );
      stage.expect(ep, 'a', 'canceled');
    },
  },
  {
    name: 'replay of a delivered one',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      const { id: msg } = await stage.publish('k');
      await stage.until(() => stage.record(ep, 'k')?.status === 'delivered', HOUR_MS);
      const request = { ep, msg, requestId: 'r1', by: 'test' };
      await stage.run(stage.world.insist(ports => replayDelivery(ports, stage.world.rules.retentionMs, request)));
      await stage.run(stage.world.insist(ports => replayDelivery(ports, stage.world.rules.retentionMs, request)));
      await stage.until(() => stage.record(ep, 'k')?.gen === 2);
      stage.expect(ep, 'k', 'delivered');
      if (stage.record(ep, 'k')?.gen !== 2) stage.witness.complaints.push('O10 one replay request, not one generation');
    },
  },
  {
    name: 'an older replay request comes again',
    async play(stage) {
      const ep = await stage.endpoint(ok);
      const { id: msg } = await stage.publish('k');
      await stage.until(() => stage.record(ep, 'k')?.status === 'delivered', HOUR_MS);
      for (const [requestId, gen] of [
        ['first', 2],
        ['second', 3],
        ['first', 3],
      ] as const) {
        const request = { ep, msg, requestId, by: 'test' };
        await stage.run(stage.world.insist(ports => replayDelivery(ports, stage.world.rules.retentionMs, request)));
        const done = () => stage.record(ep, 'k')?.gen === gen && stage.record(ep, 'k')?.status === 'delivered';
        await stage.until(done, HOUR_MS);
      }
      stage.expect(ep, 'k', 'delivered');
      if (stage.record(ep, 'k')?.gen !== 3)
        stage.witness.complaints.push('O10 two replay requests, not two generations');
    },
  },
  {
    name: 'try now, while it is retrying',
    world: { waits: [60, 60] },
    async play(stage) {
      const ep = await stage.endpoint(failing(1));
      const { id: msg } = await stage.publish('k');
      await stage.until(() => stage.record(ep, 'k')?.status === 'retrying', HOUR_MS);
      const request = { ep, msg, requestId: 'r1', by: 'test', now: true };
      await stage.run(stage.world.insist(ports => replayDelivery(ports, stage.world.rules.retentionMs, request)));
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'a replay job',
    tends: true,
    async play(stage) {
      let up = false;
      await operations(stage);
      const ep = await stage.endpoint(() => answered(up ? 200 : 422));
      for (const key of ['a', 'b']) await stage.publish(key);
      const dead = () => ['a', 'b'].every(key => stage.record(ep, key)?.status === 'dead');
      await stage.until(dead, HOUR_MS);
      up = true;
      const now = stage.world.clock.now();
      const job = { ...runningReplayJob(stage.app, now), endpoint: ep };
      await stage.run(stage.world.insist(ports => startReplayJob(ports.store, job).then(() => true)));
      await stage.until(() => ['a', 'b'].every(key => stage.record(ep, key)?.gen === 2), HOUR_MS);
      for (const key of ['a', 'b']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'batch of three',
    async play(stage) {
      const ep = await stage.endpoint(failing(1), { batch: { maxEvents: 3, maxBytes: 100_000 } });
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      for (const key of ['a', 'b', 'c']) await stage.publish(key);
      await stage.until(() => stage.world.rows(ep).length === 3, HOUR_MS);
      await stage.run(stage.world.insist(ports => resume(ports, ep, gate(stage))));
      for (const key of ['a', 'b', 'c']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'a batch that fails twice, while more comes',
    world: { waits: LONG_WAITS },
    async play(stage) {
      const ep = await stage.endpoint(failing(2, 503), { batch: { maxEvents: 3, maxBytes: 100_000 } });
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      for (const key of ['a', 'b']) await stage.publish(key);
      await stage.until(() => stage.world.rows(ep).length === 2, 60 * 60_000);
      await stage.run(stage.world.insist(ports => resume(ports, ep, gate(stage))));
      await stage.until(() => stage.world.requests.length > 0);
      await stage.publish('c');
      for (const key of ['a', 'b', 'c']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'ordered pair',
    async play(stage) {
      const ep = await stage.endpoint(failing(1), { ordered: true });
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      const first = await stage.publish('a');
      await stage.publish('b');
      await stage.until(() => stage.world.rows(ep).length === 2, HOUR_MS);
      await stage.run(stage.world.insist(ports => resume(ports, ep, gate(stage))));
      const done = () => ['a', 'b'].every(key => stage.record(ep, key)?.status === 'delivered');
      await stage.until(done, HOUR_MS);
      const ids = stage.world.requestsTo(ep).map(({ id }) => id);
      const seconds = ids.indexOf(stage.messageOf('b'));
      const good = stage.world
        .requestsTo(ep)
        .findIndex(({ id, answer }) => id === first.id && answer?.kind === 'answered' && answer.status === 200);
      if (seconds >= 0 && good > seconds)
        stage.witness.complaints.push('O11 the second began before the first was final');
      for (const key of ['a', 'b']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'slow lane',
    async play(stage) {
      const { clock } = stage.world;
      const ep = await stage.endpoint(() => clock.sleep(8_000).then(() => answered(200)));
      await stage.publish('a');
      await stage.until(() => stage.record(ep, 'a')?.status === 'delivered', HOUR_MS);
      await stage.publish('b');
      for (const key of ['a', 'b']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'expiry behind a shut gate',
    tends: true,
    world: { retentionMs: HOUR_MS, auditMinutes: 5, idleMs: 30_000 },
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.run(stage.world.insist(ports => pause(ports, ep, gate(stage))));
      await stage.publish('a');
      await stage.until(() => stage.world.rows(ep).length > 0, HOUR_MS);
      await stage.world.clock.advanceBy(3_700_000);
      stage.expect(ep, 'a', 'expired');
    },
  },
  {
    name: 'throttled, then delivered',
    async play(stage) {
      let n = 0;
      const ep = await stage.endpoint(() => (n++ === 0 ? answered(429, { 'retry-after': ['10'] }) : answered(200)));
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'rate-limited endpoint',
    async play(stage) {
      const ep = await stage.endpoint(ok, { rate: { perSecond: 0.2, burst: 1 } });
      for (const key of ['a', 'b']) await stage.publish(key);
      for (const key of ['a', 'b']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'connection reset, retried',
    async play(stage) {
      let n = 0;
      const ep = await stage.endpoint(() => (n++ === 0 ? noAnswer('reset') : answered(200)));
      await stage.publish('k');
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'a large body, and a filter that reads it',
    world: { publishes: 'job' },
    async play(stage) {
      const clause = { path: 'data.kind', op: 'eq', value: 'large' } as const;
      const ep = await stage.endpoint(ok, { filter: { all: [clause] } });
      await stage.publish('k', { content: LARGE });
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'a body is taken away while it waits',
    world: { waits: [60, 60] },
    async play(stage) {
      const ep = await stage.endpoint(failing(99));
      const { id } = await stage.publish('k');
      await stage.until(() => stage.record(ep, 'k')?.status === 'retrying', HOUR_MS);
      const { clock } = stage.world;
      await stage.run(stage.world.insist(({ store }) => store.update(removeBody(id, clock.now())).then(() => true)));
      // The request may be in the air, or its last attempt over, before a person is heard.
      stage.expect(ep, 'k', 'canceled', 'dead');
    },
  },
  {
    name: 'a large message is copied, and its body is erased',
    world: { publishes: 'job' },
    async play(stage) {
      const { world } = stage;
      const ep = await stage.endpoint(ok);
      const { id } = await stage.publish('k', { content: LARGE });
      await stage.until(() => stage.record(ep, 'k')?.status === 'delivered', HOUR_MS);
      stage.expect(ep, 'k', 'delivered');
      await stage.run(world.insist(ports => pause(ports, ep, gate(stage))));
      const request = { ep, msg: id, requestId: 'r1', by: 'test' };
      const copied = await stage.run(world.insist(ports => replayAsNew(ports, world.rules.retentionMs, request)));
      if (copied.kind !== 'published') throw new Error(`the copy: ${JSON.stringify(copied)}`);
      await stage.run(world.insist(ports => eraseBodyOf(ports, world.message(id)).then(copies => `${copies}`)));
      if (world.message(copied.id).bodyRemovedAt === undefined) throw new Error('the copy kept its body');
      await stage.run(world.insist(ports => resume(ports, ep, gate(stage))));
      await stage.until(() => world.record(ep, world.message(copied.id))?.status === 'canceled', HOUR_MS);
      if (world.requestsTo(ep).some(each => each.id === copied.id)) throw new Error('an erased copy was sent');
    },
  },
  {
    name: 'a hold is ended by hand',
    async play(stage) {
      let n = 0;
      const ep = await stage.endpoint(() => (n++ === 0 ? answered(429, { 'retry-after': ['3000'] }) : answered(200)));
      await stage.publish('k');
      await stage.until(() => stage.world.runtime(ep).holdUntil !== undefined);
      await stage.run(stage.world.insist(ports => tryEndpoint(ports, ep, stage.world.clock.now())));
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'operations are told',
    async play(stage) {
      await operations(stage);
      let n = 0;
      const ep = await stage.endpoint(() => answered(200, n++ === 0 ? { 'webhook-delivery': ['disable'] } : {}));
      await stage.publish('k');
      await stage.until(() => stage.world.runtime(ep).gate === 'disabled', HOUR_MS);
      await stage.run(stage.world.insist(ports => enableEndpoint(ports, ep, gate(stage), { kind: 'drain' })));
      stage.expect(ep, 'k', 'delivered');
    },
  },
  {
    name: 'both queues are emptied',
    tends: true,
    world: { publishes: 'job', auditMinutes: 5, idleMs: 30_000 },
    async play(stage) {
      const { jobs, fast, mappings, clock } = stage.world;
      const ep = await stage.endpoint(ok);
      const [fanOut, drain] = mappings;
      fanOut?.disable();
      await stage.publish('a job is lost');
      jobs.purge();
      await clock.advanceBy(60_000);
      fanOut?.enable();
      drain?.disable();
      await stage.publish('a wake-up is lost');
      await stage.until(() => stage.world.rows(ep).length > 0);
      fast.purge();
      await clock.advanceBy(60_000);
      drain?.enable();
      for (const key of ['a job is lost', 'a wake-up is lost']) stage.expect(ep, key, 'delivered');
    },
  },
  {
    name: 'erasure',
    leavesRows: true,
    tends: true,
    world: { retentionMs: HOUR_MS, idleMs: 30_000 },
    async play(stage) {
      const ep = await stage.endpoint(ok);
      await stage.publish('k', { content: LARGE });
      await stage.until(() => stage.record(ep, 'k')?.status === 'delivered', HOUR_MS);
      const { app, world } = stage;
      await stage.run(world.insist(ports => startErase(ports, app, 'test')));
      stage.published.length = 0;
      const left = () => world.items('registry', '').filter(({ pk }) => pk.includes(app) && !pk.startsWith('C#'));
      const rest = () => world.items('outbox', '').filter(item => !item.pk.startsWith('T#'));
      await stage.until(() => left().length + rest().length === 0, 2 * HOUR_MS);
      if (left().length + rest().length > 0)
        stage.witness.complaints.push(`erasure left ${left().length} + ${rest().length} items`);
    },
  },
];
