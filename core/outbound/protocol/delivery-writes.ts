/**
 * Every write of the outbound protocol, W1 to W28, on one page and as data: what must hold, what is set, what goes.
 * Nothing else in the product changes a message, a row, a record, an endpoint or its runtime item (control-writes.ts has
 * the writes of everything else). The proof suite takes each leaf of each condition away in turn.
 */
import { all, any, type Condition, eq, exists, isIn, le, lt, missing, ne, same } from '#core/condition.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { Item, ItemPut, ItemUpdate, ItemWrite, Placed, TableKey } from '#core/outbound/ports.ts';
import type { AppId, EndpointId, MessageId } from './ids.ts';
import {
  type ApplicationItem,
  type BatchItem,
  type EndpointItem,
  FINAL_STATUSES,
  type LastAttempt,
  type MessageItem,
  OPEN_STATUSES,
  type RecordItem,
  type ReplayNoteItem,
  type RowItem,
  type RowNoteItem,
  type RuntimeItem,
  type SecretsItem,
} from './items.ts';
import {
  applicationKey,
  batchKey,
  copyNameKey,
  type DeliveryId,
  deadListed,
  endpointKey,
  endpointNameKey,
  laterRowKey,
  liveRowKey,
  messageKey,
  recordKey,
  replayNoteKey,
  rowNoteKey,
  runtimeKey,
  secretsKey,
  wakeListed,
} from './keys.ts';
import { deliveryExpiry, type Kept, OUTBOUND_TIMINGS, ROW_NOTE_MS, retentionOf, rowExpiry } from './timings.ts';

type RecordUpdate = ItemUpdate<RecordItem>;
type RuntimeUpdate = ItemUpdate<RuntimeItem>;
const WAKE = ['gpk', 'gsk'] as const;
const HOLD = ['holdUntil', 'holdWhy', 'holdSince'] as const;
const ofRuntime = (ep: EndpointId, change: Omit<RuntimeUpdate, 'kind' | 'key'>): RuntimeUpdate => ({
  ...{ kind: 'update', key: runtimeKey(ep) },
  ...change,
});
const ofRecord = (delivery: DeliveryId, change: Omit<RecordUpdate, 'kind' | 'key'>): RecordUpdate => ({
  ...{ kind: 'update', key: recordKey(delivery) },
  ...change,
});

// ---- publish and fan-out ---------------------------------------------------------------------------------------------

/**
 * W1: put the message.
 * @by publish
 * @if it is not there
 * @else same input: continue; other input: 409
 */
export function putMessage(item: MessageItem): ItemPut<MessageItem> {
  return { kind: 'put', key: messageKey(item.id), item, condition: missing('pk') };
}

/**
 * W20: remove a message's body. What waits of it ends as canceled.
 * @by person
 * @if it is there, and its body was not removed
 * @else nothing is left to do
 */
export function removeBody(msg: MessageId, now: EpochMs): ItemUpdate<MessageItem> {
  const condition = all(exists('pk'), missing('bodyRemovedAt'));
  return { kind: 'update', key: messageKey(msg), condition, set: { bodyRemovedAt: now }, remove: ['body', 'ref'] };
}

/** The place of each write in a copy, so that a refusal is understood. */
export const COPY_WRITES = { copy: 0, name: 1, original: 2 } as const;

/**
 * W23: copy a message (`as_new`). The transaction reads the original: whoever takes the original's body away finds the copy,
 * or the copy is refused.
 * @by person
 * @if a transaction: the copy is not there, its name beside the original, the original has its body
 * @else it is there: continue; the body is gone: 410
 */
export function copyMessage(copy: MessageItem, of: MessageId): readonly ItemWrite[] {
  const { id, expiresAt } = copy;
  return [
    putMessage(copy),
    { kind: 'put', key: copyNameKey(of, id), item: { copy: id, expiresAt } },
    { kind: 'check', key: messageKey(of), condition: all(exists('pk'), missing('bodyRemovedAt')) },
  ];
}

