/** What a person hears of once for each source: the first conflict, the first event that was too old, a handler that only fails. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defineHandlers, type HandlerRegistry } from '#core/handler/handler-contract.ts';
import { CONCERNS_CONTROL, type Concern, decodeConcerns } from '#core/inbound/protocol/concerns.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { tellConcerns } from '#core/inbound/sweep/tell-concerns.ts';
import type { MetricName } from '#core/metrics.ts';
import type { RetryProfile } from '#core/retry/backoff.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { vercel } from '#providers/vercel.ts';
import { EVENTS, MemoryWorld, SECRET } from '#test/kit/memory-world.ts';

const calm = { queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 } };

/** Lets time pass, and says at which minutes from now a metric was counted. */
async function minutesOf(metric: MetricName, world: MemoryWorld, untilMs: number): Promise<number[]> {
  const start = world.clock.now();
  const found: number[] = [];
  let seen = world.telemetry.total(metric);
  for (let ms = MINUTE_MS; ms <= untilMs; ms += MINUTE_MS) {
    while ((world.clock.nextAt() ?? Number.POSITIVE_INFINITY) <= start + ms) await world.clock.runNext();
    await world.clock.advanceTo(start + ms);
    const total = world.telemetry.total(metric);
    for (; seen < total; seen++) found.push(ms / MINUTE_MS);
  }
  return found;
}

function concernsOf(world: MemoryWorld): readonly Concern[] {
  const item = world.database.dump(EVENTS).find(it => String(it['pk']).endsWith(CONCERNS_CONTROL));
  return Object.values(decodeConcerns(item?.['value'] as string | undefined));
}

describe('the first conflict of a source', () => {
  it('is told, of each source by itself, and no more while it goes on', async () => {
    const world = new MemoryWorld({ ...calm, sources: ['a', 'b'] });
    world.start();
    for (const source of ['a', 'b']) for (const n of [1, 2]) await world.post({ source, id: 'evt_1', data: { n } });
    const told = await minutesOf('NewConflict', world, 0);
    await minutesOf('NewConflict', world, 20 * MINUTE_MS).then(it => told.push(...it));
    // One after the other: an alarm that is in ALARM already tells nobody of the second.
    expect(told).toHaveLength(2);
    expect(told[1]! - told[0]!).toBeGreaterThanOrEqual(3);
    expect(concernsOf(world)).toEqual([
      expect.objectContaining({ kind: 'conflict', source: 'a', bodySha: expect.stringMatching(/^[0-9a-f]{64}$/) }),
      expect.objectContaining({ kind: 'conflict', source: 'b' }),
    ]);
    for (const n of [3, 4]) await world.post({ source: 'a', id: `evt_2`, data: { n } });
    expect(await minutesOf('NewConflict', world, 2 * HOUR_MS)).toEqual([]);
    world.stop();
  });

  it('is a first one again after a quiet week', async () => {
    const world = new MemoryWorld({ ...calm, idleMs: HOUR_MS });
    for (const n of [1, 2]) await world.post({ id: 'evt_1', data: { n } });
    const sweep = () => world.clock.complete(world.sweeper.invoke({}));
    await sweep();
    await sweep();
    expect(world.telemetry.total('NewConflict')).toBe(1);
    await world.clock.advanceTo(world.clock.now() + 8 * DAY_MS);
    for (const n of [1, 2]) await world.post({ id: 'evt_2', data: { n } });
    await sweep();
    expect(world.telemetry.total('NewConflict')).toBe(2);
  });
});

describe('the first event of a source that is too old to run', () => {
  it('is told and kept in mind', async () => {
    const world = new MemoryWorld({ ...calm, source: { spec: vercel } });
    world.start();
    for (const id of ['evt_1', 'evt_2']) {
      const rawBody = JSON.stringify({ id, type: 'deployment.created', createdAt: world.clock.now() - 40 * DAY_MS });
      const headers = { 'x-vercel-signature': createHmac('sha1', SECRET).update(rawBody).digest('hex') };
      expect(await world.post({ id, rawBody, headers })).toMatchObject({ status: 200 });
    }
    expect(await minutesOf('NewTooOld', world, 30 * MINUTE_MS)).toHaveLength(1);
    expect(concernsOf(world)).toMatchObject([{ kind: 'too_old', source: 'default', toldAt: expect.any(Number) }]);
    world.stop();
  });
});

