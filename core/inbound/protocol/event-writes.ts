/**
 * Every write of the protocol, on one page and as data: what must hold, what is set, what goes. Nothing else in the
 * product changes a state item. docs/understand/how-receiving-works.md explains each; the mutation suite removes each condition in turn.
 */
import { all, any, type Condition, eq, exists, isIn, le, lt, missing, ne, same } from '#core/condition.ts';
import { given } from '#core/given.ts';
import { type EpochMs, type EventPk, splitEventPk } from '#core/glossary.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import { DAY_SECONDS, toHour } from '#core/time.ts';
import {
  type Closing,
  closedOf,
  type EventAttribute,
  type EventIn,
  type EventItem,
  type EventItemChange,
  type FinalStatus,
  type OpenEvent,
  SCHEMA_VERSION,
  storedStatus,
  WATCH_SHARDS,
} from './event-item.ts';
import { hashOf } from './event-key.ts';
import { isTerminal, WAITING_STATUSES } from './event-status.ts';
import { parseEventItem } from './parse-event-item.ts';
import { TOO_OLD } from './retention.ts';
import type { Timings } from './timings.ts';

/** `watchAt` of an event that waits for a person (pause): no due time will reach it. */
export const FAR: EpochMs = 253_402_300_799_000;
/** SQS delivers delayed messages up to this much early, and hosts' clocks differ. */
const CLOCK_SLACK_MS = 2_000;

/** What the writes need to know of time and configuration. */
export interface WriteRules {
  readonly timings: Timings;
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
}

const WATCH: readonly EventAttribute[] = ['watchShard', 'watchAt'];
const LEASE: readonly EventAttribute[] = ['owner', 'leaseUntil'];
/** What a claim set, and the breaker that held the event back before. */
const CLAIM: readonly EventAttribute[] = [...LEASE, 'waitsFor'];
/** Time in a pause is not time that the event waited for another: it must not use up the limit of that. */
const PATIENCE: readonly EventAttribute[] = ['deferredSince', 'unreadySince', 'waitsFor'];
const ATTENTION: readonly EventAttribute[] = ['attentionSource', 'attentionAt'];
const DEATH: readonly EventAttribute[] = ['deadAt', 'deadId', 'dlqSent', 'cause', 'closing', ...ATTENTION];

/** TTL of an item that became terminal now, in epoch seconds. */
export function expiryAfter(now: EpochMs, days: number): number {
  return Math.floor(now / 1000) + Math.round(days * DAY_SECONDS);
}

/** The watch partition of an event: by source, so that fairness and pause are plain queries. */
export function watchShardOf(pk: EventPk): string {
  return `${splitEventPk(pk).sourceId}#${hashOf(pk) % WATCH_SHARDS}`;
}

const watch = (pk: EventPk, at: EpochMs) => ({ watchShard: watchShardOf(pk), watchAt: at }) as const;

type Known = 'pk' | 'gen' | 'provider' | 'eventType' | 'ingestId' | 'bodySha' | 'itemPath' | 'size' | 'receivedAt';

/** What is known of an event before its record exists. */
export type NewEvent = Pick<EventIn<'pending'>, Known | 'eventAt' | 'reconciled'>;

function baseItem(event: NewEvent, now: EpochMs): EventIn<'pending'> {
  return {
    ...event,
    status: 'pending',
    schemaVersion: SCHEMA_VERSION,
    run: 1,
    updatedAt: now,
    attempts: 0,
    resends: 0,
    ...timelineOf(event.pk, event.receivedAt),
  };
}
function timelineOf(pk: EventPk, receivedAt: EpochMs): Pick<EventItem, 'timelineHour' | 'timelineAt'> {
  const { sourceId, eventKey } = splitEventPk(pk);
  return {
    timelineHour: `${sourceId}#${toHour(receivedAt)}`,
    timelineAt: `${String(receivedAt).padStart(13, '0')}#${eventKey}`,
  };
}

/** Whether the request that began then may still be at its writes; far less than the sweeper's distance. */
export function mayBeAtWork(receivedAt: EpochMs, now: EpochMs, timings: Timings): boolean {
  return now - receivedAt <= timings.firstWatchMs / 4;
}