/**
 * W28: note that rows of an application come, before the first of an hour (**W2**, **W17**).
 * @by fan-out
 * @if none; a failed one: no row is put
 */
export function noteRows(app: AppId, now: EpochMs): ItemPut<RowNoteItem> {
  const expiresAt = Math.floor((now + ROW_NOTE_MS) / 1_000);
  return { kind: 'put', key: rowNoteKey(app, now), item: { expiresAt } };
}

/** As it is stored; most rows have none. */
const keptBy = ({ keepMs }: Kept): Kept => (keepMs === undefined ? {} : { keepMs });

/**
 * W2: put a first row.
 * @by fan-out
 * @if none: the same key is the same row
 */
export function liveRow(
  delivery: DeliveryId & Kept & Pick<RowItem, 'type'>,
  now: EpochMs,
  retentionMs: number,
): Placed<Item & RowItem> {
  const { pk, sk } = liveRowKey(delivery);
  const { msg, createdAt, type } = delivery;
  const expiresAt = rowExpiry(now, retentionMs);
  return { pk, sk, msg, createdAt, gen: 1, n: 1, ...given({ type }), ...keptBy(delivery), expiresAt };
}

// ---- the lease -------------------------------------------------------------------------------------------------------

export interface Take {
  readonly me: string;
  readonly now: EpochMs;
  readonly leaseUntil: EpochMs;
  /** Behind a shut gate, to end what is too old: no hold is looked at. */
  readonly toEnd: boolean;
}
/**
 * W3: take the lease.
 * @by session
 * @if owner, lease and gate as read; the lease is free or over; no hold
 * @else our own token is there: it was our repeated write, so continue. Else read again
 */
export function takeLease(read: RuntimeItem, by: Take): RuntimeUpdate {
  const free = [same('owner', read.owner), same('leaseUntil', read.leaseUntil), eq('gate', read.gate)];
  const noHold = any(missing('holdUntil'), le('holdUntil', by.now + OUTBOUND_TIMINGS.slackMs));
  return ofRuntime(read.ep, {
    condition: by.toEnd ? all(...free) : all(...free, noHold),
    set: {
      owner: by.me,
      leaseUntil: by.leaseUntil,
      crashes: read.owner === undefined ? 0 : read.crashes + 1,
    },
  });
}

/**
 * W4: renew the lease.
 * @by session
 * @if owner is `me`
 * @else begin nothing new, record the requests that are under way, release
 */
export function renewLease(ep: EndpointId, me: string, leaseUntil: EpochMs): RuntimeUpdate {
  return ofRuntime(ep, { condition: eq('owner', me), set: { leaseUntil } });
}

/** What a session knows better than the item when it ends. An undefined one is removed. */
export const SESSION_ATTRIBUTES = [
  'holdUntil',
  'holdWhy',
  'holdSince',
  'heldTo',
  'opens',
  'recovered',
  'ramp',
  'round',
  'throttles',
  'throttled',
  'failingSince',
  'probes',
  'goneAt',
  'forbiddenAt',
  'recent',
  'failed',
  'silentSince',
  'oks',
  'endLaterAt',
  'cap',
  'steadyCap',
  'streak',
  'cooldown',
  'ewmaMs',
  'lane',
  'quick',
  'bucket',
  'rated',
  'hours',
  'lastSuccessAt',
  'lastFailureAt',
  'lastClass',
  'lastCode',
  'lastFailureClass',
  'lastFailureCode',
] as const satisfies readonly (keyof RuntimeItem)[];
export type SessionState = { readonly [K in (typeof SESSION_ATTRIBUTES)[number]]?: RuntimeItem[K] | undefined };

/**
 * W10: give the lease back, with what the session found out and when to look again.
 * @by session
 * @if owner is `me`
 * @else look again with the item that came back
 */