const FEW: RetryProfile = { attempts: 2, baseSeconds: 1, capSeconds: 1 };

describe('a handler that only fails, at four events an hour', () => {
  const handlers = (fails: (id: string) => boolean) => (): HandlerRegistry =>
    defineHandlers([
      {
        source: '*',
        type: '*',
        handle: async event => {
          if (fails(event.id)) throw new Error('the handler is broken');
          return { kind: 'done' };
        },
      },
    ]);

  /** Minutes from the first event to the ticket; events come every quarter of an hour. */
  async function minutesToTicket(world: MemoryWorld, hours: number, from = 0): Promise<number[]> {
    const found: number[] = [];
    for (let n = 0; n < 4 * hours; n++) {
      await world.post({ id: `evt_${from + n}` });
      found.push(...(await minutesOf('NewFailingHandler', world, 15 * MINUTE_MS)).map(it => n * 15 + it));
    }
    return found;
  }

  it('is a ticket within twenty minutes, once', async () => {
    const world = new MemoryWorld({ ...calm, handlers: handlers(() => true) });
    world.start();
    const told = await minutesToTicket(world, 2);
    expect(told).toHaveLength(1);
    expect(told[0]).toBeLessThanOrEqual(20);
    expect(concernsOf(world)).toMatchObject([{ kind: 'handler_fails', source: 'default', events: 8 }]);
    world.stop();
  });

  it('is noticed after months of success as well, and forgotten with its next success', async () => {
    let broken = false;
    const world = new MemoryWorld({ ...calm, handlers: handlers(() => broken) });
    world.start();
    expect(await minutesToTicket(world, 2)).toEqual([]);
    broken = true;
    const told = await minutesToTicket(world, 1, 100);
    expect(told).toHaveLength(1);
    expect(told[0]).toBeLessThanOrEqual(20);
    broken = false;
    await minutesToTicket(world, 2, 200);
    expect(concernsOf(world)).toEqual([]);
    world.stop();
  });

  it('is looked for through four days each five minutes, not each minute, once it is known', async () => {
    const looks = new Map<number, number>();
    const planOf = () => (call: { name: string; at: number }) => {
      const minute = Math.floor(call.at / MINUTE_MS);
      if (call.name === 'store.timeline') looks.set(minute, (looks.get(minute) ?? 0) + 1);
      return undefined;
    };
    const world = new MemoryWorld({ ...calm, planOf, handlers: handlers(() => true), retry: FEW });
    world.start();
    await minutesToTicket(world, 1);
    looks.clear();
    await world.clock.advanceBy(HOUR_MS);
    expect([...looks.values()].filter(count => count > 90)).toHaveLength(12);
    expect(concernsOf(world)).toMatchObject([{ kind: 'handler_fails', events: 4 }]);
    world.stop();
  });

  it('is no ticket when it succeeded while another was told', async () => {
    let broken = true;
    const world = new MemoryWorld({ ...calm, sources: ['a', 'b'], handlers: handlers(() => broken) });
    world.start();
    for (const n of [1, 2]) {
      for (const source of ['a', 'b']) await world.post({ source, id: `evt_${n}` });
      // The first is told between two turns.
      if (n === 1) await world.clock.advanceBy(14 * MINUTE_MS);
    }
    while (world.telemetry.total('NewFailingHandler') === 0) await world.clock.advanceBy(10_000);
    expect(concernsOf(world)).toHaveLength(2);
    broken = false;
    await world.post({ source: 'b', id: 'evt_3' });
    expect(await minutesOf('NewFailingHandler', world, HOUR_MS)).toEqual([]);
    world.stop();
  });

  it('is told beside many others, each once, though a run looks only at some', async () => {
    const types = Array.from({ length: 45 }, (_, n) => `type_${n}`);
    const looks = new Map<number, number>();
    const planOf = () => (call: { name: string; at: number }) => {
      const minute = Math.floor(call.at / MINUTE_MS);
      if (call.name === 'store.timeline') looks.set(minute, (looks.get(minute) ?? 0) + 1);
      return undefined;
    };
    const world = new MemoryWorld({ ...calm, planOf, handlers: handlers(() => true), retry: FEW });
    world.start();
    for (const n of [1, 2]) {
      for (const type of types) await world.post({ id: `${type}_${n}`, type });
      await world.clock.advanceBy(15 * MINUTE_MS);
      expect(concernsOf(world).map(it => it.eventType)).toHaveLength(45);
    }
    const told = await minutesOf('NewFailingHandler', world, 4 * HOUR_MS);
    expect(world.telemetry.total('NewFailingHandler')).toBe(45);
    // One after the other, each three minutes or four.
    expect(told.at(-1)).toBeLessThan(45 * 4);
    expect(concernsOf(world).filter(it => it.events === 2 && it.toldAt !== undefined)).toHaveLength(45);
    // Of 20 handlers, and a run beside it.
    expect(Math.max(...looks.values())).toBeLessThan(22 * 97);
    world.stop();
  });

  it('is kept in mind by a run whose time is over', async () => {
    const control = new Map<string, { value: string; version: number }>();
    const conflict = { kind: 'conflict', source: 'a', firstAt: 1, lastAt: 999_999_999, eventId: 'evt_a.2' };
    const clock = { now: () => 1_000_000_000 };
    const counted: string[] = [];
    const telemetry = { log: () => {}, count: (metric: string) => counted.push(metric) } as never;
    const store = { timeline: async () => ({ items: [], cursor: undefined }), getMany: async () => [] } as never;
    const ports = {
      ...{ clock, telemetry, store },
      control: {
        read: async (key: string) => control.get(key),
        write: async (key: string, value: string, version: number) => {
          // Somebody notes a conflict after the run has read.
          if (control.size === 0) control.set(key, { value: JSON.stringify({ 'conflict a': conflict }), version: 1 });
          const isFree = control.get(key)?.version === version;
          if (isFree) control.set(key, { value, version: version + 1 });
          return isFree;
        },
      },
    };
    const failing = [{ source: 'a', eventType: 't', eventId: 'evt_a.1' }];
    await tellConcerns(failing, ports, DEFAULT_TIMINGS, 0);
    expect(Object.values(decodeConcerns(control.get(CONCERNS_CONTROL)?.value))).toEqual([
      { ...failing[0], kind: 'handler_fails', events: 0, firstAt: clock.now(), lastAt: clock.now() },
      conflict,
    ]);
    // Told is only what was looked at in the same run; it has succeeded since.
    const ripe = { ...failing[0], kind: 'handler_fails', events: 2, firstAt: 1, lastAt: 999_999_998 };
    control.set(CONCERNS_CONTROL, { value: JSON.stringify({ 'handler_fails a t': ripe }), version: 9 });
    await tellConcerns([], ports, DEFAULT_TIMINGS, 0);
    expect(control.get(CONCERNS_CONTROL)?.version).toBe(9);
    // One that waits to be looked at is looked at by the next run, not only at its turn.
    const value = JSON.stringify({ 'handler_fails a t': { ...ripe, events: 0 } });
    control.set(CONCERNS_CONTROL, { value, version: 9 });
    await tellConcerns([], ports, DEFAULT_TIMINGS);
    expect([control.get(CONCERNS_CONTROL)?.value, counted]).toEqual(['{}', []]);
  });

  it('is kept in mind beside 199 others; of more the log says how many were left out', async () => {
    const types = Array.from({ length: 210 }, (_, n) => `type_${n}`);
    const world = new MemoryWorld({ ...calm, handlers: handlers(() => true), retry: FEW });
    world.start();
    for (const type of types) await world.post({ id: type, type });
    await world.clock.advanceBy(5 * MINUTE_MS);
    expect(concernsOf(world)).toHaveLength(200);
    expect(world.telemetry.lines.find(({ line }) => line['cause'] === 'too_many_handlers')?.line).toMatchObject({
      left_out: 10,
    });
    world.stop();
  });

  it('is no ticket when single events are bad, or one handler of two works', async () => {
    const world = new MemoryWorld({ ...calm, handlers: handlers(id => Number(/\d+$/.exec(id)?.[0]) % 3 === 0) });
    world.start();
    expect(await minutesToTicket(world, 6)).toEqual([]);
    world.stop();
  });
});
