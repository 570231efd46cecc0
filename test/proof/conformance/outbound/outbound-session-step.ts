/** A session's steps with the real keys, `decide` and the writes W3 to W11 and W14. */
import type { ItemResult } from '#core/outbound/ports.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import {
  clearWake,
  disableOwned,
  recordEnd,
  recordFailure,
  recordUnsent,
  releaseLease,
  retryRow,
  takeLease,
} from '#core/outbound/protocol/delivery-writes.ts';
import type { LastAttempt, RecordItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { wakeAtOf } from '#core/outbound/protocol/keys.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { DAY_MS } from '#core/time.ts';
import { Divergence } from '#test/proof/conformance/expect-call.ts';
import type { Step } from '#test/proof/model/explorer/model.ts';
import {
  type Drainer,
  isShut,
  messageOf,
  NOBODY,
  type Pointer,
  type State,
} from '#test/proof/model/outbound/outbound-state.ts';
import { EP, type OutboundWorld, type PlacedRow, pageKey, type RealSession } from './outbound-world.ts';

const RETENTION_MS = 30 * DAY_MS;
/** Share of the writes whose reply is lost, so that the client writes once more. */
const LOST_REPLIES = 0.2;

interface Acting {
  readonly world: OutboundWorld;
  readonly from: State;
  readonly me: number;
  readonly session: RealSession;
  readonly before: Drainer;
  readonly after: Drainer | undefined;
  readonly action: string;
  readonly now: number;
}

export function sessionStep(world: OutboundWorld, from: State, { actor, action, to }: Step<State>): void {
  const me = Number(actor.at(-1));
  if (action === 'receives a wake-up') {
    world.sessions[me] = { read: world.runtimeItem(), page: new Map(), retry: new Map() };
    return;
  }
  const session = world.sessions[me];
  const before = from.drainers[me];
  if (!session || !before) throw new Divergence(`${actor} has no session`);
  const after = to.drainers[me];
  const acting: Acting = { world, from, me, session, before, after, action, now: world.clock.now() };
  const [, act] = ACTS.find(([start]) => action.startsWith(start)) ?? [];
  act?.(acting);
  if (!after) world.sessions[me] = undefined;
}

/** By the start of the action; what is not here touches no item. */
const ACTS: readonly (readonly [string, (acting: Acting) => void])[] = [
  ['gate shut', closedGate],
  ['on hold or held', isHeldOff],
  ['finds nothing due', findsNothing],
  ['takes the lease', takesLease],
  ['finds that it lost', ({ world, session }) => demand(world.runtimeItem().owner !== session.me, 'it is the owner')],
  ['finds the gate', seesGate],
  ['looks', looks],
  ['queries again', looksAgain],
  ['queries', readsPage],
  ['sends', decidesToSend],
  ['sees that the row', acting => demand(decisionOf(acting).do === 'delete', 'the row is not done')],
  ['sees that the attempt', seesRecorded],
  ['records that it was dropped', endsUnsent],
  ['2xx', succeeds],
  ['fails', fails],
  ['puts the retry row', putsRetryRow],
  ['deletes the row', deletesRow],
  ['disables', disables],
  ['lost the lease or the gate', disables],
  ['release fails', () => undefined],
  ['gives up', givesUp],
  ['releases', releases],
];

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Divergence(what);
}

function first(drainer: Drainer): Pointer {
  return drainer.hand[0] as Pointer;
}

function rowOf(session: RealSession, { message, row }: Pointer): PlacedRow {
  const found = session.page.get(pageKey(message, row));
  if (!found) throw new Divergence(`m${message} generation ${row.gen} attempt ${row.n} is not on the page`);
  return found;
}

function decisionOf({ world, session, before }: Acting) {
  const pointer = first(before);
  return world.decide(pointer.message, rowOf(session, pointer));
}

// ---- the lease

