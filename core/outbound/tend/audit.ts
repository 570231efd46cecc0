/**
 * Repairs what a queue lost: each endpoint's first row is looked at, and where it is due and nobody is at work, a token is
 * sent. The same walk counts what is in which state, for the metrics, the egress guard and operational events.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, Placed, Token, WakeQueue } from '#core/outbound/ports.ts';
import { isOver } from '#core/outbound/protocol/decide.ts';
import type { RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { dueAtOf, queueOf, rowKind, rowsRange, wakeAtOf } from '#core/outbound/protocol/keys.ts';
import type { Clock, Telemetry } from '#core/ports.ts';

export interface AuditPorts {
  readonly store: Pick<ItemStore, 'scan' | 'query'>;
  readonly wake: WakeQueue;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count'>;
}
export interface AuditCounts {
  readonly endpoints: number;
  /** With an attempt in the last hour. */
  readonly withTraffic: number;
  readonly onHold: number;
  readonly disabled: number;
  readonly paused: number;
  /** Deliveries that died, ever. */
  readonly dead: number;
  /** When the oldest first attempt was published that waits at an open endpoint. */
  readonly oldestWaiting?: EpochMs;
  readonly lost: number;
}

const HOUR_MS = 3_600_000;
/** A token may be under way for as long as its visibility: only what is due longer was lost. */
const LOST_AFTER_MS = 5 * 60_000;

/** One walk over all endpoints; `see` is told each runtime item, and the first row where the gate is not closed. */
export async function audit(
  ports: AuditPorts,
  retentionMs: number,
  see: (runtime: RuntimeItem, first: FirstRow) => Promise<void> = async () => {},
): Promise<AuditCounts> {
  const { store, wake, clock, telemetry } = ports;
  const counts = { endpoints: 0, withTraffic: 0, onHold: 0, disabled: 0, paused: 0, dead: 0, lost: 0 };
  let oldestWaiting: EpochMs | undefined;
  let cursor: string | undefined;
  do {
    const part = { segment: 0, of: 1, ...(cursor === undefined ? {} : { cursor }) };
    const page = await store.scan('registry', part);
    const runtimes = page.items.filter(({ pk }) => pk.startsWith('R#')) as unknown as RuntimeItem[];
    const tokens: Token[] = [];
    for (const runtime of runtimes) {
      const now = clock.now();
      counts.endpoints += 1;
      if (Math.max(runtime.lastSuccessAt ?? 0, runtime.lastFailureAt ?? 0) > now - HOUR_MS) counts.withTraffic += 1;
      if ((runtime.holdUntil ?? 0) > now) counts.onHold += 1;
      if (runtime.gate === 'disabled') counts.disabled += 1;
      if (runtime.gate === 'paused') counts.paused += 1;
      counts.dead += runtime.dead;
      const isShut = runtime.gate === 'paused' || runtime.gate === 'disabled';
      const first = isShut ? undefined : (await store.query({ ...rowsRange(runtime.ep), limit: 1 })).items[0];
      if (first && rowKind(first) === 'live') oldestWaiting = Math.min(first.createdAt, oldestWaiting ?? now);
      await see(runtime, first);
      const found = isShut ? await endingToken(store, runtime, now, retentionMs) : tokenFor(runtime, first, now);
      if (found?.lost) counts.lost += 1;
      if (found) tokens.push(found.token);
    }
    if (tokens.length > 0) await wake.send(tokens);
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (counts.lost > 0) telemetry.count('WakeLost', {}, counts.lost);
  return oldestWaiting === undefined ? counts : { ...counts, oldestWaiting };
}

/** The due rows come first, so the first row of all is a due one, if there is any. */
type FirstRow = Placed<RowItem> | undefined;
interface Found {
  readonly token: Token;
  readonly lost: boolean;
}

const isOwned = ({ owner, leaseUntil = 0 }: RuntimeItem, now: EpochMs): boolean =>
  owner !== undefined && leaseUntil >= now;

/** Behind a closed gate: the token that ends what is too old. */
async function endingToken(
  store: Pick<ItemStore, 'query'>,
  runtime: RuntimeItem,
  now: EpochMs,
  retentionMs: number,
): Promise<Found | undefined> {
  if (isOwned(runtime, now) || !(await hasOldRow(store, runtime, now, retentionMs))) return undefined;
  return { token: { v: 1, ep: runtime.ep, mode: 'end' }, lost: false };
}

/** The token an endpoint should have, if nobody is at work and nothing will wake it. */
function tokenFor(runtime: RuntimeItem, first: FirstRow, now: EpochMs): Found | undefined {
  if (first === undefined || isOwned(runtime, now) || (runtime.holdUntil ?? 0) > now) return undefined;
  const token = { v: 1, ep: runtime.ep } as const;
  const wakeAt = wakeAtOf(runtime);
  if (dueAtOf(first) > now) return wakeAt === undefined ? { token, lost: true } : undefined;
  const since = Math.max(first.createdAt, dueAtOf(first));
  return { token, lost: wakeAt === undefined && now - since > LOST_AFTER_MS };
}

/** Behind a closed gate: whether something is older than the retention. */
async function hasOldRow(
  store: Pick<ItemStore, 'query'>,
  { ep }: RuntimeItem,
  now: EpochMs,
  retentionMs: number,
): Promise<boolean> {
  const isOld = (row: Placed<RowItem> | undefined): boolean => row !== undefined && isOver(row, now, retentionMs);
  const [first] = (await store.query<RowItem>({ table: 'outbox', partition: queueOf(ep), limit: 1 })).items;
  if (isOld(first)) return true;
  // Rows for later lie by their due time, which may be any number of hours behind the message's.
  const later = await store.query<RowItem>({
    table: 'outbox',
    partition: queueOf(ep),
    from: 'B',
    to: 'B~',
    limit: 100,
  });
  return later.items.some(isOld);
}