export function releaseLease(
  ep: EndpointId,
  me: string,
  end: {
    readonly state: SessionState;
    readonly died: number;
    readonly wakeAt: EpochMs | undefined;
    readonly now: EpochMs;
  },
  /** What it knows better: one that only ends what is too old leaves the rest, which readers change meanwhile. */
  learnt: readonly (keyof SessionState)[] = SESSION_ATTRIBUTES,
): RuntimeUpdate {
  const { state, died, wakeAt, now: leftAt } = end;
  const known = learnt.filter(name => state[name] !== undefined);
  const gone = learnt.filter(name => state[name] === undefined);
  return ofRuntime(ep, {
    condition: eq('owner', me),
    set: {
      ...Object.fromEntries(known.map(name => [name, state[name]])),
      ...{ crashes: 0, leftAt },
      ...(wakeAt === undefined ? {} : wakeListed(ep, wakeAt)),
    },
    ...(died === 0 ? {} : { add: { dead: died } }),
    remove: ['owner', 'leaseUntil', ...gone, ...(wakeAt === undefined ? WAKE : [])],
  });
}

/** W10 after three dead owners in a row: nothing is sent for a while; what the session would know stays as it was. */
export function releaseCrashed(ep: EndpointId, me: string, now: EpochMs, holdUntil: EpochMs): RuntimeUpdate {
  return ofRuntime(ep, {
    condition: eq('owner', me),
    set: { crashes: 0, holdUntil, holdWhy: 'crash', holdSince: now, ...wakeListed(ep, holdUntil) },
    remove: ['owner', 'leaseUntil'],
  });
}

/**
 * W11: remove `wakeAt`.
 * @by session
 * @if the gate is paused or disabled, or open and the kind is pull
 * @else somebody opened it, and set its own `wakeAt`
 */
export function clearWake(ep: EndpointId): RuntimeUpdate {
  const condition = any(isIn('gate', ['paused', 'disabled']), all(exists('pulled'), eq('gate', 'open')));
  return ofRuntime(ep, { condition, remove: WAKE });
}

// ---- outcomes --------------------------------------------------------------------------------------------------------

/** `open(gen)`: this generation still owes something. Only a first one may have no record. */
function open(gen: number): Condition {
  return gen === 1 ? any(missing('pk'), owing(gen)) : owing(gen);
}
const owing = (gen: number): Condition => all(eq('gen', gen), isIn('status', OPEN_STATUSES));

/** What an outcome is about. */
export interface Delivery extends DeliveryId, Kept {
  readonly app: AppId;
  readonly gen: number;
  /** Unknown where the message is gone. */
  readonly type?: string;
}
export interface Outcome {
  readonly now: EpochMs;
  readonly retentionMs: number;
  readonly last: LastAttempt;
  readonly snippet?: string;
  /** Of a success. */
  readonly exchange?: Uint8Array;
  /** Of the first attempt, where the record has none. */
  readonly firstAt?: EpochMs;
  readonly oksBefore?: number;
  /** Its body cannot be read since. */
  readonly unreadableAt?: EpochMs;
  /** Of the head of an ordered endpoint. */
  readonly head?: { readonly headMs: number; readonly headAt: EpochMs };
}
const about = ({ app, gen, type, createdAt, ...kept }: Delivery, now: EpochMs, retentionMs: number) => ({
  app,
  gen,
  ...given({ type }),
  expiresAt: deliveryExpiry(createdAt, now, retentionOf(kept, retentionMs)),
});
const seen = ({ last, snippet, exchange, firstAt, oksBefore, unreadableAt, head }: Outcome) => ({
  last,
  ...given({ snippet, exchange, firstAt, oksBefore, unreadableAt }),
  ...head,
});

/**
 * W5: delivered, or aborted.
 * @by session
 * @if `open(gen)`
 * @else delete the row
 */
export function recordEnd(delivery: Delivery, status: 'delivered' | 'aborted', outcome: Outcome): RecordUpdate {
  const { now, retentionMs } = outcome;
  return ofRecord(delivery, {
    condition: open(delivery.gen),
    set: { ...about(delivery, now, retentionMs), ...seen(outcome), status, endedAt: now },
    remove: ['nextAt'],
  });
}

/**
 * W6: a charged failure: retrying, or dead. The `n`-th. Without `nextAt` it was the last: dead.
 * @by session
 * @if `open(gen)`, and `attempts` is below this attempt
 * @else recorded already: continue at W7. Else delete the row
 */
