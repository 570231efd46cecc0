/**
 * Repairs what a queue lost: where an endpoint's first row is due and nobody is at work, a wake-up is sent. The rows of one at
 * which nothing can be left (`Looked`) are not asked for. The same walk over all runtime items counts what is in which state,
 * for the metrics, the egress guard and operational events.
 */
import { askOrSkip } from '#core/ask.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { NoteRows } from '#core/outbound/fan-out/note-rows.ts';
import type { Item, ItemStore, OutboundPorts, Placed, WakeUp } from '#core/outbound/ports.ts';
import { isDropped, isOver, isShut } from '#core/outbound/protocol/decide.ts';
import { stateOf } from '#core/outbound/protocol/endpoint-state.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { deadRange, dueAtOf, laterRange, partOf, rowKind, rowsRange, wakeAtOf } from '#core/outbound/protocol/keys.ts';
import { parseItem } from '#core/outbound/protocol/parse-item.ts';
import type { Telemetry } from '#core/ports.ts';
import { CALLS_AT_ONCE, groupsOf, sideBySide } from '#core/side-by-side.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';

export interface AuditPorts extends Pick<OutboundPorts, 'wake' | 'clock'> {
  readonly store: Pick<ItemStore, 'scan' | 'query'>;
  /** What it finds is looked at again, until nothing is left. */
  readonly noteRows: NoteRows;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}
export interface AuditCounts {
  readonly endpoints: number;
  /** With an attempt in the last hour: of what is read nothing is learnt about our own way out. */
  readonly withTraffic: number;
  readonly onHold: number;
  /** Open, and not well. Absent: counted by an older version. */
  readonly failing?: number;
  readonly disabled: number;
  readonly paused: number;
  /** Deliveries that died, ever. */
  readonly died: number;
  /** Deliveries that are dead now, at most `COUNTED_DEAD` of each endpoint. */
  readonly dead: number;
  /** First attempts that wait at endpoints that could be asked: where the oldest has waited for five minutes, and none is held. */
  readonly waiting: number;
  /** When the oldest first attempt was published that waits at an open endpoint. */
  readonly oldestWaiting?: EpochMs;
  readonly lost: number;
}

/** A wake-up may be under way for as long as its visibility: only what is due longer was lost. */
const LOST_AFTER_MS = 5 * MINUTE_MS;

/** Whose rows are asked for. */
export type Looked =
  | 'all'
  | {
      /** Applications that rows came for, in the hours since `since`. */
      readonly noted: ReadonlySet<string>;
      readonly since: EpochMs;
      /** Of `TURNS`, the one of this look. */
      readonly turn: number;
    };
/** Each endpoint has its turn in six hours, whatever the notes say. */
export const TURNS = 36;

/** Rows may be there that no wake-up points to: some came, a session left them, or the gate was shut when they came. */
export function mayHaveRows(runtime: RuntimeItem, looked: Looked): boolean {
  if (looked === 'all' || looked.noted.has(runtime.app)) return true;
  const { ep, owner, leftAt = 0, gateSince } = runtime;
  if (owner !== undefined || wakeAtOf(runtime) !== undefined) return true;
  return Math.max(leftAt, gateSince) >= looked.since || partOf(ep, TURNS) === looked.turn;
}

/** How far a walk is: the place of its next page, and what it counted before. */
export interface AuditPlace {
  readonly cursor: string;
  readonly counts: AuditCounts;
}
export interface AuditWalk {
  readonly counts: AuditCounts;
  /** Where it goes on; undefined: it is at its end. */
  readonly place: AuditPlace | undefined;
}
const NOTHING: AuditCounts = {
  endpoints: 0,
  withTraffic: 0,
  onHold: 0,
  failing: 0,
  disabled: 0,
  paused: 0,
  died: 0,
  dead: 0,
  waiting: 0,
  lost: 0,
};
const COUNTED_DEAD = 1_000;
type See = (runtime: RuntimeItem, first: FirstRow) => Promise<number>;

/**
 * A walk over all endpoints, or the rest of one; `until`: no further page begins. `see` is told each runtime item, and the
 * first row where it was asked for and the gate is not closed; it answers how many wait there.
 */
export async function audit(
  ports: AuditPorts,
  retentionMs: number,
  from: { readonly place: AuditPlace | undefined; readonly until: EpochMs; readonly looked: Looked },
  see: See = async () => 0,
): Promise<AuditWalk> {
  const { store, wake, clock, telemetry, noteRows } = ports;
  const { looked } = from;
  let counts = { ...NOTHING, ...from.place?.counts };
  let cursor = from.place?.cursor;
  do {
    const part = { segment: 0, of: 1, ...given({ cursor }) };
    const page = await store.scan('registry', part);
    const there = await runtimesIn(page.items, telemetry);
    // Those that are asked side by side, whoever lies between them.
    const runtimes = there.toSorted((a, b) => Number(mayHaveRows(b, looked)) - Number(mayHaveRows(a, looked)));
    const wakeUps: WakeUp[] = [];
    const apps = new Set<AppId>();
    let lost = 0;
    for (const some of groupsOf(runtimes, CALLS_AT_ONCE)) {
      const seen = await Promise.all(some.map(each => lookAt(ports, each, { looked, retentionMs, see })));
      for (const { found, ...each } of seen) {
        counts = countedWith(counts, each, clock.now());
        if (found?.lost) lost += 1;
        if (found) wakeUps.push(found.wakeUp);
        if (found?.wakeUp.mode === undefined && found) apps.add(each.runtime.app);
      }
    }
    if (wakeUps.length > 0) await wake.send(wakeUps);
    await sideBySide([...apps], noteRows);
    if (lost > 0) telemetry.count('WakeLost', {}, lost);
    counts = { ...counts, lost: counts.lost + lost };
    cursor = page.cursor;
  } while (cursor !== undefined && clock.now() < from.until);
  return { counts, place: cursor === undefined ? undefined : { cursor, counts } };
}

