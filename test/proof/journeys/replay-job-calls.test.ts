/** What a bulk replay asks of AWS: counted calls, each taking a while, so that neither cost nor speed is a guess. */
import { describe, expect, it } from 'vitest';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { type EpochMs, type EventKey, type EventStatus, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { createReplayJob, previewReplay, readReplayJob } from '#core/inbound/replay/replay-job.ts';
import { runReplayJobs } from '#core/inbound/replay/run-replay-jobs.ts';
import { DAY_MS, HOUR_MS, toHour } from '#core/time.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, PAYLOADS } from '#test/kit/memory-world.ts';

const SOURCE = toSourceId('default');
const CALL_MS = 40;
/** As the sweeper leaves it. */
const RUN_MS = 49_500;
const RULES = { timings: DEFAULT_TIMINGS, retentionDays: 30, deadRetentionDays: 90 };

/** Stores that hold this number of finished events, received over six hours, and count every call. */
class Counted {
  readonly clock = new VirtualClock();
  readonly counts: Record<string, number> = {};
  /** What was sent, and when. */
  readonly sent: string[] = [];
  readonly sentAt: number[] = [];
  readonly #database = new MemoryDatabase({
    clock: this.clock,
    random: new SeededRandom(1),
    indexLagMs: () => 0,
    unitsPerPartition: 1e9,
  });
  readonly ports = {
    store: this.#counted('store', new MemoryEventStore(this.#database, EVENTS)),
    payloads: this.#counted('payloads', new MemoryPayloadStore(this.#database, PAYLOADS)),
    control: this.#counted('control', new MemoryControlStore(this.#database, EVENTS)),
    queue: this.#counted('queue', { send: async (body: string) => this.#note(body) }),
    gauge: this.#counted('gauge', { main: async () => ({ visible: 0, hidden: 0, delayed: 0 }) }),
    clock: this.clock,
    timer: { sleep: (ms: number) => this.clock.sleep(ms), limit: () => Promise.reject(new Error('not used')) },
    telemetry: { count: () => undefined, measure: () => undefined, log: () => undefined },
    ids: { uuid: () => '0badcafe-0000' },
  };

  async fill(count: number, status: EventStatus): Promise<void> {
    this.#database.define(eventsTable(EVENTS));
    this.#database.define(payloadsTable(PAYLOADS));
    const store = new MemoryEventStore(this.#database, EVENTS);
    const payloads = new MemoryPayloadStore(this.#database, PAYLOADS);
    const now = this.clock.now();
    for (let n = 0; n < count; n++) {
      const item = finished(n, now - 60_000 - Math.floor((n / count) * 6 * HOUR_MS), status);
      await store.insert(item);
      const { pk, bodySha } = item;
      await payloads.putBody({ pk, sk: `B#${bodySha}`, expiresAt: 1, bytes: new Uint8Array(1), headers: {} });
    }
    await this.clock.advanceBy(1);
  }

  /** A job over them all. */
  async create(status: EventStatus, ratePerSecond: number): Promise<string> {
    const filter = { sources: [SOURCE], statuses: [status], since: this.clock.now() - DAY_MS, until: 1e13 };
    const request = { filter, ratePerSecond, by: 'ada', why: 'schema fixed' };
    return (await this.clock.complete(createReplayJob(request, this.ports))).id;
  }

  /** One run of the sweeper, its calls counted; its seconds. */
  async run(): Promise<number> {
    for (const name of Object.keys(this.counts)) delete this.counts[name];
    const startedAt = this.clock.now();
    await this.clock.complete(runReplayJobs(startedAt + RUN_MS, this.ports, RULES));
    return (this.clock.now() - startedAt) / 1_000;
  }

  /** Runs of the sweeper, one each minute, until the job is done: live events take `busyMs` of each before its turn. Its first one. */
  async finish(id: string, busyMs: number): Promise<EpochMs> {
    const begunAt = this.clock.now() + busyMs;
    for (let startsAt = this.clock.now(); (await this.job(id))?.state === 'running'; startsAt += 60_000) {
      await this.clock.advanceBy(startsAt + busyMs - this.clock.now());
      await this.clock.complete(runReplayJobs(startsAt + RUN_MS, this.ports, RULES));
    }
    return begunAt;
  }

  async job(id: string) {
    return (await this.clock.complete(readReplayJob(id, this.ports.control)))?.job;
  }

  callsOf(prefix: string): number {
    const names = Object.keys(this.counts).filter(name => name.startsWith(prefix));
    return names.reduce((sum, name) => sum + (this.counts[name] ?? 0), 0);
  }

  #note(body: string): void {
    this.sent.push(body);
    this.sentAt.push(this.clock.now());
  }

  #counted<T extends object>(port: string, target: T): T {
    return new Proxy(target, {
      get: (it, property) => {
        const method: unknown = Reflect.get(it, property);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          const name = `${port}.${String(property)}`;
          this.counts[name] = (this.counts[name] ?? 0) + 1;
          await this.clock.sleep(CALL_MS);
          return method.apply(it, args) as unknown;
        };
      },
    });
  }
}