export function recordFailure(
  delivery: Delivery,
  n: number,
  nextAt: EpochMs | undefined,
  outcome: Outcome,
): RecordUpdate {
  const { now, retentionMs } = outcome;
  const dead = nextAt === undefined;
  return ofRecord(delivery, {
    condition: all(open(delivery.gen), any(missing('attempts'), lt('attempts', n))),
    set: {
      ...about(delivery, now, retentionMs),
      ...seen(outcome),
      attempts: n,
      ...(dead
        ? { status: 'dead', endedAt: now, ...deadListed(delivery.ep, now, delivery.msg) }
        : { status: 'retrying', nextAt }),
    },
    remove: dead ? ['nextAt', 'waits'] : ['waits'],
  });
}

/**
 * W21: a failure that is not charged: the same attempt, not before `nextAt`. `seenAttempts`: those of the record as it was
 * read.
 * @by session
 * @if `open(gen)`, and `attempts` as read
 * @else another session recorded an outcome: continue at W7
 */
export function recordWait(
  delivery: Delivery,
  seenAttempts: number | undefined,
  wait: { readonly nextAt: EpochMs; readonly waits: number },
  outcome: Outcome,
): RecordUpdate {
  const { now, retentionMs } = outcome;
  return ofRecord(delivery, {
    condition: all(
      seenAttempts === undefined ? open(delivery.gen) : owing(delivery.gen),
      same('attempts', seenAttempts),
    ),
    set: { ...about(delivery, now, retentionMs), ...seen(outcome), ...wait, status: 'retrying' },
  });
}

/**
 * W7: put the row of the next attempt. The same failure makes the same row.
 * @by session
 * @if none
 */
export function retryRow(
  delivery: DeliveryId & Kept & { readonly gen: number },
  next: { readonly nextAt: EpochMs; readonly n: number },
  rules: { readonly now: EpochMs; readonly retentionMs: number },
): ItemPut<RowItem> {
  return laterRow(delivery, { dueAt: next.nextAt, kind: 'r', n: next.n }, rules);
}

/** A row behind the live ones: of a retry, or of a replay, which may be one of a job. */
function laterRow(
  delivery: DeliveryId & Kept & { readonly gen: number },
  { dueAt, kind, n, job }: { readonly dueAt: EpochMs; readonly kind: 'r' | 'p' } & Pick<RowItem, 'n' | 'job'>,
  { now, retentionMs }: { readonly now: EpochMs; readonly retentionMs: number },
): ItemPut<RowItem> {
  const { msg, createdAt, gen } = delivery;
  const expiresAt = rowExpiry(now, retentionMs);
  const item = { msg, createdAt, gen, n, ...given({ job }), ...keptBy(delivery), expiresAt };
  return { kind: 'put', key: laterRowKey(delivery, { dueAt, kind, gen, n }), item };
}

/**
 * W8: delete the row. `ItemStore.delete`, plain: always the last write of an outcome.
 * @by session
 * @if none
 */

/**
 * W9: expired, dropped, canceled.
 * @by session
 * @if `open(gen)`
 * @else delete the row
 */
export function recordUnsent(
  delivery: Delivery,
  status: 'expired' | 'dropped' | 'canceled',
  rules: { readonly now: EpochMs; readonly retentionMs: number },
): RecordUpdate {
  return ofRecord(delivery, {
    condition: open(delivery.gen),
    set: { ...about(delivery, rules.now, rules.retentionMs), status, endedAt: rules.now },
    remove: ['nextAt'],
  });
}

/** W9, where the body could not be read for a day: dead and visible. Our own fault uses up no attempt. */
export function recordUnreadable(delivery: Delivery, outcome: Outcome): RecordUpdate {
  const { now, retentionMs } = outcome;
  return ofRecord(delivery, {
    condition: open(delivery.gen),
    set: {
      ...about(delivery, now, retentionMs),
      ...seen(outcome),
      ...{ status: 'dead', endedAt: now },
      ...deadListed(delivery.ep, now, delivery.msg),
    },
    remove: ['nextAt', 'waits'],
  });
}

