/**
 * What a record is after each write: watched while something is owed, with a lifetime once nothing is, and with counts and
 * times of its own generation. What each write demands first is in test/proof/mutants/write-guards.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { holds } from '#core/condition.ts';
import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import type { EventIn, EventItem, OpenEvent } from '#core/inbound/protocol/event-item.ts';
import * as writes from '#core/inbound/protocol/event-writes.ts';
import { DEFAULT_TIMINGS as timings } from '#core/inbound/protocol/timings.ts';
import { DAY_SECONDS } from '#core/time.ts';
import { type Mixture, makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

const NOW = 1_767_571_300_999;
const SECONDS = 1_767_571_300;
const rules = { timings, retentionDays: 30, deadRetentionDays: 90 };
const pk = toEventPk(toSourceId('s'), 'e' as EventKey);
const by = { pk, claimId: 'mine', now: NOW };
const claimBy = { claimId: 'mine', now: NOW, leaseUntil: NOW + 9_000 };
const note = { recentAttempts: [{ n: 1, at: NOW, ms: 1, cause: 'error' }] };
const death = { deadId: 'd', cause: 'no_handler', lastError: 'no_handler: x' };
const replayBy = { replayId: 'r', newKey: false, force: false };
const event = {
  pk,
  gen: 1,
  provider: 'generic',
  eventType: 'paid',
  ingestId: 'i',
  bodySha: 'a',
  size: 1,
  receivedAt: NOW,
};

const item = (more: Mixture = {}): EventItem => makeEventItem('s', 'e', more);
const owned = item({ status: 'processing', owner: 'mine', waitsFor: 'h', watchShard: 's#1', watchAt: 5, attempts: 3 });
const dead = item({ status: 'dead_letter', deadId: 'd', cause: 'no_handler', attempts: 9 }) as EventIn<'dead_letter'>;

/** The record after a write that it accepts. */
function recordAfter(before: EventItem, { condition, set, add, remove = [] }: EventUpdate): Record<string, unknown> {
  expect(holds(condition, { ...before }), 'is accepted').toBe(true);
  const record: Record<string, unknown> = { ...before, ...set };
  for (const [name, by] of Object.entries(add ?? {})) record[name] = Number(record[name] ?? 0) + by;
  for (const name of remove) delete record[name];
  return record;
}

// Holds I8.
describe('when the sweeper looks at an event next', () => {
  const soon = () => writes.retrySoon(by, NOW + 1_000, note, timings);
  const later = () => writes.retryLater(by, NOW + 1_000, note);
  it.each<[string, number, EventItem, () => EventUpdate]>([
    ['not sent: at once', NOW, item(), () => writes.watchUnsent(pk, 1, NOW)],
    ['claimed again: long after its lease', NOW + 609_000, item(), () => writes.claim(pk, 1, claimBy, true, timings)],
    ['to be tried soon: long after that', NOW + 601_000, owned, soon],
    ['to be tried later: then', NOW + 1_000, owned, later],
    ['deferred: as the retry', NOW + 1_000, owned, () => writes.asDeferral(later(), { deferredSince: NOW })],
    [
      'held by a breaker: when it may be tried',
      NOW + 7,
      item(),
      () => writes.park(pk, 1, writes.breakerPark(NOW, NOW + 7, 'h')),
    ],
    ['paused: never, the drain brings it', writes.FAR, item(), () => writes.park(pk, 1, writes.pausedPark(NOW))],
    ['dead, its message not sent: in two minutes', NOW + 120_000, owned, () => writes.die(by, death, note, timings)],
    [
      'dead without a claim: the same',
      NOW + 120_000,
      item(),
      () => writes.dieUnclaimed(item() as OpenEvent, NOW, death, timings),
    ],
    ['redriven: long after its lease', NOW + 609_000, dead, () => writes.revive(pk, 'd', claimBy, timings)],
    ['redriven in a pause: never', writes.FAR, dead, () => writes.reviveParked(pk, 'd', writes.pausedPark(NOW))],
    ['replayed: in half a minute', NOW + 30_000, dead, () => writes.replay(dead, replayBy, NOW, timings)],
    [
      'caught up: in two minutes',
      NOW + 120_000,
      item(),
      () => writes.catchUp(item(), { gen: 2, bodySha: 'a' }, NOW, timings),
    ],
    ['looked at: when the sweeper says', NOW + 5, owned, () => writes.rewatch(owned, NOW + 5)],
    ['sent again: when the sweeper says', NOW + 5, owned, () => writes.countResend(owned, NOW + 5)],
    ['sent by the sweeper: when it says', NOW + 5, item(), () => writes.markSwept(item(), NOW, NOW + 5)],
  ])('%s', (_, watchAt, before, write) => {
    const record = recordAfter(before, write());
    expect(record).toMatchObject({ watchShard: writes.watchShardOf(pk), watchAt });
    expect(record).not.toHaveProperty('expiresAt');
  });

  it('never after the first claim of an event whose arrival it will meet: that write costs nothing more', () => {
    expect(recordAfter(item(), writes.claim(pk, 1, claimBy, false, timings))).not.toHaveProperty('watchAt');
  });

  it('of a new record: only where its arrival may be behind the sweeper, or its source is not known to be noted', () => {
    const recorded = (ms: number, isNoted = true) =>
      writes.pendingItem({ ...event, receivedAt: NOW - ms }, NOW, timings, isNoted);
    expect(recorded(30_000)).not.toHaveProperty('watchAt');
    expect(recorded(0, false)).toMatchObject({ watchShard: writes.watchShardOf(pk), watchAt: NOW + 120_000 });
    expect(recorded(30_001)).toMatchObject({ watchShard: writes.watchShardOf(pk), watchAt: NOW + 120_000 });
    expect(writes.claimedItem(event, claimBy, timings)).toMatchObject({ watchAt: NOW + 609_000, attempts: 1 });
    expect(writes.parkedItem(event, writes.pausedPark(NOW))).toMatchObject({ watchAt: writes.FAR, parked: true });
  });
});

