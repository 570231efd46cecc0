/** One delivery as people see it. */
import type { EpochMs } from '#core/glossary.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import { iso } from '#core/outbound/protocol/endpoint-state.ts';
import type { RecordItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import type { DeliveryId } from '#core/outbound/protocol/keys.ts';
import { toIso } from '#core/time.ts';

/** One delivery; without a record it waits for its first attempt. */
export function showDelivery(
  { ep, msg, createdAt }: DeliveryId,
  record: RecordItem | undefined,
  around: { readonly type: string | undefined; readonly runtime: RuntimeItem | undefined; readonly now: EpochMs },
) {
  const { runtime, now } = around;
  const hold = record === undefined || isOpen(record) ? holdOf(runtime, now) : undefined;
  const status = record?.status ?? 'pending';
  const { last } = record ?? {};
  const delivered = status === 'delivered';
  return {
    message: msg,
    endpoint: ep,
    type: record?.type ?? around.type ?? null,
    status,
    held: hold !== undefined,
    held_until: iso(hold?.until),
    held_why: hold?.why ?? null,
    generation: record?.gen ?? 1,
    attempt_count: (record?.attempts ?? 0) + (delivered ? 1 : 0),
    created_at: toIso(createdAt),
    first_attempt_at: iso(record?.firstAt),
    // The schedule goes on behind a hold, and nothing is sent before both are over.
    next_retry_at:
      status === 'retrying' && !hold?.closed ? iso(Math.max(record?.nextAt ?? 0, hold?.until ?? 0, now)) : null,
    delivered_at: delivered ? iso(record?.endedAt) : null,
    ended_at: iso(record?.endedAt),
    last_attempt: last
      ? {
          attempted_at: toIso(last.at),
          status: last.code ?? null,
          class: last.class,
          response_time_ms: last.ms,
          snippet: record?.snippet ?? null,
        }
      : null,
    replayed_from: record !== undefined && record.gen > 1 ? record.gen - 1 : null,
    replayable: record !== undefined && !isOpen(record),
  };
}

/** Why nothing is sent to an endpoint now: its gate, its reader, or a hold that ends. */
function holdOf(runtime: RuntimeItem | undefined, now: EpochMs) {
  if (runtime === undefined) return { closed: true, why: undefined, until: undefined };
  const { gate, pulled, holdUntil = 0, holdWhy } = runtime;
  if (gate !== 'open') return { closed: true, why: gate, until: undefined };
  if (pulled) return { closed: true, why: 'pulled', until: undefined };
  return holdUntil > now ? { closed: false, why: holdWhy, until: holdUntil } : undefined;
}