// ---- reading ---------------------------------------------------------------------------------------------------------

/**
 * W26: count what was acknowledged (**W5**, **W8**).
 * @by reader
 * @if the kind is pull, the hours as read
 * @else read again
 */
export function countRead(read: RuntimeItem, many: number, hours: string, now: EpochMs): RuntimeUpdate {
  return ofRuntime(read.ep, {
    condition: all(exists('pulled'), same('hours', read.hours)),
    set: { hours, lastSuccessAt: now, lastClass: 'ok' },
    add: { oks: many },
  });
}

// ---- batches ---------------------------------------------------------------------------------------------------------

/** A batch by its name. */
export type Batch = Pick<BatchItem, 'members'> & { readonly id: string };

/** The place of the lease in the transaction. */
export const BATCH_WRITES = { lease: 0 } as const;

/**
 * W24: fix the members of a batch, or split it. With `of` it splits that one, or leaves out what is over. Whoever has the
 * lease now may have grouped the same messages in another way.
 * @by session
 * @if a transaction: owner is `me`
 * @else begin nothing new
 */
export function fixBatches(
  lease: { readonly ep: EndpointId; readonly me: string },
  fixed: readonly Batch[],
  of: string | undefined,
  rules: { readonly now: EpochMs; readonly retentionMs: number },
): readonly ItemWrite[] {
  const { ep, me } = lease;
  const expiresAt = rowExpiry(rules.now, rules.retentionMs);
  return [
    { kind: 'check', key: runtimeKey(ep), condition: eq('owner', me) },
    ...fixed.map(({ id, members }) => ({ kind: 'put', key: batchKey(ep, id), item: { members, expiresAt } }) as const),
    ...(of === undefined ? [] : [{ kind: 'delete', key: batchKey(ep, of) } as const]),
  ];
}

/**
 * W25: delete a batch that is over. `ItemStore.delete`, plain.
 * @by session
 * @if none; after all its records
 */

// ---- the gate --------------------------------------------------------------------------------------------------------

export interface GateAct {
  readonly by: 'operator' | 'customer' | 'system';
  readonly why: string;
  readonly now: EpochMs;
}
/** What an operator closed, a customer neither opens nor closes in another way. */
const allowedTo = (by: GateAct['by'], condition: Condition): Condition =>
  by === 'customer' ? all(condition, ne('gateBy', 'operator')) : condition;
const CLOSED_BY = ['gateBy', 'gateWhy'] as const;

/**
 * W12: pause, or disable.
 * @by person
 * @if the gate allows it
 * @else says what the gate is
 */
export function closeGate(ep: EndpointId, gate: 'paused' | 'disabled', act: GateAct): RuntimeUpdate {
  const from = gate === 'paused' ? ['open', 'paused'] : ['open', 'paused', 'disabled'];
  return ofRuntime(ep, {
    condition: allowedTo(act.by, isIn('gate', from)),
    set: { gate, gateBy: act.by, gateWhy: act.why, gateSince: act.now },
    remove: WAKE,
  });
}

/**
 * W13: resume, with `wakeAt` = now.
 * @by person
 * @if the gate is paused
 * @else says what the gate is
 */
export function openPaused(ep: EndpointId, act: GateAct): RuntimeUpdate {
  return ofRuntime(ep, {
    condition: allowedTo(act.by, eq('gate', 'paused')),
    set: { gate: 'open', gateSince: act.now, ...wakeListed(ep, act.now) },
    remove: CLOSED_BY,
  });
}

/**
 * W14: disable. Only an open gate: a deleted endpoint must not come back.
 * @by session
 * @if owner is `me`, the gate is open
 * @else begin nothing new
 */
export function disableOwned(ep: EndpointId, me: string, why: string, now: EpochMs): RuntimeUpdate {
  return ofRuntime(ep, {
    condition: all(eq('owner', me), eq('gate', 'open')),
    set: { gate: 'disabled', gateBy: 'system', gateWhy: why, gateSince: now },
    remove: WAKE,
  });
}

