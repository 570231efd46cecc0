/**
 * What a delivery's record says about a row. The record is the truth, the row a pointer to it: every doubled, late or
 * repeated row is recognised here, right before anything is sent.
 */
import type { EpochMs } from '#core/glossary.ts';
import { OPEN_STATUSES, type RecordItem, type RowItem, type RuntimeItem } from './items.ts';
import { GRACE_MS, retentionOf } from './timings.ts';

export type Decision =
  /** Send attempt `n`. */
  | { readonly do: 'send'; readonly n: number }
  /** Nothing is owed by this row. */
  | { readonly do: 'delete' }
  /** It ends without a request: W9, then the row goes. */
  | { readonly do: 'end'; readonly status: 'expired' | 'dropped' | 'canceled' }
  /** The row's attempt is recorded, the row of the next one may be missing: W7, then the row goes. */
  | { readonly do: 'repair'; readonly n: number; readonly nextAt: EpochMs }
  /** Ordered endpoint: the head is not due, and nothing may pass it. */
  | { readonly do: 'wait'; readonly until: EpochMs };

/** What the decision needs to know beside the row. */
export interface RowFacts {
  readonly record: RecordItem | undefined;
  /** Gone: deleted by its TTL. `removed`: a person took its body away. */
  readonly message: 'there' | 'removed' | 'gone';
  readonly runtime: Pick<RuntimeItem, 'gate' | 'dropBefore'>;
  readonly ordered: boolean;
  readonly now: EpochMs;
  readonly retentionMs: number;
}

export function isOpen(record: Pick<RecordItem, 'status'>): boolean {
  return (OPEN_STATUSES as readonly string[]).includes(record.status);
}

/** True for a row that ends, held or not: older than the retention; a replay's when its message goes. */
export function isOver(row: Aged, now: EpochMs, retentionMs: number): boolean {
  return overAt(row, retentionMs) <= now;
}
type Aged = Pick<RowItem, 'createdAt' | 'gen' | 'keepMs'>;
/** From when on it is too old. */
export const overAt = (row: Aged, retentionMs: number): EpochMs =>
  row.createdAt + retentionOf(row, retentionMs) + (row.gen === 1 ? 0 : GRACE_MS);

export function decide(row: RowItem, facts: RowFacts): Decision {
  const { record, ordered, now } = facts;
  // 1. Of another generation, or final: the row has done its work.
  if (record === undefined && row.gen !== 1) return { do: 'delete' };
  if (record !== undefined && (record.gen !== row.gen || !isOpen(record))) return { do: 'delete' };
  // 2. Open, but nobody wants it any more.
  const end = endOf(row, facts);
  if (end) return { do: 'end', status: end };
  // 3. The first attempt, or the one the record waits for.
  const attempts = record?.attempts ?? 0;
  if (ordered) {
    const nextAt = record?.nextAt ?? 0;
    return nextAt > now ? { do: 'wait', until: nextAt } : { do: 'send', n: attempts + 1 };
  }
  // 4. Recorded already, or it waits until later: only the row of the next attempt may be missing.
  if (attempts >= row.n || (record?.nextAt ?? 0) > now)
    return { do: 'repair', n: attempts + 1, nextAt: record?.nextAt ?? now };
  return { do: 'send', n: attempts + 1 };
}

/** Who enabled the endpoint let go of what was older: of first generations only. */
export const isDropped = (row: Aged, { dropBefore = 0 }: Pick<RuntimeItem, 'dropBefore'>): boolean =>
  row.gen === 1 && row.createdAt < dropBefore;

/** Nothing is sent to it: it is closed, or its owner reads. Behind the gate `deleted` a session ends what waits. */
export const isShut = ({ gate, pulled }: Pick<RuntimeItem, 'gate' | 'pulled'>): boolean =>
  gate === 'paused' || gate === 'disabled' || (gate === 'open' && pulled === true);

function endOf(row: RowItem, facts: RowFacts): 'expired' | 'dropped' | 'canceled' | undefined {
  const { runtime, message, now, retentionMs } = facts;
  if (isDropped(row, runtime)) return 'dropped';
  if (runtime.gate === 'deleted' || message === 'removed') return 'canceled';
  return message === 'gone' || isOver(row, now, retentionMs) ? 'expired' : undefined;
}
