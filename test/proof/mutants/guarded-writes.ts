/** What each write of the protocol must accept and refuse. */

import type { EventUpdate } from '#core/inbound/ports.ts';
import type { EventIn, EventItem, OpenEvent } from '#core/inbound/protocol/event-item.ts';
import * as writes from '#core/inbound/protocol/event-writes.ts';
import { DEFAULT_TIMINGS as timings } from '#core/inbound/protocol/timings.ts';
import { type Mixture, makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { leavesOf, writeOf } from './write-leaves.ts';

type Change = Mixture;
export interface Guard {
  readonly update: EventUpdate;
  readonly accepts: readonly Change[];
  readonly refuses: readonly Change[];
}

const NOW = 1_767_571_300_000;
export const item = (more: Change = {}): EventItem => makeEventItem('s', 'e', { gen: 2, ...more });
const { pk } = item();
const rules = { timings, retentionDays: 30, deadRetentionDays: 90 };
const by = { pk, claimId: 'mine', now: NOW };
const claimBy = { claimId: 'mine', now: NOW, leaseUntil: NOW + 9_000 };
const note = { recentAttempts: [] };
const death = { deadId: 'd', cause: 'c', lastError: 'c: x' };

const owned = (update: EventUpdate): Guard => ({
  update,
  accepts: [{ status: 'processing', owner: 'mine' }],
  refuses: [
    { status: 'processing', owner: 'other' },
    { status: 'completed', owner: 'mine' },
  ],
});
const taking = (update: EventUpdate): Guard => ({
  update,
  accepts: [{}, { status: 'failed', nextAttemptAt: NOW }, { status: 'processing', leaseUntil: NOW - 1 }],
  refuses: [
    { gen: 1 },
    { gen: 3 },
    { schemaVersion: 2 },
    { status: 'completed' },
    { status: 'completed', leaseUntil: NOW - 1 },
    { status: 'deferred', nextAttemptAt: NOW + 10_000 },
    { status: 'processing', leaseUntil: NOW + 1 },
  ],
});
const dead = { status: 'dead_letter', deadId: 'd' } as const;
const ofDeath = (update: EventUpdate): Guard => ({
  update,
  accepts: [dead],
  refuses: [
    { ...dead, deadId: 'other' },
    { ...dead, status: 'pending' },
  ],
});
const read = { status: 'processing', owner: 'o', watchAt: 50 } as const;
const asRead = (update: EventUpdate, more: Change = {}, refuses: readonly Change[] = []): Guard => {
  const seen = { ...read, ...more };
  const others = [{ status: 'failed' }, { gen: 3 }, { owner: 'p' }, { watchAt: 51 }, ...refuses] as const;
  return { update, accepts: [seen], refuses: others.map(change => ({ ...seen, ...change })) };
};
const parked = { status: 'deferred', owner: undefined, parked: true, nextAttemptAt: 40 } as const;
const imported = { status: 'deferred', watchAt: writes.FAR } as const;
const replayBy = { replayId: 'r', newKey: false, force: false };

/** Made anew by each test: what is made while a file loads counts for no test of Stryker's (test/mutation). */
export const makeGuards = (): readonly Guard[] => [
  taking(writes.claim(pk, 2, claimBy, false, timings)),
  taking(writes.park(pk, 2, writes.breakerPark(NOW, NOW + 1, 'h'))),
  owned(writes.finish(by, 'completed', note, rules)),
  {
    update: writes.finishUnclaimed(
      { pk, gen: 2, ingestId: item().ingestId, startedAt: NOW, now: NOW },
      'completed',
      note,
      rules,
    ),
    accepts: [{}, { watchAt: NOW }],
    refuses: [
      { gen: 1 },
      { gen: 3 },
      { schemaVersion: 2 },
      { ingestId: 'other' },
      { status: 'processing' },
      { status: 'completed' },
    ],
  },
  owned(writes.retrySoon(by, NOW + 1, note, timings)),
  owned(writes.retryLater(by, NOW + 1, note)),
  owned(writes.asDeferral(writes.retrySoon(by, NOW + 1, note, timings), { deferredSince: NOW })),
  owned(writes.die(by, death, note, timings)),
  ofDeath(writes.deathDone(pk, 'd', NOW, rules)),
  ofDeath(writes.revive(pk, 'd', claimBy, timings)),
  ofDeath(writes.close(item(dead) as EventIn<'dead_letter'>, { by: 'ada', why: 'w', at: NOW }, rules)),
  ofDeath(writes.reviveParked(pk, 'd', writes.pausedPark(NOW))),
  {
    update: writes.markEnqueued(pk, 2, NOW),
    accepts: [{}],
    refuses: [{ gen: 3 }, { status: 'processing' }],
  },
  {
    update: writes.watchUnsent(pk, 2, NOW),
    accepts: [{}],
    refuses: [{ gen: 3 }, { status: 'processing' }, { enqueuedAt: 1 }],
  },
  {
    update: writes.replay(item(dead), { ...replayBy, jobCreatedAt: NOW }, NOW, timings),
    accepts: [dead, { ...dead, replayId: 'earlier', replayedAt: NOW - 1 }],
    refuses: [
      { ...dead, gen: 3 },
      { ...dead, replayId: 'r' },
      { ...dead, replayId: 'other', replayedAt: NOW },
      { status: 'processing' },
      { status: 'completed' },
    ],
  },
  {
    update: writes.catchUp(item(), { gen: 3, bodySha: 'b' }, NOW, timings),
    accepts: [{}],
    refuses: [{ gen: 1 }, { status: 'completed' }],
  },
  // Asked for a generation that is not newer.
  { update: writes.catchUp(item(), { gen: 2, bodySha: 'b' }, NOW, timings), accepts: [], refuses: [{}] },
  {
    update: writes.endImported(item(imported), item({ status: 'completed', gen: 3 }) as EventIn<'completed'>),
    accepts: [imported],
    refuses: [
      { ...imported, status: 'failed' },
      { ...imported, gen: 3 },
      { ...imported, watchAt: 50 },
    ],
  },
  asRead(writes.rewatch(item(read), 60)),
  asRead(writes.setAside(item(read))),
  asRead(writes.countResend(item(read), 60)),
  asRead(writes.unwatch(item(read))),
  asRead(writes.dieUnclaimed(item(read) as OpenEvent, NOW, death, timings)),
  asRead(writes.markSwept(item(read), NOW, 60), {}, [{ enqueuedAt: 1 }]),
  asRead(writes.unpark(item({ ...read, ...parked }), 60), parked, [{ parked: undefined }, { nextAttemptAt: 41 }]),
];

export const GUARDS = makeGuards();

/** Every condition of every write, as `<write>: <condition>`. */
export const CONDITIONS: readonly string[] = [
  ...new Set(GUARDS.flatMap(({ update }) => leavesOf(update.condition).map(leaf => `${writeOf(update)}: ${leaf}`))),
];