function finished(n: number, receivedAt: number, status: EventStatus): EventItem {
  const key = `evt_${n}` as EventKey;
  const dead = { deadAt: receivedAt + 5, deadId: `d-${n}`, dlqSent: true, cause: 'schema', lastError: 'schema: x' };
  return parseEventItem({
    pk: toEventPk(SOURCE, key),
    status,
    schemaVersion: 1,
    provider: 'generic',
    eventType: 'order.paid',
    gen: 1,
    run: 1,
    ingestId: `id-${n}`,
    bodySha: 'a'.repeat(64),
    size: 1,
    receivedAt,
    updatedAt: receivedAt,
    attempts: 1,
    resends: 0,
    timelineHour: `${SOURCE}#${toHour(receivedAt)}`,
    timelineAt: `${receivedAt}#${key}`,
    ...(status === 'dead_letter'
      ? { ...dead, attentionSource: SOURCE, attentionAt: `${dead.deadAt}#schema#${key}` }
      : {}),
    ...(status === 'completed' ? { completedAt: receivedAt + 5 } : {}),
  });
}

/** The most that were sent within this number of milliseconds. */
function mostWithin(ms: number, sentAt: readonly number[]): number {
  let [from, most] = [0, 0];
  for (const [n, at] of sentAt.entries()) {
    while ((sentAt[from] ?? at) <= at - ms) from += 1;
    most = Math.max(most, n - from + 1);
  }
  return most;
}

