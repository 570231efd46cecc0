/** Bulk replay in the whole product in memory: exactly the previewed events, once each, whatever dies at whatever call. */
import { describe, expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { given } from '#core/given.ts';
import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import {
  cancelReplayJob,
  createReplayJob,
  listReplayJobs,
  previewReplay,
  type ReplayJobRequest,
  readReplayJob,
} from '#core/inbound/replay/replay-job.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { FAULTS, type Fault, type FaultPlan } from '#test/kit/memory/faults.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, MemoryWorld, PAYLOADS, type WorldOptions } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

/** A world in which every event whose id begins with `bad` dies until somebody fixes the handler. */
class Incident {
  readonly world: MemoryWorld;
  readonly control: MemoryControlStore;
  readonly store: MemoryEventStore;
  /** Calls of the sweeper since `watchCalls`. */
  calls: string[] | undefined;
  faultAt: { n: number; fault: Fault } | undefined;
  fixed = false;
  /** Until then every call of the sweeper fails. */
  brokenUntil = 0;

  constructor(options: WorldOptions = {}) {
    const plan: FaultPlan = call => {
      if (this.calls === undefined) return undefined;
      const n = this.calls.push(call.name);
      if (call.at < this.brokenUntil) return 'error';
      return n === this.faultAt?.n ? this.faultAt.fault : undefined;
    };
    this.world = new MemoryWorld({
      timings: LOCAL_TIMINGS,
      retry: { attempts: 1, baseSeconds: 1, capSeconds: 1 },
      idleMs: 1_000,
      handlers: handlerThat(({ id }) =>
        id.startsWith('bad') && !this.fixed ? Promise.reject(new PermanentError('schema changed')) : undefined,
      ),
      planOf: role => (role === 'sweep' ? plan : () => undefined),
      processOf: role => ({
        stallMs: 3 * MINUTE_MS,
        ...(role === 'sweep' ? { latencyMs: () => ({ there: 1, back: 1 }) } : {}),
      }),
      queue: { visibilitySeconds: 60, duplicateRate: 0 },
      ...options,
    });
    this.control = new MemoryControlStore(this.world.database, EVENTS);
    this.store = new MemoryEventStore(this.world.database, EVENTS);
  }

  get sources() {
    return this.world.sources.map(it => it.id);
  }

  async happen(ids: readonly string[]): Promise<void> {
    this.world.start();
    for (const id of ids) await this.world.post({ id, type: id.startsWith('bad') ? 'order.paid' : 'ping' });
    expect(await this.world.settle()).toBe(true);
    this.fixed = true;
  }

  filter(more: Partial<EventFilter> = {}): EventFilter {
    const now = this.world.clock.now();
    return { sources: this.sources, statuses: ['dead_letter'], since: now - DAY_MS, until: now, ...more };
  }

  async preview(filter: EventFilter, limit?: number): Promise<string[]> {
    const asOf = this.world.clock.now();
    const pages = previewReplay({ filter, asOf, ...given({ limit }) }, this);
    const pks: string[] = [];
    for await (const items of pages) pks.push(...items.map(item => item.pk));
    return pks;
  }

  create(request: Partial<ReplayJobRequest> = {}, control: ControlStore = this.control) {
    const ports = { control, clock: this.world.clock, ids: { uuid: () => '0badcafe-0000' } };
    return createReplayJob(
      { filter: this.filter(), ratePerSecond: 2, by: 'ada', why: 'schema fixed', ...request },
      ports,
    );
  }

  async job(id: string) {
    return (await readReplayJob(id, this.control))?.job;
  }

  async shownAsRunning() {
    return (await listReplayJobs(10, this.control)).filter(job => job.state === 'running');
  }

  /** Lets sweeps come until the job is over. */
  async finish(id: string, limitMs = 60 * MINUTE_MS): Promise<void> {
    const until = this.world.clock.now() + limitMs;
    while ((await this.job(id))?.state === 'running' && this.world.clock.now() < until) {
      await this.world.clock.advanceBy(MINUTE_MS);
    }
  }

  gens(): Record<string, number> {
    return Object.fromEntries(this.world.items().map(it => [it.pk.split('#')[1] ?? '', it.gen]));
  }
}

const BAD = Array.from({ length: 7 }, (_, n) => `bad-${n}`);

describe('a replay job', () => {
  it('replays exactly the previewed events, once, and tells who and why', async () => {
    const incident = new Incident({ sources: ['shop', 'pay'] });
    const { world } = incident;
    world.start();
    for (const source of ['shop', 'pay']) {
      for (const id of [...BAD, 'good-1'])
        await world.post({ id, source, type: id.startsWith('bad') ? 'a.b' : 'ping' });
    }
    await world.settle();
    incident.fixed = true;
    const filter = incident.filter({ sources: [toSourceId('shop')], type: 'a.*', cause: 'permanent' });
    const previewed = await incident.preview(filter);
    expect(previewed).toEqual(BAD.map(id => `shop#${id}`));
    const { id } = await incident.create({ filter, expected: previewed.length });
    await incident.finish(id);
    expect(await incident.job(id)).toMatchObject({ state: 'done', taken: 7, counts: { replayed: 7, changed: 0 } });
    expect(await world.settle()).toBe(true);
    const replayed = world.items().filter(it => it.gen > 1);
    expect(replayed.map(it => it.pk).sort()).toEqual(previewed);
    expect(replayed.every(it => it.gen === 2 && it.status === 'completed' && it.replayId === id)).toBe(true);
    const payloads = new MemoryPayloadStore(world.database, PAYLOADS);
    const note = await payloads.getDetail(toEventPk(toSourceId('shop'), 'bad-0' as EventKey), `N#2#${id}`);
    expect(JSON.parse(note?.detail ?? '')).toMatchObject({ replay: { id, by: 'ada', why: 'schema fixed' } });
    world.stop();
  });

  it('means the events as they were at its preview: later deaths and other replays are left alone', async () => {
    const incident = new Incident();
    const { world } = incident;
    await incident.happen(BAD.slice(0, 3));
    const filter = incident.filter();
    const previewed = await incident.preview(filter);
    const asOf = world.clock.now();
    // After the preview: one more event arrives and dies, and a person replays one that was previewed.
    await world.clock.advanceBy(1_000);
    incident.fixed = false;
    await world.post({ id: 'bad-late' });
    await world.settle();
    incident.fixed = true;
    await world.clock.complete(world.replay('bad-0', { replayId: 'person', by: 'bob', why: 'first' }));
    const { id } = await incident.create({ filter: { ...filter, until: world.clock.now() }, asOf });
    await incident.finish(id);
    await world.settle();
    expect(previewed).toHaveLength(3);
    expect(incident.gens()).toEqual({ 'bad-0': 2, 'bad-1': 2, 'bad-2': 2, 'bad-late': 1 });
    expect(world.item('bad-0')?.replayId).toBe('person');
    world.stop();
  });

  it('takes the oldest events up to its limit, as its preview does', async () => {
    const incident = new Incident();
    await incident.happen(BAD);
    const previewed = await incident.preview(incident.filter(), 3);
    const { id } = await incident.create({ limit: 3 });
    await incident.finish(id);
    await incident.world.settle();
    expect(previewed).toEqual(['default#bad-0', 'default#bad-1', 'default#bad-2']);
    expect(
      incident.world
        .items()
        .filter(it => it.gen > 1)
        .map(it => it.pk)
        .sort(),
    ).toEqual(previewed);
    incident.world.stop();
  });

  it('stops when it is canceled, and counts what it did until then', async () => {
    const incident = new Incident();
    await incident.happen(BAD);
    const { id } = await incident.create({ ratePerSecond: 1 });
    const { world, control } = incident;
    while (((await incident.job(id))?.taken ?? 0) === 0) await world.clock.advanceBy(500);
    const ports = { control, clock: world.clock };
    expect(await cancelReplayJob(id, 'bob', ports)).toMatchObject({ kind: 'canceled' });
    await world.clock.advanceBy(10 * MINUTE_MS);
    await world.settle();
    const job = await incident.job(id);
    const replayed = world.items().filter(it => it.gen === 2).length;
    expect(job).toMatchObject({ state: 'canceled', canceledBy: 'bob', counts: { replayed } });
    expect(replayed).toBeLessThan(BAD.length);
    expect(await cancelReplayJob(id, 'bob', ports)).toMatchObject({ kind: 'already_over' });
    expect(await cancelReplayJob('rj-none', 'bob', ports)).toEqual({ kind: 'not_found' });
    expect((await listReplayJobs(5, control)).map(it => it.id)).toEqual([id]);
    // An older version wrote the word with two l.
    const stored = await control.read(`job#${id}`);
    await control.write(`job#${id}`, String(stored?.value).replaceAll('canceled', 'cancelled'), stored?.version ?? 0);
    expect(await incident.job(id)).toMatchObject({ state: 'canceled', canceledBy: 'bob' });
    world.stop();
  });

  const MANY = isLongRun() ? 2_400 : 600;
  it(`goes through ${MANY} events at its rate over several runs`, { timeout: 120_000 }, async () => {
    const ratePerSecond = MANY / 48;
    const incident = new Incident();
    const ids = Array.from({ length: MANY }, (_, n) => `bad-${n}`);
    incident.world.start();
    for (let at = 0; at < ids.length; at += 100) {
      await incident.world.clock.complete(
        Promise.all(ids.slice(at, at + 100).map(id => incident.world.deliver({ id }))),
      );
      await incident.world.clock.advanceBy(2_000);
    }
    expect(await incident.world.settle()).toBe(true);
    incident.fixed = true;
    const sentAt: number[] = [];
    incident.world.main.onSent = (_, { groupId }) => {
      if (groupId?.startsWith('replay#')) sentAt.push(incident.world.clock.now());
    };
    const { id } = await incident.create({ ratePerSecond });
    await incident.finish(id);
    expect(await incident.job(id)).toMatchObject({ state: 'done', counts: { replayed: MANY, changed: 0, gone: 0 } });
    const tookMs = (sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0);
    expect(tookMs, '48 s, and the wait for the next run').toBeLessThanOrEqual(48_000 + 15_000);
    expect(await incident.world.settle()).toBe(true);
    expect(incident.world.items().every(it => it.gen === 2 && it.status === 'completed')).toBe(true);
    const perSecond = new Map<number, number>();
    for (const at of sentAt) perSecond.set(Math.floor(at / 1_000), (perSecond.get(Math.floor(at / 1_000)) ?? 0) + 1);
    expect(sentAt.length).toBe(MANY);
    const [late, batch] = [1.5, 10];
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(late * ratePerSecond * (4 / 3) + batch);
    expect(incident.world.dead.numbers().visible).toBe(0);
    incident.world.stop();
  });

  it('goes at half its rate while live traffic is waiting', async () => {
    const rates: number[] = [];
    for (const waiting of [false, true]) {
      const incident = new Incident();
      await incident.happen(BAD);
      incident.world.mapping.disable();
      for (let n = 0; waiting && n < 10; n++) incident.world.main.send('{}', { groupId: 'live' });
      const sentAt: number[] = [];
      incident.world.main.onSent = () => sentAt.push(incident.world.clock.now());
      const { id } = await incident.create({ ratePerSecond: 4 });
      await incident.finish(id);
      rates.push((sentAt.length - 1) / ((Math.max(...sentAt) - Math.min(...sentAt)) / 1_000));
      incident.world.stop();
    }
    const [free = 0, behind = 0] = rates;
    expect(free).toBeGreaterThan(1.7 * behind);
  });
});

describe('a creator that dies', () => {
  it.each([1, 2])('before its write %i leaves no job that is shown and not carried out', async number => {
    const incident = new Incident();
    await incident.happen(BAD);
    const { control } = incident;
    let writes = 0;
    const dying: ControlStore = {
      read: name => control.read(name),
      list: prefix => control.list(prefix),
      write: (...args) => (++writes === number ? Promise.reject(new Error('killed')) : control.write(...args)),
    };
    await expect(incident.create({}, dying)).rejects.toThrow('killed');
    await incident.world.clock.advanceBy(10 * MINUTE_MS);
    expect(await incident.shownAsRunning()).toEqual([]);
  });
});

describe('a sweeper that fails in the middle of a job', () => {
  async function run(faultAt: { n: number; fault: Fault } | undefined): Promise<{ calls: string[]; wrong: string[] }> {
    const incident = new Incident();
    const { world } = incident;
    await incident.happen(BAD);
    const job = await incident.create();
    incident.calls = [];
    incident.faultAt = faultAt;
    await incident.finish(job.id);
    const { calls } = incident;
    incident.calls = undefined;
    const settled = await world.settle();
    // A process that froze goes on long after the others are done.
    if (faultAt?.fault === 'stall') await world.clock.advanceBy(10 * MINUTE_MS);
    const again = await world.settle();
    world.stop();
    const wrong: string[] = [];
    if (!settled || !again) wrong.push('never comes to rest');
    for (const id of BAD) {
      const item = world.item(id);
      if (item?.gen !== 2) wrong.push(`${id} is in generation ${item?.gen}, not 2`);
      if (item?.status !== 'completed' || world.effects(id) !== 1) wrong.push(`${id} has ${world.effects(id)} effects`);
    }
    const done = await incident.job(job.id);
    if (done?.state !== 'done' || done.counts.replayed !== BAD.length) {
      wrong.push(`the job is ${done?.state} with ${JSON.stringify(done?.counts)}`);
    }
    return { calls, wrong };
  }

  // HOLDFAST_LONG=1 takes every kind at every call; otherwise one at each, in turn.
  it('still replays each event exactly once, with faults at each of its calls', async () => {
    const base = await run(undefined);
    expect(base.wrong).toEqual([]);
    const last = base.calls.lastIndexOf('control.write');
    expect(base.calls.slice(0, last).filter(name => name === 'store.update').length).toBeGreaterThanOrEqual(14);
    const complaints: Record<string, string[]> = {};
    for (let n = 1; n <= last + 1; n++) {
      for (const fault of isLongRun() ? FAULTS : FAULTS.filter((_, kind) => kind === n % FAULTS.length)) {
        const { wrong } = await run({ n, fault });
        if (wrong.length > 0) complaints[`${fault} at call ${n} (${base.calls[n - 1]})`] = wrong;
      }
    }
    expect(complaints).toEqual({});
  });

  it('goes on in the same run after eight seconds in which every call failed', async () => {
    const incident = new Incident();
    const { world } = incident;
    await incident.happen(BAD);
    const job = await incident.create();
    incident.calls = [];
    while (!incident.calls.includes('queue.send')) await world.clock.advanceBy(100);
    const begunAt = world.clock.now();
    incident.brokenUntil = begunAt + 8_000;
    while ((await incident.job(job.id))?.state === 'running') await world.clock.advanceBy(500);
    expect(world.clock.now() - begunAt).toBeLessThan(20_000);
    expect(await incident.job(job.id)).toMatchObject({ state: 'done', counts: { replayed: BAD.length } });
    expect(await world.settle()).toBe(true);
    world.stop();
  });

  it('replays once for a job although a person replays in between and the page is repeated', async () => {
    const incident = new Incident();
    const { world } = incident;
    await incident.happen(BAD.slice(0, 4));
    // Whatever is replayed dies again, and so matches the job's filter again.
    incident.fixed = false;
    const job = await incident.create({ ratePerSecond: 4 });
    incident.calls = [];
    // Dies once the first four were replayed, before the outcome is stored.
    const writes = () => incident.calls?.filter(name => name === 'queue.send').length ?? 0;
    for (let waits = 0; writes() < 4 && waits < 20_000; waits++) await world.clock.advanceBy(10);
    incident.faultAt = { n: (incident.calls?.length ?? 0) + 1, fault: 'crash_before' };
    await world.clock.advanceBy(20_000);
    await world.clock.complete(world.replay('bad-2', { replayId: 'person', by: 'bob', why: 'mine' }));
    await incident.finish(job.id);
    await world.settle();
    world.stop();
    expect(incident.gens()).toEqual({ 'bad-0': 2, 'bad-1': 2, 'bad-2': 3, 'bad-3': 2 });
  });
});