/**
 * I3: the record of a fresh event. The sweeper finds it by its arrival (sweep-arrivals.ts), which costs no write; one
 * that is recorded so late that the sweeper may be past it is watched from the start. So is one that the sweeper may not
 * ask for: `isNoted` says that its source is known to be noted as active in the hour of its arrival (activity.ts).
 */
export function pendingItem(event: NewEvent, now: EpochMs, timings: Timings, isNoted: boolean): EventIn<'pending'> {
  const isFound = isNoted && mayBeAtWork(event.receivedAt, now, timings);
  return { ...baseItem(event, now), ...(isFound ? {} : watch(event.pk, now + timings.firstWatchMs)) };
}
/** I3, age rule: recorded, never run. */
export function staleItem(event: NewEvent, now: EpochMs, rules: WriteRules): EventIn<'skipped_stale'> {
  return {
    ...baseItem(event, now),
    status: 'skipped_stale',
    completedAt: now,
    actionTaken: TOO_OLD,
    expiresAt: expiryAfter(now, rules.retentionDays),
  };
}
/** The processor's record of an event that ingest could not write, already claimed. */
export function claimedItem(event: NewEvent, claim: Claim, timings: Timings): EventIn<'processing'> {
  return {
    ...baseItem(event, claim.now),
    status: 'processing',
    enqueuedAt: claim.now,
    owner: claim.claimId,
    leaseUntil: claim.leaseUntil,
    startedAt: claim.now,
    attempts: 1,
    ...watch(event.pk, claim.leaseUntil + timings.overdueMs),
  };
}
/** The same while the source is paused. */
export function parkedItem(event: NewEvent, park: Park): EventIn<'deferred'> {
  return {
    ...baseItem(event, park.now),
    status: 'deferred',
    enqueuedAt: park.now,
    parked: true,
    nextAttemptAt: park.nextAttemptAt,
    ...breakerOf(park),
    ...watch(event.pk, park.watchAt),
  };
}

const OF_ITS_PLACE: readonly EventAttribute[] = [...CLAIM, ...WATCH, ...ATTENTION, 'timelineHour', 'timelineAt'];

/** The record of an export without what only the environment means that it was in: leases, and places in the indexes. */
export function portable(item: EventItem): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !OF_ITS_PLACE.some(it => it === name)));
}
/**
 * What a record becomes in another environment (test/proof/model/import-model.ts): one that has ended stays as it is, with
 * nothing owed for it; any other waits for a person behind the pause of its source, which must be known everywhere before.
 * `unknown` where a field of its status is missing.
 */
export function importedItem(written: EventItem, now: EpochMs, rules: WriteRules): EventItem {
  const { pk, receivedAt, status } = written;
  const { sourceId, eventKey } = splitEventPk(pk);
  const { timelineHour, timelineAt } = timelineOf(pk, receivedAt);
  const item = { ...portable(written), timelineHour, timelineAt };
  if (status === 'dead_letter' || status === 'closed') {
    const { deadAt, cause, closing } = written;
    const attention =
      closing === undefined
        ? { attentionSource: sourceId, attentionAt: attentionAtOf(deadAt, cause, eventKey) }
        : { attentionSource: closedOf(sourceId), attentionAt: attentionAtOf(closing.at, cause, eventKey) };
    const expiresAt = written.expiresAt ?? expiryAfter(now, rules.deadRetentionDays);
    return parseEventItem({ ...item, ...attention, dlqSent: true, expiresAt });
  }
  if (isTerminal(status)) {
    return parseEventItem({ expiresAt: expiryAfter(now, rules.retentionDays), ...item });
  }
  const { deferredSince: _, unreadySince: __, expiresAt: ___, ...open } = item as Record<string, unknown>;
  const waits = { status: 'deferred', parked: true, nextAttemptAt: written.nextAttemptAt ?? now, resends: 0 };
  return parseEventItem({ ...open, ...waits, updatedAt: now, ...watch(pk, FAR) });
}
/** It waits here since an import, and has ended in the environment it came from: it must not run here, too. */
export function endImported(there: EventItem, ended: EventIn<FinalStatus>): EventUpdate {
  const { gen, run, attempts, status, completedAt, updatedAt } = ended;
  const { startedAt, actionTaken, result, recentAttempts, lastError, expiresAt = expiryAfter(completedAt, 0) } = ended;
  return {
    pk: there.pk,
    condition: all(eq('status', 'deferred'), eq('gen', there.gen), eq('watchAt', FAR)),
    set: {
      ...{ gen, run, attempts, status, completedAt, updatedAt, expiresAt },
      ...given({ startedAt, actionTaken, result, recentAttempts, lastError }),
    },
    remove: [...WATCH, 'nextAttemptAt', 'parked'],
  };
}