/** The item as this session read it, which may be long ago, lets it take the lease. */
function mayTake(read: RuntimeItem, now: number): boolean {
  const held = read.owner !== undefined && (read.leaseUntil ?? 0) >= now;
  return !held && !isShut(read.gate) && (read.holdUntil ?? 0) <= now;
}

function tryLease({ world, session, now }: Acting, read: RuntimeItem, twice = false): ItemResult<RuntimeItem> {
  session.me = world.id('session');
  const take = { me: session.me, now, leaseUntil: world.deadline(), toEnd: isShut(read.gate) };
  return world.apply(takeLease(read, take), twice);
}

function closedGate(acting: Acting): void {
  const { world } = acting;
  mustNotTake(acting);
  const { kind } = world.apply(clearWake(EP), world.random.chance(LOST_REPLIES));
  demand(kind === 'applied', 'a wake-up at a shut gate could not clear wakeAt');
}

function isHeldOff(acting: Acting): void {
  const { owner, leaseUntil, holdUntil } = acting.world.runtimeItem();
  const held = owner !== undefined && (leaseUntil ?? 0) >= acting.now;
  demand(held || (holdUntil ?? 0) > acting.now + OUTBOUND_TIMINGS.slackMs, 'nothing keeps the wake-up from the lease');
  mustNotTake(acting);
}

/** What changed between the read and W3 refuses it. */
function mustNotTake(acting: Acting): void {
  const { read } = acting.session;
  if (mayTake(read, acting.now))
    demand(tryLease(acting, read).kind === 'refused', 'the lease was taken by an old read');
}

/** The rows before the lease: nothing is due, and `wakeAt`, if anything comes, is not later than that. */
function findsNothing({ world, now }: Acting): void {
  const wakeAt = wakeAtOf(world.runtimeItem());
  const next = world.nextDue();
  demand(world.dueRows().length === 0, 'a row is due');
  demand(wakeAt === undefined || wakeAt > now, 'wakeAt is over, and would stay');
  demand(next === undefined || (wakeAt !== undefined && wakeAt <= next), 'nothing will wake the endpoint for its row');
}

/** The next row comes before or after `wakeAt`: the model may do either, the code goes by the times. */
export function goesByTimes(world: OutboundWorld, from: State, me: number, action: string): boolean {
  const { gate, owner, wake } = from.runtime;
  const drops = action.startsWith('finds nothing');
  if (from.drainers[me]?.step !== 'got' || !(drops || action.startsWith('takes the lease'))) return true;
  if (gate !== 'open' || owner !== NOBODY || wake !== 'ahead' || world.dueRows().length > 0) return true;
  const next = world.nextDue();
  if (next === undefined || world.ordered) return true;
  return drops === next >= (wakeAtOf(world.runtimeItem()) as number);
}

/** The gate changed since the session read it. */
function seesGate({ world, action }: Acting): void {
  const shut = action.endsWith('shut');
  demand(isShut(world.runtimeItem().gate) === shut, `the gate is ${world.runtimeItem().gate}`);
}

/** D7: still the owner, and the gate as before. */
function looks({ world, session, before }: Acting): void {
  const { owner, gate } = world.runtimeItem();
  demand(owner === session.me, 'it is not the owner');
  demand(isShut(gate) === isShut(before.gate), `the gate is ${gate}`);
}

function takesLease(acting: Acting): void {
  const { world, session, action, now } = acting;
  // W11 by an old read is refused, as the next comparison shows.
  if (isShut(session.read.gate) && !isShut(world.runtimeItem().gate)) world.apply(clearWake(EP));
  if (mayTake(session.read, now) && tryLease(acting, session.read).kind === 'applied') return;
  const twice = action.includes('own retry');
  const { kind, item } = tryLease(acting, world.runtimeItem(), twice);
  demand(twice ? kind === 'refused' && item?.owner === session.me : kind === 'applied', `the lease: ${kind}`);
}