describe('the calls of a bulk replay', () => {
  it('of 2,400 dead letters: the index once, five calls an event, at its rate though every call takes 40 ms', {
    timeout: 120_000,
  }, async () => {
    const counted = new Counted();
    await counted.fill(2_400, 'dead_letter');
    const id = await counted.create('dead_letter', 50);
    const seconds = await counted.run();
    expect(await counted.job(id)).toMatchObject({ state: 'done', counts: { replayed: 2_400, changed: 0, gone: 0 } });
    expect(counted.counts).toMatchObject({
      'payloads.raiseBody': 2_400,
      'payloads.putDetail': 2_400,
      'store.update': 4_800,
      'queue.send': 2_400,
      'store.attention': 25,
    });
    expect(counted.callsOf('store.getMany')).toBeLessThanOrEqual(2_400 / 10 + 25);
    expect(counted.callsOf('control') + counted.callsOf('gauge')).toBeLessThanOrEqual(24 * 4);
    expect(counted.callsOf(''), 'nothing else').toBeLessThan(2_400 * 5.2);
    expect(seconds).toBeGreaterThan(47);
    expect(seconds).toBeLessThan(RUN_MS / 1_000);
  });

  it('of a job of two minutes: its rate, whatever part of each minute the sweeper has for it', async () => {
    const counted = new Counted();
    await counted.fill(1_200, 'dead_letter');
    const id = await counted.create('dead_letter', 10);
    const busyMs = 4_000;
    const startedAt = await counted.finish(id, busyMs);
    const { sentAt } = counted;
    const waitMs = 60_000 - RUN_MS + busyMs;
    expect(await counted.job(id)).toMatchObject({ state: 'done', counts: { replayed: 1_200 } });
    expect((sentAt.at(-1) ?? 0) - startedAt).toBeLessThanOrEqual(120_000 + waitMs);
    expect(mostWithin(60_000, sentAt)).toBeLessThanOrEqual(60 * 10 + 10);
    expect(mostWithin(10_000, sentAt)).toBeLessThanOrEqual((10 * 10 * 4) / 3 + 10);
    const ahead = sentAt.findIndex((at, n) => n + 1 > ((at - startedAt) / 1_000) * 10 + 10);
    expect(ahead, 'never more than its rate since it began').toBe(-1);
  });

  it('of a job that two sweepers work at: each event once, no faster', async () => {
    const counted = new Counted();
    await counted.fill(300, 'dead_letter');
    const id = await counted.create('dead_letter', 20);
    const { clock, ports, sentAt } = counted;
    const runs = [0, 700].map(async lateMs => {
      await clock.sleep(lateMs);
      await runReplayJobs(clock.now() + RUN_MS, ports, RULES);
    });
    await clock.complete(Promise.all(runs));
    expect(await counted.job(id)).toMatchObject({ state: 'done', taken: 300, counts: { replayed: 300, changed: 0 } });
    expect(new Set(counted.sent).size).toBe(300);
    expect((sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0)).toBeGreaterThan(300_000 / 20 - 1_000);
    expect(mostWithin(5_000, sentAt)).toBeLessThanOrEqual(5 * 20 + 10);
  });

  it('of a job that is written just after it was looked for: it stays on the list', async () => {
    const counted = new Counted();
    await counted.fill(10, 'dead_letter');
    const id = await counted.create('dead_letter', 50);
    const { clock, ports } = counted;
    let looks = 0;
    const read: typeof ports.control.read = name =>
      name === `job#${id}` && ++looks === 1 ? Promise.resolve(undefined) : ports.control.read(name);
    const control = { read, write: ports.control.write, list: ports.control.list };
    for (let run = 0; run < 2; run++)
      await clock.complete(runReplayJobs(clock.now() + RUN_MS, { ...ports, control }, RULES));
    expect(await counted.job(id)).toMatchObject({ state: 'done', counts: { replayed: 10 } });
  });

  it.each(['dead_letter', 'completed'] as const)(
    'with few events a second, searches no more often: %s',
    async status => {
      const counted = new Counted();
      await counted.fill(1_200, status);
      const id = await counted.create(status, 2);
      await counted.run();
      const { replayed = 0 } = (await counted.job(id))?.counts ?? {};
      expect(replayed).toBeGreaterThan(90);
      const searching = counted.callsOf('store.') - counted.callsOf('store.update') - Math.ceil(replayed / 2);
      expect(searching, JSON.stringify(counted.counts)).toBeLessThanOrEqual(30);
    },
  );

  it('reads the index once for a preview of many pages', async () => {
    const counted = new Counted();
    await counted.fill(2_400, 'dead_letter');
    const asOf = counted.clock.now();
    const filter = { sources: [SOURCE], statuses: ['dead_letter'] as const, since: asOf - DAY_MS, until: asOf };
    const count = async () => {
      let found = 0;
      for await (const items of previewReplay({ filter, asOf }, counted.ports)) found += items.length;
      return found;
    };
    expect(await counted.clock.complete(count())).toBe(2_400);
    expect(counted.callsOf('')).toBeLessThanOrEqual(24 + 25);
  });
});
