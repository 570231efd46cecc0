/**
 * The conditional writes beside those of deliveries (delivery-writes.ts): applications, secrets, counters, erasures, replay
 * jobs, tend's lease and contacts, C1 to C14, as data. Nothing else of the sending half makes a condition. The proof suite takes each
 * leaf of each condition away in turn.
 */
import { all, any, eq, isIn, lt, missing, same } from '#core/condition.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemPut, ItemUpdate, ItemWrite, TableKey } from '#core/outbound/ports.ts';
import { DAY_SECONDS } from '#core/time.ts';
import type { AppId, EndpointId } from './ids.ts';
import type {
  ApplicationItem,
  Contact,
  ContactsItem,
  ControlItem,
  NewAppItem,
  ReplayJobItem,
  SecretsItem,
  StoredKey,
} from './items.ts';
import {
  applicationKey,
  appNameKey,
  contactsKey,
  contactsListed,
  controlKey,
  JOBS,
  JOBS_OVER,
  listedAt,
  newAppKey,
  replayJobKey,
  secretsKey,
} from './keys.ts';

// ---- applications ----------------------------------------------------------------------------------------------------

/** C1: a new application, and its name if it has one. Refused: another one has that name. */
export function createApplication(application: ApplicationItem): readonly ItemWrite[] {
  const { id, uid, createdAt } = application;
  const put = <T>(key: TableKey<T>, item: T): ItemPut<T> => ({ kind: 'put', key, item, condition: missing('pk') });
  const noted = { id, expiresAt: Math.floor(createdAt / 1_000) + DAY_SECONDS };
  const note: ItemPut<NewAppItem> = { kind: 'put', key: newAppKey(createdAt, id), item: noted };
  return [put(applicationKey(id), application), note, ...(uid === undefined ? [] : [put(appNameKey(uid), { id })])];
}

/** What one change of an application says about another field, and which tokens are good. */
export type SeenOfApplication = {
  readonly [K in 'signature' | 'signatureHeader' | 'keyId' | 'tokensRevokedAt']?: ApplicationItem[K] | undefined;
};

/** C2: changes an application; what is in `seen`, as it was read. Refused: another change was quicker, or it is being erased. */
export function changeApplication(
  id: AppId,
  { set, remove }: Pick<ItemUpdate<ApplicationItem>, 'set' | 'remove'>,
  seen: SeenOfApplication = {},
): ItemUpdate<ApplicationItem> {
  const asRead = Object.entries(seen).map(([name, value]) => same(name, value));
  const condition = all(eq('state', 'active'), ...asRead);
  return { kind: 'update', key: applicationKey(id), condition, ...given({ set, remove }) };
}

/** C3: changes which tokens are revoked, as they were read. Refused: somebody else revoked one, or it is being erased. */
export function changeRevoked(
  id: AppId,
  seen: ApplicationItem['tokensRevoked'],
  tokensRevoked: string,
): ItemUpdate<ApplicationItem> {
  const condition = all(eq('state', 'active'), same('tokensRevoked', seen));
  return { kind: 'update', key: applicationKey(id), condition, set: { tokensRevoked } };
}

// ---- secrets ---------------------------------------------------------------------------------------------------------

/** C4: other keys of an endpoint, as their version was read. */
export function changeSecrets(
  ep: EndpointId,
  seenVersion: number,
  keys: readonly StoredKey[],
): ItemUpdate<SecretsItem> {
  const condition = eq('version', seenVersion);
  return { kind: 'update', key: secretsKey(ep), condition, set: { keys, version: seenVersion + 1 } };
}

// ---- counters --------------------------------------------------------------------------------------------------------