/** Ingest, after a send that failed: the sweeper need not wait until it meets the arrival. */
export function watchUnsent(pk: EventPk, gen: number, now: EpochMs): EventUpdate {
  return {
    pk,
    condition: all(eq('status', 'pending'), eq('gen', gen), missing('enqueuedAt')),
    set: watch(pk, now),
  };
}

/** A replay, after its send. */
export function markEnqueued(pk: EventPk, gen: number, now: EpochMs): EventUpdate {
  return { pk, condition: all(eq('status', 'pending'), eq('gen', gen)), set: { enqueuedAt: now } };
}

export interface Claim {
  readonly claimId: string;
  readonly now: EpochMs;
  readonly leaseUntil: EpochMs;
}

/** What a claim may take: due and waiting, or abandoned by an owner whose lease is over. */
function claimable(gen: number, now: EpochMs): Condition {
  return all(
    eq('gen', gen),
    le('schemaVersion', SCHEMA_VERSION),
    any(
      all(isIn('status', WAITING_STATUSES), any(missing('nextAttemptAt'), le('nextAttemptAt', now + CLOCK_SLACK_MS))),
      all(eq('status', 'processing'), lt('leaseUntil', now)),
    ),
  );
}

/** Takes the event under a lease. `again`: a later attempt, whose first watch, if it had one, is long over. */
export function claim(pk: EventPk, gen: number, by: Claim, again: boolean, timings: Timings): EventUpdate {
  return {
    pk,
    condition: claimable(gen, by.now),
    set: {
      status: 'processing',
      owner: by.claimId,
      leaseUntil: by.leaseUntil,
      startedAt: by.now,
      resends: 0,
      ...(again ? watch(pk, by.leaseUntil + timings.overdueMs) : {}),
    },
    add: { attempts: 1 },
    remove: ['nextAttemptAt', 'parked'],
  };
}

export interface Park {
  readonly now: EpochMs;
  readonly nextAttemptAt: EpochMs;
  readonly watchAt: EpochMs;
  /** The breaker that parks it. */
  readonly waitsFor?: string;
}
/** A paused source: due at once, watched by nobody but the drain. */
export const pausedPark = (now: EpochMs): Park => ({ now, nextAttemptAt: now, watchAt: FAR });
/** An open breaker: due when it says. */
export const breakerPark = (now: EpochMs, probeAt: EpochMs, waitsFor: string): Park => ({
  now,
  nextAttemptAt: probeAt,
  watchAt: probeAt,
  waitsFor,
});
const breakerOf = ({ waitsFor }: Park): { readonly waitsFor?: string } => (waitsFor === undefined ? {} : { waitsFor });

/** Parks instead of claiming: same condition, no attempt counted. */
export function park(pk: EventPk, gen: number, by: Park): EventUpdate {
  return {
    pk,
    condition: claimable(gen, by.now),
    set: {
      status: 'deferred',
      parked: true,
      nextAttemptAt: by.nextAttemptAt,
      updatedAt: by.now,
      ...breakerOf(by),
      ...watch(pk, by.watchAt),
    },
    remove: by.watchAt === FAR ? [...LEASE, ...PATIENCE] : LEASE,
  };
}

/** Writes after a claim, all fenced by the owner's token. */
export interface Owned {
  readonly pk: EventPk;
  readonly claimId: string;
  readonly now: EpochMs;
}
const fenced = (by: Owned): Condition => all(eq('owner', by.claimId), eq('status', 'processing'));

export interface AttemptRecord {
  readonly recentAttempts: NonNullable<EventItem['recentAttempts']>;
  readonly lastError?: string;
  readonly splitNext?: string;
}

/** An update after which the event waits for another attempt. */
type Retry = EventUpdate & { readonly set: Extract<EventItemChange, { readonly status: 'failed' | 'deferred' }> };

type FinalOutcome = { readonly actionTaken?: string; readonly result?: string } & AttemptRecord;