function disables({ world, session, action, now }: Acting): void {
  const { kind } = world.apply(disableOwned(EP, session.me ?? '', 'gone', now));
  demand((kind === 'applied') === action.startsWith('disables'), `the endpoint was ${kind} disabled`);
}

/** It reads when the next row is due, for its release. */
function givesUp({ world, session }: Acting): void {
  session.next = world.nextDue();
}

function releases({ world, from, me, session, before, after, action, now }: Acting): void {
  const hold = before.why === 'hold' || before.why === 'broken, hold' ? world.deadline() : undefined;
  const wakeAt = hold ?? (before.why === 'ahead' || before.why === 'broken, ahead' ? session.next : undefined);
  const state = {
    cap: 5,
    ewmaMs: 0,
    lane: 'fast',
    opens: hold === undefined ? 0 : 1,
    probes: 0,
    ...(hold === undefined ? {} : { holdUntil: hold, holdWhy: 'breaker' as const, holdSince: now }),
  } as const;
  const release = releaseLease(EP, session.me ?? '', { state, died: 0, wakeAt, now });
  const { kind, item } = world.apply(release);
  demand((kind === 'applied') === (from.runtime.owner === me), `the release was ${kind}`);
  const lost = kind === 'applied' && world.random.chance(LOST_REPLIES);
  if (action.startsWith('releases after an error')) return;
  const seen = (lost ? world.apply(release).item : item) as RuntimeItem;
  const leased = seen.owner !== undefined && (seen.leaseUntil ?? 0) >= now;
  demand(leased === action.includes('somebody else'), 'the model and the item disagree about who holds the lease');
  session.found = { item: seen, closed: isShut(seen.gate) || (seen.holdUntil ?? 0) > now };
  demand(
    leased || session.found.closed === (after?.why === 'closed'),
    'the model and the item disagree about the gate',
  );
}

/** D9. The model does not compare the next row with a `wakeAt` that is there; the code does, and starts again sooner. */
function looksAgain({ world, session, action }: Acting): void {
  const { item, closed } = session.found as NonNullable<RealSession['found']>;
  const wakeAt = wakeAtOf(item);
  const due = world.dueRows().length > 0;
  const next = world.nextDue();
  const sooner = next !== undefined && (wakeAt === undefined || next < wakeAt);
  const more = !closed && (due || sooner);
  if (action.includes('more')) {
    demand(more, 'there is nothing more to do');
    session.read = item;
  } else demand(!more || (wakeAt !== undefined && !due), 'there is more to do');
}

// ---- rows

/** The gate is as the session read it last: it looks again between the page and the first row. */
function readsPage({ world, session, before, after }: Acting): void {
  const shut = isShut(before.gate);
  const due = shut ? world.overRows() : world.dueRows();
  const keys = due.map(row => pageKey(world.pointerOf(row).message, row));
  const wanted = after?.step === 'check' || after?.step === 'look' ? [...after.hand, ...after.page] : [];
  const same = wanted.length === due.length && wanted.every(it => keys.includes(pageKey(it.message, it.row)));
  demand(same, `the page is ${JSON.stringify(due.map(row => row.sk))}, not ${JSON.stringify(wanted)}`);
  session.page.clear();
  due.forEach((row, at) => {
    session.page.set(keys[at] as string, row);
  });
  session.next = world.nextDue();
}

function decidesToSend({ world, session, after }: Acting): void {
  for (const pointer of after?.hand ?? []) {
    const decision = world.decide(pointer.message, rowOf(session, pointer));
    const sends = decision.do === 'send' && (world.ordered || decision.n === pointer.row.n);
    demand(
      sends,
      `m${pointer.message}: the model sends attempt ${pointer.row.n}, the code says ${JSON.stringify(decision)}`,
    );
  }
}

function seesRecorded(acting: Acting): void {
  const decision = decisionOf(acting);
  if (decision.do !== 'repair') throw new Divergence(`the code says ${JSON.stringify(decision)}, not repair`);
  acting.session.retry.set(first(acting.before).message, { nextAt: decision.nextAt, n: decision.n });
}

