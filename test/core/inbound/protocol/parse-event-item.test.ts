/**
 * 1. What the writes of the protocol leave, in any order, is whole and has no field of another status.
 * 2. A record without a field of its status, of a later layout or of no known status is `unknown`, and keeps what it has.
 */
import { expect, test } from 'vitest';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { EVENT_STATUSES, type EventKey, type EventStatus, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import type { EventIn, EventItem, OpenEvent } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import * as writes from '#core/inbound/protocol/event-writes.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { DEFAULT_TIMINGS as timings } from '#core/inbound/protocol/timings.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

const rules = { timings, retentionDays: 30, deadRetentionDays: 90 };
const SOURCE = toSourceId('s');
const pk = toEventPk(SOURCE, 'e' as EventKey);
const NEW = {
  pk,
  gen: 1,
  provider: 'generic',
  eventType: 'paid',
  ingestId: 'i',
  bodySha: 'a',
  size: 1,
  receivedAt: 1_767_571_200_000,
};

/** Keys that a status may have beside those of every status; the types demand that none is missing or too much. */
type Own<S extends EventStatus> = {
  readonly [K in keyof EventIn<S> as EventIn<S>[K] & {} extends never ? never : K]-?: true;
};
const EACH = {
  pk: true,
  status: true,
  schemaVersion: true,
  provider: true,
  eventType: true,
  gen: true,
  run: true,
  ingestId: true,
  bodySha: true,
  otherBody: true,
  itemPath: true,
  size: true,
  receivedAt: true,
  eventAt: true,
  reconciled: true,
  updatedAt: true,
  enqueuedAt: true,
  attempts: true,
  recentAttempts: true,
  resends: true,
  lastError: true,
  replayId: true,
  replayedAt: true,
  timelineHour: true,
  timelineAt: true,
  watchShard: true,
  watchAt: true,
  expiresAt: true,
} as const;
const TRIED = { ...EACH, startedAt: true, deferredSince: true, unreadySince: true, splitNext: true } as const;
const RETRYING = { ...TRIED, nextAttemptAt: true, parked: true, waitsFor: true } as const;
const FINISHED = { ...TRIED, completedAt: true, actionTaken: true, result: true } as const;
const DEAD = {
  ...TRIED,
  deadAt: true,
  deadId: true,
  dlqSent: true,
  cause: true,
  attentionSource: true,
  attentionAt: true,
} as const;
const MAY_HAVE: { readonly [S in EventStatus]: Own<S> } = {
  pending: EACH,
  processing: { ...TRIED, owner: true, leaseUntil: true, waitsFor: true },
  failed: RETRYING,
  deferred: RETRYING,
  completed: FINISHED,
  skipped_stale: FINISHED,
  rejected: FINISHED,
  ignored: FINISHED,
  dead_letter: DEAD,
  closed: { ...DEAD, closing: true },
};

const isOpen = (item: EventItem): item is OpenEvent => !isTerminal(item.status);

/** Some write that the record would accept, or not. */
function anyWrite(item: EventItem, now: number, random: SeededRandom): readonly [string, EventUpdate] {
  const by = { pk, claimId: item.status === 'processing' ? item.owner : 'nobody', now };
  const claim = { claimId: `c${now}`, now, leaseUntil: now + 5_000 };
  const deadId = item.status === 'dead_letter' ? item.deadId : 'none';
  const death = { deadId: `d${now}`, cause: 'error', lastError: 'error: x' };
  const note = { recentAttempts: [{ n: 1, at: now, ms: 1, cause: 'error' }], lastError: 'error: y', splitNext: 'p' };
  const soon = writes.retrySoon(by, now + 1, note, timings);
  const final = (['completed', 'skipped_stale', 'rejected', 'ignored'] as const)[random.int(4)] ?? 'completed';
  const request = { replayId: `r${now}`, newKey: random.chance(0.5), force: true, bodySha: 'b' };
  const all: Readonly<Record<string, () => EventUpdate>> = {
    watchUnsent: () => writes.watchUnsent(pk, item.gen, now),
    markEnqueued: () => writes.markEnqueued(pk, item.gen, now),
    claim: () => writes.claim(pk, item.gen, claim, random.chance(0.5), timings),
    parkPaused: () => writes.park(pk, item.gen, writes.pausedPark(now)),
    parkBreaker: () => writes.park(pk, item.gen, writes.breakerPark(now, now + 1, 'h')),
    finish: () => writes.finish(by, final, { actionTaken: 'a', result: '1', ...note }, rules),
    retrySoon: () => soon,
    retryLater: () => writes.retryLater(by, now + 1, note),
    defer: () => writes.asDeferral(soon, { deferredSince: now }),
    unready: () => writes.asDeferral(writes.retryLater(by, now + 1, note), { unreadySince: now }),
    probe: () => writes.asDeferral(soon, { unreadySince: now, waitsFor: 'h' }),
    die: () => writes.die(by, death, note, timings),
    deathDone: () => writes.deathDone(pk, deadId, now, rules),
    close: () => (item.status === 'dead_letter' ? writes.close(item, { by: 'b', why: 'w', at: now }, rules) : soon),
    revive: () => writes.revive(pk, deadId, claim, timings),
    reviveParked: () => writes.reviveParked(pk, deadId, writes.pausedPark(now)),
    replay: () => writes.replay(item, request, now, timings),
    catchUp: () => writes.catchUp(item, { gen: item.gen + 1, bodySha: 'c' }, now, timings),
    rewatch: () => writes.rewatch(item, now),
    countResend: () => writes.countResend(item, now),
    markSwept: () => writes.markSwept(item, now, now),
    unpark: () => writes.unpark(item, now),
    dieUnclaimed: () => (isOpen(item) ? writes.dieUnclaimed(item, now, death, timings) : soon),
  };
  const names = Object.keys(all);
  const name = names[random.int(names.length)] ?? '';
  return [name, all[name]?.() ?? soon];
}

test('what any row of writes leaves is whole, and has no field of another status', async () => {
  const clock = new VirtualClock();
  const random = new SeededRandom(7);
  const applied = new Set<string>();
  const seen = new Set<EventItem['status']>();
  const inserts = [
    writes.pendingItem(NEW, NEW.receivedAt, timings, true),
    writes.staleItem(NEW, NEW.receivedAt, rules),
    writes.claimedItem(NEW, { claimId: 'c', now: NEW.receivedAt, leaseUntil: NEW.receivedAt + 5_000 }, timings),
    writes.parkedItem(NEW, writes.pausedPark(NEW.receivedAt)),
  ];
  for (let walk = 0; walk < 60; walk++) {
    const database = new MemoryDatabase({ clock, random, indexLagMs: () => 0, ttlDelayMs: () => 1e12 });
    database.define(eventsTable('events'));
    const store = new MemoryEventStore(database, 'events');
    let result = await store.insert(inserts[walk % inserts.length] as EventItem);
    for (let step = 0; step < 150 && result.item; step++) {
      const { item } = result;
      if (item.status === 'unknown') throw new Error(`not whole: ${JSON.stringify(item)}`);
      const allowed = MAY_HAVE[item.status];
      expect(Object.keys(item).filter(name => !Object.hasOwn(allowed, name))).toEqual([]);
      seen.add(item.status);
      const [name, update] = anyWrite(item, NEW.receivedAt + (walk * 150 + step) * 10_000, random);
      result = await store.update(update);
      if (result.kind === 'applied') applied.add(name);
    }
  }
  expect([...seen].sort()).toEqual(EVENT_STATUSES.toSorted());
  expect(applied.size).toBe(23);
});

test.each(EVENT_STATUSES)('%s: whole as it is, unknown without a field of its own', status => {
  const item = makeEventItem('s', 'e', { status });
  expect(parseEventItem({ ...item })).toEqual(item);
  const pending = makeEventItem('s', 'e');
  for (const name of Object.keys(item).filter(it => !Object.hasOwn(pending, it))) {
    const { [name as keyof EventItem]: _, ...without } = item;
    for (const broken of [without, { ...item, [name]: null }]) {
      const parsed = parseEventItem(broken);
      // An error is there in other statuses too.
      expect(parsed.status, name).toBe(name === 'actionTaken' ? status : 'unknown');
      expect(parsed).toMatchObject({ ...broken, status: parsed.status });
    }
  }
  for (const schemaVersion of [2, undefined])
    expect(parseEventItem({ ...item, schemaVersion })).toMatchObject({ status: 'unknown', storedStatus: status });
});

test.each(['hibernating', 'toString', '__proto__', undefined])('a status of %s is unknown', status => {
  const item = { ...makeEventItem('s', 'e'), status };
  expect(parseEventItem(item)).toEqual({ ...item, status: 'unknown', storedStatus: String(status) });
});

/** Compiled, never run: `tsc` fails where one of these mixtures type-checks. */
void function mixtures(pending: EventIn<'pending'>, processing: EventIn<'processing'>): readonly unknown[] {
  const dead = {
    deadAt: 1,
    deadId: 'd',
    cause: 'c',
    lastError: 'c: x',
    attentionSource: pending.pk as never,
    attentionAt: 'a',
  };
  // @ts-expect-error a pending event has no owner
  const owned: EventItem = { ...pending, owner: 'o' };
  // @ts-expect-error what is claimed cannot become pending and keep its lease
  const kept: EventItem = { ...processing, status: 'pending' };
  // @ts-expect-error a claim has an end
  const endless: EventItem = { ...pending, status: 'processing', owner: 'o' };
  // @ts-expect-error a retry has a due time
  const undue: EventItem = { ...pending, status: 'failed' };
  // @ts-expect-error a final event says when it ended
  const never: EventItem = { ...pending, status: 'completed' };
  // @ts-expect-error a death says whether its message was sent
  const unsent: EventItem = { ...pending, status: 'dead_letter', ...dead };
  // @ts-expect-error a death has no lease
  const leased: EventItem = { ...pending, status: 'dead_letter', ...dead, dlqSent: true, leaseUntil: 1 };
  // @ts-expect-error a write that ends an event gives it a lifetime
  const kept2: EventUpdate['set'] = { status: 'completed', completedAt: 1 };
  // @ts-expect-error a write that makes an event wait puts it under watch
  const unwatched: EventUpdate['set'] = { status: 'failed', nextAttemptAt: 1 };
  // @ts-expect-error a claim without an end
  const half: EventUpdate['set'] = { status: 'processing', owner: 'o' };
  return [owned, kept, endless, undue, never, unsent, leased, kept2, unwatched, half];
};