// Holds I8, I14.
describe('how long a record lives when nothing is owed', () => {
  it.each<[string, number, EventItem, () => EventUpdate]>([
    ['finished', SECONDS + 30 * DAY_SECONDS, owned, () => writes.finish(by, 'completed', note, rules)],
    [
      'finished at the first delivery, without a claim',
      SECONDS + 30 * DAY_SECONDS,
      item({ watchShard: 's#1', watchAt: 5 }),
      () =>
        writes.finishUnclaimed(
          { pk, gen: 1, ingestId: item().ingestId, startedAt: 1, now: NOW },
          'completed',
          note,
          rules,
        ),
    ],
    ['dead, its message sent', SECONDS + 90 * DAY_SECONDS, dead, () => writes.deathDone(pk, 'd', NOW, rules)],
    [
      'closed: no longer than the death',
      Math.floor(dead.deadAt / 1_000) + 90 * DAY_SECONDS,
      dead,
      () => writes.close(dead, { by: 'ada', why: 'w', at: NOW }, rules),
    ],
  ])('%s', (_, expiresAt, before, write) => {
    const record = recordAfter(before, write());
    expect(record).toMatchObject({ expiresAt });
    expect(record).not.toHaveProperty('watchAt');
    expect(record).not.toHaveProperty('watchShard');
  });

  it('too old to run: as one that ended', () => {
    const stale = writes.staleItem(event, NOW, rules);
    expect(stale).toMatchObject({ status: 'skipped_stale', completedAt: NOW, expiresAt: SECONDS + 30 * DAY_SECONDS });
  });

  it('is counted in seconds, of parts of a day too', () => {
    expect(writes.expiryAfter(1_999, 0.5)).toBe(1 + DAY_SECONDS / 2);
  });
});