function finalSet(status: FinalStatus, outcome: FinalOutcome, now: EpochMs, rules: WriteRules) {
  const expiresAt = expiryAfter(now, rules.retentionDays);
  return { ...outcome, status, completedAt: now, updatedAt: now, expiresAt } as const;
}

/** A final outcome but death. */
export function finish(by: Owned, status: FinalStatus, outcome: FinalOutcome, rules: WriteRules): EventUpdate {
  return {
    pk: by.pk,
    condition: fenced(by),
    set: finalSet(status, outcome, by.now, rules),
    remove: [...CLAIM, ...WATCH],
  };
}

/** The delivery that runs without a claim: of this request's own record, and nobody has begun. */
export interface FirstDelivery extends Pick<NewEvent, 'pk' | 'gen' | 'ingestId'> {
  readonly startedAt: EpochMs;
  readonly now: EpochMs;
}
/**
 * A claim and a final outcome in one write, for handlers whose effects are all in its transaction (docs/decisions/what-needs-no-claim.md).
 * Refused: somebody has begun, and a claim tells the rest.
 */
export function finishUnclaimed(
  { pk, gen, ingestId, startedAt, now }: FirstDelivery,
  status: FinalStatus,
  outcome: FinalOutcome,
  rules: WriteRules,
): EventUpdate {
  return {
    pk,
    condition: all(
      eq('status', 'pending'),
      eq('gen', gen),
      eq('ingestId', ingestId),
      le('schemaVersion', SCHEMA_VERSION),
    ),
    set: { ...finalSet(status, outcome, now, rules), startedAt },
    add: { attempts: 1 },
    remove: [...LEASE, ...WATCH],
  };
}

/** Another attempt soon: the caller sends a delayed successor next. */
export function retrySoon(by: Owned, nextAttemptAt: EpochMs, attempt: AttemptRecord, timings: Timings): Retry {
  return retry(by, nextAttemptAt, attempt, watch(by.pk, nextAttemptAt + timings.overdueMs));
}
/** Another attempt later than the queue can delay: the watch index brings it back. */
export function retryLater(by: Owned, nextAttemptAt: EpochMs, attempt: AttemptRecord): Retry {
  return retry(by, nextAttemptAt, attempt, { ...watch(by.pk, nextAttemptAt), parked: true });
}
type WatchedAt = ReturnType<typeof watch> & { readonly parked?: true };
function retry(by: Owned, nextAttemptAt: EpochMs, attempt: AttemptRecord, comesBack: WatchedAt): Retry {
  return {
    pk: by.pk,
    condition: fenced(by),
    set: { ...attempt, status: 'failed', nextAttemptAt, updatedAt: by.now, ...comesBack },
    remove: CLAIM,
  };
}
/** Since when an event waits for another event, or for a dependency. `waitsFor`: the open breaker. */
export type Waiting =
  | { readonly deferredSince: EpochMs }
  | { readonly unreadySince: EpochMs; readonly waitsFor?: string };
/**
 * The handler waits for another event, or everybody for a dependency: the attempt is given back. Each wait has a start of its
 * own, so that a short failure does not use up what the handler may wait.
 */
export function asDeferral(retry: Retry, since: Waiting): EventUpdate {
  const remove: readonly EventAttribute[] = [
    ...LEASE,
    ...('deferredSince' in since ? (['unreadySince'] as const) : []),
  ];
  return {
    ...retry,
    set: { ...retry.set, status: 'deferred', ...since },
    add: { attempts: -1 },
    remove: 'waitsFor' in since ? remove : [...remove, 'waitsFor'],
  };
}

export interface Death {
  readonly deadId: string;
  readonly cause: string;
  readonly lastError: string;
}
/** Sorts by time, and names the cause, so that a list by cause reads no records. */
function attentionAtOf(at: EpochMs, cause: string, eventKey: string): string {
  return `${String(at).padStart(13, '0')}#${cause}#${eventKey}`.slice(0, 500);
}
function deathSet(pk: EventPk, now: EpochMs, death: Death, timings: Timings): EventItemChange {
  return {
    status: 'dead_letter',
    deadAt: now,
    deadId: death.deadId,
    cause: death.cause,
    lastError: death.lastError,
    dlqSent: false,
    updatedAt: now,
    attentionSource: splitEventPk(pk).sourceId,
    attentionAt: attentionAtOf(now, death.cause, splitEventPk(pk).eventKey),
    ...watch(pk, now + timings.deathWatchMs),
  };
}
const DEATH_REMOVES: readonly EventAttribute[] = [...CLAIM, 'nextAttemptAt', 'parked'];