/**
 * W15: enable, with `wakeAt` = now. The first request is a trial request; `dropBefore` lets go of the backlog up to then.
 * @by person
 * @if the gate is disabled
 * @else says what the gate is
 */
export function enable(ep: EndpointId, act: GateAct, dropBefore?: EpochMs): RuntimeUpdate {
  return ofRuntime(ep, {
    condition: allowedTo(act.by, eq('gate', 'disabled')),
    set: {
      gate: 'open',
      gateSince: act.now,
      opens: 1,
      probes: 0,
      ...given({ dropBefore }),
      ...wakeListed(ep, act.now),
    },
    remove: [...CLOSED_BY, ...HOLD, 'failingSince', 'goneAt', 'forbiddenAt', 'recovered', 'failed', 'rated'],
  });
}

/**
 * W18: try now. Whatever the hold says.
 * @by person
 * @if the gate is open
 * @else says what the gate is
 */
export function tryNow(ep: EndpointId, now: EpochMs): RuntimeUpdate {
  return ofRuntime(ep, {
    condition: eq('gate', 'open'),
    set: { heldTo: now, ...wakeListed(ep, now) },
    remove: HOLD,
  });
}

// ---- configuration ---------------------------------------------------------------------------------------------------

type Changed = Pick<EndpointItem, 'app' | 'id'>;
const endpointChanged = (
  { app, id }: Changed,
  endpoints: 1 | -1 | 0,
  condition: Condition,
): ItemUpdate<ApplicationItem> => ({
  kind: 'update',
  key: applicationKey(app),
  condition,
  set: { changedEndpoint: id },
  add: { endpointVersion: 1, ...(endpoints === 0 ? {} : { endpoints }) },
});
const nameOf = (app: AppId, uid: string, id: EndpointId): ItemPut<{ id: EndpointId }> => ({
  kind: 'put',
  key: endpointNameKey(app, uid) as TableKey<{ id: EndpointId }>,
  item: { id },
  condition: any(missing('pk'), eq('id', id)),
});

/** The place of each write in the endpoint's transactions, so that a refusal is understood. */
export const ENDPOINT_WRITES = { application: 0, endpoint: 1, name: 4 } as const;

/** W19 for a new endpoint: configuration, secrets and runtime at once, within the application's limit. */
export function createEndpoint(
  endpoint: EndpointItem,
  secrets: SecretsItem,
  runtime: RuntimeItem,
  limit: number,
): readonly ItemWrite[] {
  const { app, id, uid } = endpoint;
  const put = <T>(key: TableKey<T>, item: T): ItemPut<T> => ({ kind: 'put', key, item, condition: missing('pk') });
  return [
    endpointChanged(endpoint, 1, all(eq('state', 'active'), lt('endpoints', limit))),
    put(endpointKey(app, id), endpoint),
    put(secretsKey(id), secrets),
    put(runtimeKey(id), runtime),
    ...(uid === undefined ? [] : [nameOf(app, uid, id)]),
  ];
}

/**
 * W19: change the endpoint.
 * @by person
 * @if a transaction: the version as read
 * @else 409
 */
export function changeEndpoint(endpoint: EndpointItem, seenVersion: number): readonly ItemWrite[] {
  return [
    endpointChanged(endpoint, 0, eq('state', 'active')),
    {
      kind: 'put',
      key: endpointKey(endpoint.app, endpoint.id),
      item: endpoint,
      condition: all(eq('version', seenVersion), missing('deletedAt')),
    } satisfies ItemPut<EndpointItem>,
    noteChange(endpoint.id),
  ];
}

/**
 * W22: count a change of the configuration or the secrets. In one transaction with a change of the endpoint; alone after a
 * change of secrets.
 * @by person
 * @if the endpoint is there
 * @else it was deleted
 */
export function noteChange(ep: EndpointId): RuntimeUpdate {
  return ofRuntime(ep, { condition: exists('pk'), add: { config: 1 } });
}