// Holds I4, I6, I9.
describe('a replay', () => {
  const replayed = (before: EventItem, more: Partial<writes.ReplayWrite> = {}) =>
    recordAfter(before, writes.replay(before, { ...replayBy, ...more }, NOW, timings));
  const completed = item({
    status: 'completed',
    gen: 4,
    run: 2,
    attempts: 3,
    resends: 5,
    actionTaken: 'a',
    result: '1',
  });

  it('begins a generation without anything of the one before', () => {
    const record = replayed(completed);
    expect(record).toMatchObject({ status: 'pending', gen: 5, attempts: 0, resends: 0, replayId: 'r', updatedAt: NOW });
    for (const name of [
      'completedAt',
      'actionTaken',
      'result',
      'expiresAt',
      'owner',
      'enqueuedAt',
      'deadId',
      'closing',
    ])
      expect(record).not.toHaveProperty(name);
  });

  it('may follow another one: only a job leaves alone what somebody replayed since', () => {
    const again = { ...dead, replayId: 'earlier', replayedAt: NOW } as EventItem;
    expect(replayed(again)).toMatchObject({ status: 'pending', replayId: 'r' });
    const ofJob = writes.replay(again, { ...replayBy, jobCreatedAt: NOW }, NOW, timings);
    expect(holds(ofJob.condition, { ...again })).toBe(false);
  });

  it('takes a new key where the last run completed, or a person asks for one; otherwise the key stays', () => {
    expect(replayed(completed)['run']).toBe(3);
    expect(replayed(dead)['run']).toBe(1);
    expect(replayed(dead, { newKey: true })['run']).toBe(2);
  });

  it('takes the place of a running attempt only where a person insists', () => {
    const running = writes.replay(owned, replayBy, NOW, timings);
    expect(holds(running.condition, { ...owned })).toBe(false);
    expect(replayed(owned, { force: true })).toMatchObject({ status: 'pending', gen: 2 });
    expect(replayed(owned, { force: true })).not.toHaveProperty('owner');
  });

  it('never borrows the key of an event that completed since it was read, not even by force', () => {
    const read = writes.replay(owned, { ...replayBy, force: true }, NOW, timings);
    expect(holds(read.condition, { ...owned, status: 'completed' })).toBe(false);
    const newKey = writes.replay(owned, { ...replayBy, force: true, newKey: true }, NOW, timings);
    expect(holds(newKey.condition, { ...owned, status: 'completed' })).toBe(true);
  });

  it('of a job is dated no earlier than the job, so that a late clock does not replay it twice', () => {
    expect(replayed(dead)['replayedAt']).toBe(NOW);
    expect(replayed(dead, { jobCreatedAt: NOW - 5 })['replayedAt']).toBe(NOW);
    expect(replayed(dead, { jobCreatedAt: NOW + 5 })['replayedAt']).toBe(NOW + 5);
  });

  it('with another body says so: type and time are read again', () => {
    expect(replayed(dead, { bodySha: 'b' })).toMatchObject({ bodySha: 'b', otherBody: true });
    expect(replayed(dead, { bodySha: dead.bodySha })).not.toHaveProperty('otherBody');
  });

  it('that a restored table lost is made again from its message, with the key that it had', () => {
    const caught = (before: EventItem) =>
      recordAfter(before, writes.catchUp(before, { gen: 7, bodySha: 'b' }, NOW, timings));
    expect(caught(completed)).toMatchObject({
      status: 'pending',
      gen: 7,
      run: 3,
      attempts: 0,
      resends: 0,
      otherBody: true,
    });
    expect(caught(completed)).toMatchObject({ enqueuedAt: NOW, updatedAt: NOW });
    expect(caught(dead)).toMatchObject({ gen: 7, run: 1 });
    expect(caught(dead)).not.toHaveProperty('deadId');
  });
});

// Holds I9, I12.
describe('attempts', () => {
  it('are counted by claims, and by a completion that is its own claim', () => {
    expect(recordAfter(item({ attempts: 2, resends: 3 }), writes.claim(pk, 1, claimBy, true, timings))).toMatchObject({
      attempts: 3,
      resends: 0,
      startedAt: NOW,
    });
    const first = { pk, gen: 1, ingestId: item().ingestId, startedAt: NOW - 9, now: NOW };
    expect(recordAfter(item(), writes.finishUnclaimed(first, 'completed', note, rules))).toMatchObject({
      attempts: 1,
      startedAt: NOW - 9,
    });
    expect(recordAfter(dead, writes.revive(pk, 'd', claimBy, timings))).toMatchObject({ attempts: 1, resends: 0 });
    expect(recordAfter(dead, writes.reviveParked(pk, 'd', writes.pausedPark(NOW)))).toMatchObject({
      parked: true,
      attempts: 0,
      resends: 0,
    });
  });

  it('are given back by a wait, not by a failure', () => {
    const failure = writes.retrySoon(by, NOW + 1, note, timings);
    expect(recordAfter(owned, failure)).toMatchObject({ status: 'failed', attempts: 3, nextAttemptAt: NOW + 1 });
    expect(recordAfter(owned, writes.asDeferral(failure, { unreadySince: NOW }))).toMatchObject({
      status: 'deferred',
      attempts: 2,
    });
  });

  it('and copies of the sweeper are counted apart', () => {
    expect(recordAfter(owned, writes.countResend(owned, NOW))).toMatchObject({ attempts: 3, resends: 1 });
  });
});