/** Dead: the caller sends to the DLQ next, then writes `deathDone`. */
export function die(by: Owned, death: Death, attempt: AttemptRecord, timings: Timings): EventUpdate {
  return {
    pk: by.pk,
    condition: fenced(by),
    set: { ...attempt, ...deathSet(by.pk, by.now, death, timings) },
    remove: DEATH_REMOVES,
  };
}
/** The DLQ has the message: nothing is owed any more. */
export function deathDone(pk: EventPk, deadId: string, now: EpochMs, rules: WriteRules): EventUpdate {
  return {
    pk,
    condition: all(eq('status', 'dead_letter'), eq('deadId', deadId)),
    set: { dlqSent: true, expiresAt: expiryAfter(now, rules.deadRetentionDays) },
    remove: WATCH,
  };
}

/** A person's redrive of exactly this death. */
export function revive(pk: EventPk, deadId: string, by: Claim, timings: Timings): EventUpdate {
  return {
    pk,
    condition: all(eq('status', 'dead_letter'), eq('deadId', deadId)),
    set: {
      status: 'processing',
      owner: by.claimId,
      leaseUntil: by.leaseUntil,
      startedAt: by.now,
      attempts: 1,
      resends: 0,
      ...watch(pk, by.leaseUntil + timings.overdueMs),
    },
    remove: [...DEATH, 'deferredSince', 'unreadySince', 'nextAttemptAt', 'parked', 'expiresAt'],
  };
}
/** The same while the source is paused. */
export function reviveParked(pk: EventPk, deadId: string, by: Park): EventUpdate {
  return {
    pk,
    condition: all(eq('status', 'dead_letter'), eq('deadId', deadId)),
    set: {
      status: 'deferred',
      parked: true,
      nextAttemptAt: by.nextAttemptAt,
      attempts: 0,
      resends: 0,
      ...breakerOf(by),
      ...watch(pk, by.watchAt),
    },
    remove: [...DEATH, ...LEASE, 'deferredSince', 'unreadySince', 'expiresAt'],
  };
}

/**
 * A person's decision that exactly this death will not be replayed. Nothing is owed any more, also where the DLQ message
 * was never sent. It is kept for as long as the death would be: its body lives no longer.
 */
export function close(item: EventIn<'dead_letter' | 'closed'>, closing: Closing, rules: WriteRules): EventUpdate {
  const { deadId, deadAt, cause } = item;
  const { sourceId, eventKey } = splitEventPk(item.pk);
  return {
    pk: item.pk,
    condition: all(eq('status', 'dead_letter'), eq('deadId', deadId)),
    set: {
      status: 'closed',
      closing,
      updatedAt: closing.at,
      expiresAt: expiryAfter(deadAt, rules.deadRetentionDays),
      attentionSource: closedOf(sourceId),
      attentionAt: attentionAtOf(closing.at, cause, eventKey),
    },
    remove: WATCH,
  };
}

const REPLAY_REMOVES: readonly EventAttribute[] = [
  'enqueuedAt',
  ...CLAIM,
  'nextAttemptAt',
  'parked',
  'deferredSince',
  'unreadySince',
  'splitNext',
  'startedAt',
  'completedAt',
  // Of the run that is over: the next one may have none.
  'actionTaken',
  'result',
  ...DEATH,
  'expiresAt',
];
export interface ReplayWrite {
  readonly replayId: string;
  readonly newKey: boolean;
  readonly force: boolean;
  readonly bodySha?: string;
  /** Of a job: when it was created. What was replayed since then, by anybody, is left alone. */
  readonly jobCreatedAt?: EpochMs;
}
/**
 * A new generation. `replayId` makes a retried request replay once. It names only the last replay, so a job, which may
 * come back to an event after somebody else replayed it, goes by `replayedAt` as well.
 */
