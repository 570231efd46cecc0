import { describe, expect, it } from 'vitest';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { EVENT_STATUSES, type EventKey, type EventStatus, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { FAR, watchShardOf } from '#core/inbound/protocol/event-writes.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { type EventFilter, matchesFilter, readFilter } from '#core/inbound/search/event-filter.ts';
import { CursorError, comparePositions, listEvents, positionOf } from '#core/inbound/search/list-events.ts';
import type { Order } from '#core/inbound/search/read-timeline.ts';
import { HOUR_MS, MINUTE_MS, toHour } from '#core/time.ts';

const NOW = 1_767_571_200_000;
/** How far the sweeper has looked. */
const PASSED_AT = NOW - HOUR_MS;
const SOURCES = ['shop', 'pay', 'quiet'].map(toSourceId);
const TYPES = ['invoice.paid', 'invoice.late', 'order.created', 'ping'];
const CAUSES = ['handler_error', 'schema_changed'];

function makeEvent(n: number, random: SeededRandom): EventItem {
  const source = SOURCES[n % 50 === 0 ? 2 : n % 2] ?? toSourceId('shop');
  // Many events share a millisecond: the order must not depend on it.
  const receivedAt = NOW - 1 - random.int(30 * HOUR_MS) - (n % 7 === 0 ? 0 : random.int(3));
  const pk = toEventPk(source, `evt_${n}` as EventKey);
  const draw = random.next();
  const status: EventStatus =
    draw < 0.9 ? 'completed' : (EVENT_STATUSES[random.int(EVENT_STATUSES.length)] ?? 'completed');
  const dead = status === 'dead_letter';
  const cause = CAUSES[random.int(2)] ?? '';
  const deadAt = Math.min(NOW - 1, receivedAt + random.int(HOUR_MS));
  const open = !isTerminal(status);
  // A new event is watched only once the sweeper has passed it.
  const fresh = (status === 'pending' || status === 'processing') && receivedAt >= PASSED_AT;
  return parseEventItem({
    pk,
    status,
    schemaVersion: 1,
    provider: 'generic',
    eventType: TYPES[random.int(TYPES.length)] ?? 'ping',
    gen: 1,
    run: 1,
    ingestId: `id-${n}`,
    bodySha: 'a'.repeat(64),
    size: 10,
    receivedAt,
    updatedAt: receivedAt,
    attempts: 1,
    resends: 0,
    timelineHour: `${source}#${toHour(receivedAt)}`,
    timelineAt: `${receivedAt}#evt_${n}`,
    ...(open && !fresh
      ? { watchShard: watchShardOf(pk), watchAt: random.chance(0.1) ? FAR : NOW + random.int(HOUR_MS) }
      : {}),
    ...(dead
      ? {
          deadAt,
          deadId: `d-${n}`,
          dlqSent: true,
          cause,
          lastError: `${cause}: x`,
          attentionSource: source,
          attentionAt: `${deadAt}#${cause}#evt_${n}`,
        }
      : {}),
    ...(open || dead ? {} : { completedAt: receivedAt + 5, expiresAt: Math.floor(NOW / 1000) + 86_400 }),
    ...(status === 'processing' ? { owner: 'o', leaseUntil: NOW } : {}),
    ...(status === 'failed' || status === 'deferred' ? { nextAttemptAt: NOW } : {}),
  });
}

/** Counts calls, and has no `scan` at all. */
class CountedStore {
  calls = 0;
  /** Records asked for. */
  keys = 0;
  readonly #store: MemoryEventStore;
  constructor(store: MemoryEventStore) {
    this.#store = store;
  }
  getMany(...args: Parameters<MemoryEventStore['getMany']>) {
    this.calls += 1;
    this.keys += args[0].length;
    return this.#store.getMany(...args);
  }
  watchDue(...args: Parameters<MemoryEventStore['watchDue']>) {
    this.calls += 1;
    return this.#store.watchDue(...args);
  }
  timeline(...args: Parameters<MemoryEventStore['timeline']>) {
    this.calls += 1;
    return this.#store.timeline(...args);
  }
  attention(...args: Parameters<MemoryEventStore['attention']>) {
    this.calls += 1;
    return this.#store.attention(...args);
  }
}

const cursors = JSON.stringify(Object.fromEntries(SOURCES.map(source => [source, PASSED_AT])));
const portsOf = (store: CountedStore) => ({ store, control: { read: async () => ({ value: cursors, version: 1 }) } });

async function makeStore(count: number) {
  const clock = new VirtualClock(NOW);
  const random = new SeededRandom(7);
  const database = new MemoryDatabase({ clock, random, indexLagMs: () => 0, unitsPerPartition: 1e9 });
  database.define(eventsTable('events'));
  const store = new MemoryEventStore(database, 'events');
  const items = Array.from({ length: count }, (_, n) => makeEvent(n, random));
  for (const item of items) await store.insert(item);
  await clock.advanceBy(1);
  return { items, store: new CountedStore(store) };
}

async function allPages(filter: EventFilter, limit: number, order: Order, store: CountedStore) {
  const found: EventItem[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await listEvents(filter, { limit, order, cursor }, portsOf(store));
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== undefined && pages < 5_000);
  return found;
}

const expected = (items: readonly EventItem[], filter: EventFilter, order: Order): string[] =>
  items
    .filter(item => matchesFilter(item, filter))
    .sort((a, b) => comparePositions(positionOf(a), positionOf(b), order))
    .map(item => item.pk);

const day: EventFilter = { sources: SOURCES, since: NOW - 24 * HOUR_MS, until: NOW };

describe('a list of events out of 10,000', async () => {
  const { items, store } = await makeStore(10_000);

  const filters: readonly (readonly [string, EventFilter])[] = [
    ['the last day', day],
    ['one source', { ...day, sources: [toSourceId('quiet')] }],
    ['a short window', { ...day, since: NOW - 90 * MINUTE_MS, until: NOW - 20 * MINUTE_MS }],
    ['a type', { ...day, type: 'order.created' }],
    ['a type by its prefix', { ...day, type: 'invoice.*' }],
    ['open ones', { ...day, statuses: ['pending', 'processing', 'failed', 'deferred'] }],
    ['failed ones', { ...day, statuses: ['failed'] }],
    ['dead letters', { ...day, statuses: ['dead_letter'] }],
    ['dead letters of one cause', { ...day, statuses: ['dead_letter'], cause: 'schema_changed' }],
    ['dead and failed', { ...day, statuses: ['dead_letter', 'failed'] }],
    ['rejected and ignored', { ...day, statuses: ['rejected', 'ignored'] }],
    ['rejected of one type and source', { ...day, statuses: ['rejected'], type: 'ping', sources: [toSourceId('pay')] }],
    ['nothing', { ...day, type: 'no.such.type' }],
  ];

  it('reads each record once where all match, whatever the size of a page', async () => {
    for (const limit of [20, 200, 500]) {
      store.keys = 0;
      const found = await allPages(day, limit, 'newest', store);
      expect(store.keys, `pages of ${limit}`).toBeLessThanOrEqual(found.length * 1.1);
    }
  });

  it.each(filters)('has exactly the matching ones, once each, in both orders: %s', async (_, filter) => {
    for (const order of ['newest', 'oldest'] as const) {
      const wanted = expected(items, filter, order);
      const limit = wanted.length > 1_000 ? 400 : 17;
      const found = await allPages(filter, limit, order, store);
      expect(found.map(it => it.pk)).toEqual(wanted);
    }
  });

  it.each(filters)('answers its first page with few calls: %s', async (_, filter) => {
    store.calls = 0;
    const page = await listEvents(filter, { limit: 50 }, portsOf(store));
    if (page.cursor === undefined) expect(page.items.map(it => it.pk)).toEqual(expected(items, filter, 'newest'));
    expect(store.calls).toBeLessThan(160);
  });

  it('goes through events of the same millisecond with pages of one', async () => {
    const crowded = items.map(it => it.receivedAt).sort((a, b) => a - b)[5_000] ?? NOW;
    const filter = { ...day, since: crowded - 20_000, until: crowded + 20_000 };
    const found = await allPages(filter, 1, 'newest', store);
    expect(found.length).toBeGreaterThan(1);
    expect(found.map(it => it.pk)).toEqual(expected(items, filter, 'newest'));
  });

  it('costs little for a month in which nothing came', async () => {
    store.calls = 0;
    const quiet = { ...day, since: NOW - 60 * 24 * HOUR_MS, until: NOW - 30 * 24 * HOUR_MS };
    expect(await allPages(quiet, 50, 'newest', store)).toEqual([]);
    expect(store.calls).toBeLessThanOrEqual(30 * 24 * 3);
  });

  it.each(['x', 'e30', '!!', Buffer.from('{"at":"1","source":"a"}').toString('base64url')])(
    'refuses %j as a cursor',
    async cursor => {
      await expect(listEvents(day, { limit: 5, cursor }, portsOf(store))).rejects.toThrow(CursorError);
    },
  );
});

describe('the same id at the same moment in every source', () => {
  it.each(['newest', 'oldest'] as const)('comes once per source, %s first, with pages of one', async order => {
    const clock = new VirtualClock(NOW);
    const random = new SeededRandom(3);
    const database = new MemoryDatabase({ clock, random, indexLagMs: () => 0 });
    database.define(eventsTable('events'));
    const memory = new MemoryEventStore(database, 'events');
    const twins = SOURCES.flatMap(source =>
      ['twin', 'other'].map((key): EventItem => {
        const at = { timelineHour: `${source}#${toHour(NOW - 5)}`, timelineAt: `${NOW - 5}#${key}` };
        return { ...makeEvent(1, random), pk: toEventPk(source, key as EventKey), receivedAt: NOW - 5, ...at };
      }),
    );
    for (const item of twins) await memory.insert(item);
    await clock.advanceBy(1);
    const found = await allPages(day, 1, order, new CountedStore(memory));
    expect(found.map(it => it.pk)).toEqual(expected(twins, day, order));
    expect(found).toHaveLength(6);
  });
});

describe('more dead letters than an index page can hold', () => {
  it('are found through the timeline', async () => {
    const clock = new VirtualClock(NOW);
    const random = new SeededRandom(3);
    const database = new MemoryDatabase({ clock, random, indexLagMs: () => 0, unitsPerPartition: 1e9 });
    database.define(eventsTable('events'));
    const memory = new MemoryEventStore(database, 'events');
    const source = toSourceId('shop');
    const base = makeEvent(1, random);
    for (let n = 0; n < 10_200; n++) {
      const receivedAt = NOW - 1 - n * 100;
      const pk = toEventPk(source, `evt_${n}` as EventKey);
      const attentionAt = `${NOW}#x#evt_${n}`;
      const dead = { deadAt: NOW, deadId: 'd', dlqSent: true, cause: 'x', lastError: 'x: y', attentionSource: source };
      const hour = { timelineHour: `${source}#${toHour(receivedAt)}`, timelineAt: `${receivedAt}#evt_${n}` };
      await memory.insert(
        parseEventItem({ ...base, pk, status: 'dead_letter', receivedAt, ...hour, ...dead, attentionAt }),
      );
    }
    await clock.advanceBy(1);
    const filter: EventFilter = { ...day, sources: [source], statuses: ['dead_letter'] };
    const page = await listEvents(filter, { limit: 100 }, portsOf(new CountedStore(memory)));
    expect(page.items.map(it => it.pk)).toEqual(Array.from({ length: 100 }, (_, n) => `shop#evt_${n}`));
    expect(page.cursor).toBeDefined();
  });
});

describe('a filter as a person writes it', () => {
  it('means the last day, all sources and every status when nothing is said', () => {
    expect(readFilter({}, SOURCES, NOW)).toEqual({
      kind: 'filter',
      filter: { sources: SOURCES, since: NOW - 24 * HOUR_MS, until: NOW },
    });
  });

  it('means dead letters when it names a cause and no status', () => {
    const read = readFilter({ cause: 'handler_error', since: '7d', until: '2026-01-04T12:00Z' }, SOURCES, NOW);
    expect(read).toMatchObject({
      filter: { statuses: ['dead_letter'], since: NOW - 7 * 24 * HOUR_MS, until: Date.UTC(2026, 0, 4, 12) },
    });
    expect(readFilter({ cause: 'x', status: 'failed, deferred' }, SOURCES, NOW)).toMatchObject({
      filter: { statuses: ['failed', 'deferred'] },
    });
  });

  it('tells of everything wrong at once, with what is allowed and what to do', () => {
    const read = readFilter({ source: 'shpo', status: 'dead', since: 'yesterday', type: '*' }, SOURCES, NOW);
    expect(read.kind === 'wrong' && read.problems.map(it => it.path)).toEqual(['source', 'status', 'type', 'since']);
    expect(read).toMatchObject({
      problems: [{ given: '"shpo"', allowed: 'shop, pay, quiet', fix: 'did you mean shop?' }, {}, {}, {}],
    });
  });

  it('refuses a window that ends before it begins', () => {
    expect(readFilter({ since: '1h', until: '2h' }, SOURCES, NOW)).toMatchObject({ kind: 'wrong' });
  });
});