function endsUnsent(acting: Acting): void {
  const { world, before, now } = acting;
  const decision = decisionOf(acting);
  if (decision.do !== 'end') throw new Divergence(`the code says ${JSON.stringify(decision)}, not end`);
  const { message, row } = first(before);
  const write = recordUnsent(world.delivery(message, row.gen), decision.status, { now, retentionMs: RETENTION_MS });
  world.apply(write, world.random.chance(LOST_REPLIES));
}

// ---- outcomes

function outcomeAt(now: number) {
  const last: LastAttempt = { at: now, ms: 100, class: 'ok' };
  return { now, retentionMs: RETENTION_MS, last };
}

function succeeds({ world, before, now }: Acting): void {
  const { message, row } = first(before);
  const write = recordEnd(world.delivery(message, row.gen), 'delivered', outcomeAt(now));
  world.apply(write, world.random.chance(LOST_REPLIES));
}

function fails({ world, session, before, after, now }: Acting): void {
  const { message, row } = first(before);
  const n = world.ordered ? attemptsOf(world, first(before)) + 1 : row.n;
  const nextAt = n >= world.attempts ? undefined : world.deadline();
  const write = recordFailure(world.delivery(message, row.gen), n, nextAt, outcomeAt(now));
  const result = world.apply(write, world.random.chance(LOST_REPLIES));
  if (world.ordered) return;
  const next = nextOf(result, row);
  demand((next !== undefined) === (after?.step === 'put'), `after the failure the model is at ${after?.step}`);
  if (next) session.retry.set(message, next);
}

function attemptsOf(world: OutboundWorld, { message, row }: Pointer): number {
  const record = world.recordItem(message);
  return record?.gen === row.gen ? (record.attempts ?? 0) : 0;
}

/** W8. The row of an ordered endpoint stays until its record is final. */
function deletesRow({ world, session, before }: Acting): void {
  const row = rowOf(session, first(before));
  const record = world.recordItem(first(before).message);
  const stays = world.ordered && record?.gen === row.gen && isOpen(record);
  if (!stays) world.delete(row);
}

/** 6d: what the record says after W6, applied or refused, about the row of the next attempt. */
function nextOf({ item }: ItemResult<RecordItem>, row: { readonly gen: number; readonly n: number }) {
  if (!item || item.gen !== row.gen || !isOpen(item) || (item.attempts ?? 0) < row.n) return undefined;
  return { nextAt: item.nextAt ?? 0, n: (item.attempts ?? 0) + 1 };
}

function putsRetryRow({ world, session, before, now }: Acting): void {
  const { message, row } = first(before);
  const next = session.retry.get(message);
  if (!next) throw new Divergence('there is no retry to put');
  const delivery = world.delivery(message, row.gen);
  world.apply(retryRow(delivery, next, { now, retentionMs: RETENTION_MS }), world.random.chance(LOST_REPLIES));
}

/** A session that was overtaken puts the row of its own failure; the model, the row of the last one recorded. */
export function putsAnOlderRow(world: OutboundWorld, from: State, me: number): boolean {
  const drainer = from.drainers[me];
  if (drainer?.step !== 'put') return false;
  const { message, row } = first(drainer);
  const { record } = messageOf(from, message);
  const recorded = record?.gen === row.gen ? record.attempts : row.n;
  return world.sessions[me]?.retry.get(message)?.n !== Math.min(world.attempts, recorded + 1);
}

/** A session that was overtaken sends the head at once in the model; the code reads its record, and waits. */
export function codeWaits(world: OutboundWorld, from: State, me: number): boolean {
  const drainer = from.drainers[me];
  const session = world.sessions[me];
  if (!world.ordered || drainer?.step !== 'check' || !session) return false;
  return world.decide(first(drainer).message, rowOf(session, first(drainer))).do === 'wait';
}