export function replay(item: EventItem, request: ReplayWrite, now: EpochMs, timings: Timings): EventUpdate {
  const conditions = [eq('gen', item.gen), ne('replayId', request.replayId)];
  const newRun = item.status === 'completed' || request.newKey;
  // Completed since it was read: its key was used to the end, and the next run must not borrow it.
  if (!newRun) conditions.push(ne('status', 'completed'));
  if (!request.force) conditions.push(ne('status', 'processing'));
  if (request.jobCreatedAt !== undefined) {
    conditions.push(any(missing('replayedAt'), lt('replayedAt', request.jobCreatedAt)));
  }
  return {
    pk: item.pk,
    condition: all(...conditions),
    set: {
      status: 'pending',
      gen: item.gen + 1,
      run: item.run + (newRun ? 1 : 0),
      attempts: 0,
      resends: 0,
      replayId: request.replayId,
      replayedAt: Math.max(now, request.jobCreatedAt ?? 0),
      updatedAt: now,
      ...bodyOf(item, request.bodySha),
      ...watch(item.pk, now + timings.replayWatchMs),
    },
    remove: REPLAY_REMOVES,
  };
}
/** The body of a new generation: another one may be of another type and time than the record says. */
function bodyOf(item: EventItem, bodySha = item.bodySha): EventItemChange {
  return bodySha === item.bodySha ? {} : { bodySha, otherBody: true };
}
/** A message of a newer generation than the record (a restored table): the record catches up, body included. */
export function catchUp(
  item: EventItem,
  message: { gen: number; bodySha: string },
  now: EpochMs,
  timings: Timings,
): EventUpdate {
  const { pk } = item;
  const { gen, bodySha } = message;
  return {
    pk,
    condition: all(eq('gen', item.gen), eq('status', storedStatus(item)), lt('gen', gen)),
    set: {
      status: 'pending',
      gen,
      // As the lost replay did: what completed used its key to the end.
      run: item.run + (item.status === 'completed' ? 1 : 0),
      ...bodyOf(item, bodySha),
      attempts: 0,
      resends: 0,
      updatedAt: now,
      enqueuedAt: now,
      ...watch(pk, now + timings.firstWatchMs),
    },
    remove: REPLAY_REMOVES.filter(name => name !== 'enqueuedAt'),
  };
}

/** The sweeper's writes: only if the record is still exactly as it was read. */
function asRead(item: EventItem): Condition {
  return all(
    eq('status', storedStatus(item)),
    eq('gen', item.gen),
    same('owner', item.owner),
    same('watchAt', item.watchAt),
  );
}
export function rewatch(item: EventItem, watchAt: EpochMs): EventUpdate {
  return { pk: item.pk, condition: asRead(item), set: watch(item.pk, watchAt) };
}
/** In a pause: it was parked before, is due, and waits for the end of the pause. */
export function setAside(item: EventItem): EventUpdate {
  return { ...rewatch(item, FAR), remove: PATIENCE };
}
export function countResend(item: EventItem, watchAt: EpochMs): EventUpdate {
  return { pk: item.pk, condition: asRead(item), set: watch(item.pk, watchAt), add: { resends: 1 } };
}
export function unwatch(item: EventItem): EventUpdate {
  return { pk: item.pk, condition: asRead(item), set: {}, remove: WATCH };
}
/** Sent for the first time, or taken as sent because it is behind others in the queue. */
export function markSwept(item: EventItem, now: EpochMs, watchAt: EpochMs): EventUpdate {
  return {
    pk: item.pk,
    condition: all(asRead(item), missing('enqueuedAt')),
    set: { enqueuedAt: now, ...watch(item.pk, watchAt) },
  };
}
/** After the copy of a parked event was sent: it is in the queue now. */
export function unpark(item: EventItem, watchAt: EpochMs): EventUpdate {
  return {
    pk: item.pk,
    condition: all(asRead(item), exists('parked'), same('nextAttemptAt', item.nextAttemptAt)),
    set: watch(item.pk, watchAt),
    remove: ['parked'],
  };
}
/** Re-sent to the limit and never claimed. */
export function dieUnclaimed(item: OpenEvent, now: EpochMs, death: Death, timings: Timings): EventUpdate {
  return {
    pk: item.pk,
    condition: asRead(item),
    set: deathSet(item.pk, now, death, timings),
    remove: DEATH_REMOVES,
  };
}