/** What is left of an endpoint: enough to end what waits. */
export function tombstoneOf(
  { id, app, mode, version, createdAt }: Pick<EndpointItem, 'id' | 'app' | 'mode' | 'version' | 'createdAt'>,
  now: EpochMs,
): EndpointItem {
  return {
    id,
    app,
    url: '',
    description: '',
    types: [],
    channels: [],
    mode,
    headers: {},
    signature: 'standard',
    maxConcurrency: 1,
    timeoutMs: 1_000,
    ordered: false,
    payload: 'full',
    metadata: {},
    subscribedAt: now,
    version: version + 1,
    createdAt,
    deletedAt: now,
  };
}

/**
 * W16: delete the endpoint. What is left is a tombstone and a gate that stays shut; what waits ends as canceled.
 * @by person
 * @if a transaction: configuration, version, gate
 * @else 409
 */
export function deleteEndpoint(
  endpoint: EndpointItem,
  rules: { readonly now: EpochMs; readonly by: GateAct['by']; readonly why: string; readonly expiresAt: number },
): readonly ItemWrite[] {
  const { app, id, version, uid } = endpoint;
  const { now, by, why, expiresAt } = rules;
  const tombstone: EndpointItem = { ...tombstoneOf(endpoint, now), expiresAt };
  return [
    endpointChanged(endpoint, -1, isIn('state', ['active', 'erasing'])),
    {
      kind: 'put',
      key: endpointKey(app, id),
      item: tombstone,
      condition: all(eq('version', version), missing('deletedAt')),
    },
    {
      kind: 'update',
      key: runtimeKey(id),
      condition: isIn('gate', ['open', 'paused', 'disabled']),
      set: { gate: 'deleted', gateBy: by, gateWhy: why, gateSince: now, expiresAt, ...wakeListed(id, now) },
      remove: HOLD,
    },
    { kind: 'delete', key: secretsKey(id) },
    ...(uid === undefined ? [] : [{ kind: 'delete', key: endpointNameKey(app, uid) } as const]),
  ];
}

// ---- replay ----------------------------------------------------------------------------------------------------------

export interface Replay {
  /** Of the request or of the job: the same one replays a delivery once. */
  readonly replayId: string;
  readonly by: string;
  readonly why?: string;
  readonly now: EpochMs;
  /** "Try now": a delivery that waits for a retry may be replayed as well. */
  readonly alsoRetrying: boolean;
  /** Of a job: what was replayed since then, by anybody, is left alone. */
  readonly asOf?: EpochMs;
  /** Of a job: what has another status by now is left alone. */
  readonly only?: RecordItem['status'];
  readonly job?: RowItem['job'];
  /** Of a job: its place in the job's rate. Default: now. */
  readonly dueAt?: EpochMs;
}
/** What a new generation begins without. */
const OF_ONE_GENERATION = [
  'nextAt',
  'endedAt',
  'firstAt',
  'gpk',
  'gsk',
  'waits',
  'unreadableAt',
  'oksBefore',
  'headMs',
  'headAt',
] as const;

/** The place of each write in a replay, so that a refusal is understood. */
export const REPLAY_WRITES = { record: 0, row: 1, note: 2 } as const;

/**
 * W17: replay. Either order of two writes strands something; a note of its own knows the request again after somebody else's
 * replay. A job needs no note: what was replayed since its `asOf`, or has
 * another status by now, is left alone (test/proof/model/replay-status-model.ts).
 * @by person
 * @if a transaction of record, row and a note of the request: the generation as read, no note yet
 * @else our note is there: send the wake-up again. Else 409
 */