async function lookAt(
  { store, clock }: AuditPorts,
  runtime: RuntimeItem,
  { looked, retentionMs, see }: { readonly looked: Looked; readonly retentionMs: number; readonly see: See },
): Promise<Seen & { readonly found: Found | undefined }> {
  const now = clock.now();
  const shut = isShut(runtime);
  const asks = mayHaveRows(runtime, looked);
  const first = shut || !asks ? undefined : (await store.query({ ...rowsRange(runtime.ep), limit: 1 })).items[0];
  const isDead = runtime.dead > 0 && runtime.gate !== 'deleted';
  const dead = isDead ? (await store.query({ ...deadRange(runtime.ep), limit: COUNTED_DEAD })).items.length : 0;
  const there = await see(runtime, first);
  const waiting = (runtime.holdUntil ?? 0) > now ? 0 : there;
  const ending = shut && asks ? await endingWakeUp(store, runtime, now, retentionMs) : undefined;
  const found = shut ? ending : wakeUpFor(runtime, first, now);
  return { runtime, first, dead, waiting, found };
}

interface Seen {
  readonly runtime: RuntimeItem;
  readonly first: FirstRow;
  readonly dead: number;
  readonly waiting: number;
}
function countedWith(counts: AuditCounts, { runtime, first, dead, waiting }: Seen, now: EpochMs): AuditCounts {
  const { pulled = false, lastSuccessAt = 0, lastFailureAt = 0 } = runtime;
  const one = (is: boolean): number => (is ? 1 : 0);
  // Deleted, and kept until what waited for it has ended.
  if (runtime.gate === 'deleted') return { ...counts, died: counts.died + runtime.dead };
  const { state } = stateOf(runtime, now);
  const waits = first !== undefined && rowKind(first) === 'live';
  return {
    ...counts,
    endpoints: counts.endpoints + 1,
    withTraffic: counts.withTraffic + one(!pulled && Math.max(lastSuccessAt, lastFailureAt) > now - HOUR_MS),
    onHold: counts.onHold + one(state === 'holding'),
    failing: (counts.failing ?? 0) + one(state === 'failing'),
    disabled: counts.disabled + one(state === 'disabled'),
    paused: counts.paused + one(state === 'paused'),
    died: counts.died + runtime.dead,
    dead: counts.dead + dead,
    waiting: counts.waiting + waiting,
    ...(waits ? { oldestWaiting: Math.min(first.createdAt, counts.oldestWaiting ?? now) } : {}),
  };
}

/** The due rows come first, so the first row of all is a due one, if there is any. */
type FirstRow = Placed<RowItem> | undefined;
interface Found {
  readonly wakeUp: WakeUp;
  readonly lost: boolean;
}

const isOwned = ({ owner, leaseUntil = 0 }: RuntimeItem, now: EpochMs): boolean =>
  owner !== undefined && leaseUntil >= now;

/** Behind a shut gate: the wake-up that ends what is too old. */
async function endingWakeUp(
  store: Pick<ItemStore, 'query'>,
  runtime: RuntimeItem,
  now: EpochMs,
  retentionMs: number,
): Promise<Found | undefined> {
  if (isOwned(runtime, now) || !(await hasOldRow(store, runtime, now, retentionMs))) return undefined;
  return { wakeUp: { v: 1, ep: runtime.ep, mode: 'end' }, lost: false };
}

/** The wake-up an endpoint should have, if nobody is at work and nothing will wake it. */
function wakeUpFor(runtime: RuntimeItem, first: FirstRow, now: EpochMs): Found | undefined {
  if (first === undefined || isOwned(runtime, now) || (runtime.holdUntil ?? 0) > now) return undefined;
  const wakeUp = { v: 1, ep: runtime.ep } as const;
  const wakeAt = wakeAtOf(runtime);
  if (dueAtOf(first) > now) return wakeAt === undefined ? { wakeUp, lost: true } : undefined;
  const since = Math.max(first.createdAt, dueAtOf(first));
  return { wakeUp, lost: wakeAt === undefined && now - since > LOST_AFTER_MS };
}

/** Behind a shut gate: whether something is older than the retention, or was dropped. */
async function hasOldRow(
  store: Pick<ItemStore, 'query'>,
  runtime: RuntimeItem,
  now: EpochMs,
  retentionMs: number,
): Promise<boolean> {
  const { ep, endLaterAt = 0 } = runtime;
  const isOld = (row: Placed<RowItem> | undefined): boolean =>
    row !== undefined && (isOver(row, now, retentionMs) || isDropped(row, runtime));
  const [first] = (await store.query({ ...rowsRange(ep), limit: 1 })).items;
  if (isOld(first)) return true;
  // They were looked through, and none is too old yet.
  if (now < endLaterAt) return false;
  // Rows for later lie by their due time, which may be any number of hours behind the message's.
  const later = await store.query({ ...laterRange(ep), limit: 100 });
  return later.items.some(isOld);
}

/** One that cannot be read is logged and left alone: it stops the look at no other. */
async function runtimesIn(items: readonly Placed<Item>[], telemetry: AuditPorts['telemetry']): Promise<RuntimeItem[]> {
  const found = items.filter(({ pk }) => pk.startsWith('R#'));
  const parsed = found.map(item =>
    askOrSkip({ telemetry, stage: 'audit' }, async () => parseItem<RuntimeItem>('registry', item)),
  );
  return (await Promise.all(parsed)).filter(runtime => runtime !== undefined);
}