export interface Counter {
  readonly count: number;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/** C5: counts one more, up to `most`. Refused: as many were counted. */
export function countUpTo(key: TableKey<Counter>, most: number, expiresAt: number): ItemUpdate<Counter> {
  const condition = any(missing('count'), lt('count', most));
  return { kind: 'update', key, condition, add: { count: 1 }, set: { expiresAt } };
}

// ---- erasing an application ------------------------------------------------------------------------------------------

/** C6: from now on nothing is published to it, and nothing of it is changed. Refused: there is no such application. */
export function closeApplication(id: AppId): ItemUpdate<ApplicationItem> {
  const condition = isIn('state', ['active', 'erasing']);
  return { kind: 'update', key: applicationKey(id), condition, set: { state: 'erasing' } };
}

/** C7: begins an erasure. Refused: it has begun. */
export function beginErasure(key: TableKey<ControlItem>, item: ControlItem): ItemPut<ControlItem> {
  return { kind: 'put', key, item, condition: missing('pk') };
}

/** C8: how far an erasure is, as its version was read. Refused: somebody else went on with it. */
export function keepErasurePlace(
  key: TableKey<ControlItem>,
  seenVersion: number,
  to: { readonly value: string; readonly over: boolean },
): ItemUpdate<ControlItem> {
  return {
    kind: 'update',
    key,
    condition: eq('version', seenVersion),
    set: { value: to.value, version: seenVersion + 1 },
    ...(to.over ? { remove: ['gpk', 'gsk'] } : {}),
  };
}

// ---- replay jobs -----------------------------------------------------------------------------------------------------

/** C9: a job, once. Refused: this id is there. */
export function putReplayJob(job: ReplayJobItem): ItemPut<ReplayJobItem> {
  const item = { ...job, ...listedAt(JOBS, job.createdAt, job.id) };
  return { kind: 'put', key: replayJobKey(job.id), item, condition: missing('pk') };
}

/** C10: pauses, resumes or cancels a job, as its version was read. Refused: a page was done, or somebody else steered it. */
export function steerReplayJob(
  job: ReplayJobItem,
  to: 'running' | 'paused' | 'canceled',
  now: EpochMs,
): ItemUpdate<ReplayJobItem> {
  return changeJob(job, now, {
    state: to,
    ...(to === 'canceled' ? listedAt(JOBS_OVER, job.createdAt, job.id) : {}),
  });
}

/** C11: what a page did, and where the next one begins; without `cursor` it was the last. Refused: somebody steered it. */
export function keepReplayPlace(
  job: ReplayJobItem,
  now: EpochMs,
  page: { readonly counts: ReplayJobItem['counts']; readonly cursor: string | undefined; readonly nextDueAt: EpochMs },
): ItemUpdate<ReplayJobItem> {
  const { counts, cursor, nextDueAt } = page;
  return changeJob(job, now, {
    counts,
    nextDueAt,
    ...(cursor === undefined ? { state: 'done' as const, ...listedAt(JOBS_OVER, job.createdAt, job.id) } : { cursor }),
  });
}

/** Of C10 and C11. */
function changeJob(job: ReplayJobItem, now: EpochMs, set: Partial<ReplayJobItem>): ItemUpdate<ReplayJobItem> {
  const condition = eq('version', job.version);
  const changed = { ...set, updatedAt: now, version: job.version + 1 };
  return { kind: 'update', key: replayJobKey(job.id), condition, set: changed };
}

// ---- tend ------------------------------------------------------------------------------------------------------------

/** Where tend keeps its lease and its place. */
export const TEND = controlKey('tend');

/** C12: the lease of tend's run, as the item was read; `seenVersion` 0: there was none. Refused: another run was quicker. */
export function takeTend(
  seenVersion: number,
  by: { readonly me: string; readonly now: EpochMs; readonly until: EpochMs; readonly value: string },
): ItemUpdate<ControlItem> {
  const { me: owner, now, until, value } = by;
  const isOver = any(missing('until'), lt('until', now));
  const condition = seenVersion === 0 ? missing('pk') : all(eq('version', seenVersion), isOver);
  return { kind: 'update', key: TEND, condition, set: { value, version: seenVersion + 1, until, owner } };
}

/** C13: gives the lease back with what the next run must know. Refused: it ended, and another run has it. */
export function giveBackTend(me: string, value: string): ItemUpdate<ControlItem> {
  return { kind: 'update', key: TEND, condition: eq('owner', me), set: { value }, remove: ['until', 'owner'] };
}

// ---- contacts --------------------------------------------------------------------------------------------------------

/**
 * C14: the contacts of an application, as their version was read; `seenVersion` 0: there were none. `lookAt` undefined:
 * nobody looks at them. Refused: somebody else changed them, or is about to tell them.
 */
export function putContacts(
  app: AppId,
  seenVersion: number,
  contacts: readonly Contact[],
  lookAt: EpochMs | undefined,
): ItemPut<ContactsItem> {
  const condition = seenVersion === 0 ? missing('pk') : eq('version', seenVersion);
  const listed = lookAt === undefined ? {} : contactsListed(app, lookAt);
  return { kind: 'put', key: contactsKey(app), condition, item: { contacts, version: seenVersion + 1, ...listed } };
}