export function replay(
  delivery: DeliveryId & Kept,
  record: RecordItem,
  request: Replay,
  retentionMs: number,
): readonly [RecordUpdate, ItemPut<RowItem>, ...ItemPut<ReplayNoteItem>[]] {
  const { replayId, by, why, now, alsoRetrying, asOf, only, job, dueAt = now } = request;
  const gen = record.gen + 1;
  const from = alsoRetrying ? [...FINAL_STATUSES, 'retrying'] : FINAL_STATUSES;
  const wanted = only === undefined ? from : [only];
  const conditions = [eq('gen', record.gen), isIn('status', wanted)];
  if (asOf !== undefined) conditions.push(any(missing('replayedAt'), lt('replayedAt', asOf)));
  return [
    {
      kind: 'update',
      key: recordKey(delivery),
      condition: all(...conditions),
      set: {
        gen,
        status: 'pending',
        attempts: 0,
        replayId,
        replayedAt: Math.max(now, asOf ?? 0),
        replayedBy: by,
        ...given({ why }),
        expiresAt: deliveryExpiry(delivery.createdAt, now, retentionOf(delivery, retentionMs)),
      },
      remove: [...OF_ONE_GENERATION, ...(why === undefined ? (['why'] as const) : [])],
    },
    laterRow({ ...delivery, gen }, { dueAt, kind: 'p', n: 1, ...given({ job }) }, { now, retentionMs }),
    ...(asOf === undefined
      ? [noteReplay(delivery, replayId, { gen, at: now, expiresAt: rowExpiry(now, retentionMs) })]
      : []),
  ];
}

/** Of W17. Refused: this request was carried out. */
function noteReplay(delivery: DeliveryId, replayId: string, item: ReplayNoteItem): ItemPut<ReplayNoteItem> {
  return { kind: 'put', key: replayNoteKey(delivery, replayId), item, condition: missing('pk') };
}

// ---- import ----------------------------------------------------------------------------------------------------------

/** A delivery of another environment, as it is stored here. */
export interface ImportedDelivery extends DeliveryId, Kept, Pick<RowItem, 'type'> {
  /** Absent: nobody has tried it. */
  readonly record?: RecordItem;
  /** Of one that waits: `live` where nobody has tried it, or where its endpoint is ordered. Absent: it ended. */
  readonly row?: 'live' | 'later';
}

/** The place of each write in an import, so that a refusal is understood. */
export const IMPORT_WRITES = { record: 0, gate: 1 } as const;

/**
 * W27: import a delivery. What waits comes with its row, at an endpoint where a person must open the gate: an import sends
 * nothing.
 * @by person
 * @if a transaction: the record as read; where it waits, the gate is paused or disabled
 * @else read again; an open gate: it is left out
 */
export function importDelivery(
  delivery: ImportedDelivery,
  seen: Pick<RecordItem, 'gen' | 'status'> | undefined,
  rules: { readonly now: EpochMs; readonly retentionMs: number },
): readonly ItemWrite[] {
  const { ep, record, row } = delivery;
  const key = recordKey(delivery);
  const condition = seen === undefined ? missing('pk') : all(eq('gen', seen.gen), eq('status', seen.status));
  const written: ItemWrite =
    record === undefined ? { kind: 'check', key, condition } : { kind: 'put', key, item: record, condition };
  if (row === undefined) return [written];
  return [
    written,
    { kind: 'check', key: runtimeKey(ep), condition: isIn('gate', ['paused', 'disabled']) },
    row === 'live' ? importedLiveRow(delivery, rules) : importedLaterRow(delivery, record, rules),
  ];
}

type ImportRules = Parameters<typeof importDelivery>[2];
function importedLiveRow(delivery: ImportedDelivery, { now, retentionMs }: ImportRules): ItemPut<RowItem> {
  const { pk: _, sk: __, ...item } = liveRow(delivery, now, retentionMs);
  return { kind: 'put', key: liveRowKey(delivery), item };
}
/** A replay that waits is due at once, as it was; a retry when it was. */
function importedLaterRow(
  delivery: ImportedDelivery,
  record: RecordItem | undefined,
  rules: ImportRules,
): ItemPut<RowItem> {
  const { gen = 1, attempts = 0, status, nextAt = rules.now } = record ?? {};
  if (status === 'retrying') return retryRow({ ...delivery, gen }, { nextAt, n: attempts + 1 }, rules);
  return laterRow({ ...delivery, gen }, { dueAt: rules.now, kind: 'p', n: 1 }, rules);
}