// Holds I12.
describe('since when an event waits', () => {
  const fail = () => writes.retrySoon(by, NOW + 1, note, timings);
  const waiting = item({ status: 'deferred', nextAttemptAt: NOW, deferredSince: 3, unreadySince: 4 });

  it('is forgotten in a pause, and kept while a breaker holds it', () => {
    expect(recordAfter(waiting, writes.park(pk, 1, writes.pausedPark(NOW)))).not.toHaveProperty('deferredSince');
    expect(recordAfter(waiting, writes.park(pk, 1, writes.pausedPark(NOW)))).not.toHaveProperty('unreadySince');
    const aside = recordAfter(waiting, writes.setAside(waiting));
    expect(aside).toMatchObject({ status: 'deferred', watchAt: writes.FAR });
    for (const name of ['deferredSince', 'unreadySince', 'waitsFor']) expect(aside).not.toHaveProperty(name);
    const held = recordAfter(waiting, writes.park(pk, 1, writes.breakerPark(NOW, NOW + 1, 'h')));
    expect(held).toMatchObject({ parked: true, deferredSince: 3, unreadySince: 4, waitsFor: 'h' });
  });

  it('is the start of one wait: a handler that defers has got over the failure before', () => {
    const both = { ...owned, unreadySince: 4 } as unknown as EventItem;
    expect(recordAfter(both, writes.asDeferral(fail(), { deferredSince: NOW }))).not.toHaveProperty('unreadySince');
    const kept = { ...owned, deferredSince: 3 } as unknown as EventItem;
    expect(recordAfter(kept, writes.asDeferral(fail(), { unreadySince: NOW }))).toMatchObject({
      deferredSince: 3,
      unreadySince: NOW,
    });
  });

  it('names the breaker only while that holds it', () => {
    expect(recordAfter(owned, writes.asDeferral(fail(), { unreadySince: NOW, waitsFor: 'h' }))).toMatchObject({
      waitsFor: 'h',
    });
    for (const update of [
      fail(),
      writes.asDeferral(fail(), { unreadySince: NOW }),
      writes.die(by, death, note, timings),
    ])
      expect(recordAfter(owned, update)).not.toHaveProperty('waitsFor');
  });
});

describe('a death', () => {
  const attentionAt = (at: number, cause: string): string =>
    String(recordAfter(owned, writes.die({ ...by, now: at }, { ...death, cause }, note, timings))['attentionAt']);

  it('is listed by its time, with its cause', () => {
    expect(attentionAt(NOW, 'no_handler')).toBe(`${NOW}#no_handler#e`);
    expect(attentionAt(999, 'x') < attentionAt(NOW, 'a')).toBe(true);
    expect(attentionAt(NOW, 'x'.repeat(600))).toHaveLength(500);
    expect(recordAfter(owned, writes.die(by, death, note, timings))).toMatchObject({
      attentionSource: 's',
      dlqSent: false,
    });
  });

  it('leaves the open ones when a person closes it, and is listed when that was', () => {
    const closing = { by: 'ada', why: 'w', at: NOW };
    expect(recordAfter(dead, writes.close(dead, closing, rules))).toMatchObject({
      status: 'closed',
      attentionSource: 's#closed',
      attentionAt: `${NOW}#no_handler#e`,
      closing,
    });
  });
});

it('a claim comes at most two seconds early: so much may SQS and a clock be wrong', () => {
  const due = (at: number) =>
    holds(writes.claim(pk, 1, claimBy, true, timings).condition, { ...item({ status: 'failed', nextAttemptAt: at }) });
  expect([due(NOW + 2_000), due(NOW + 2_001)]).toEqual([true, false]);
});
