/**
 * How late a first attempt is because of us: from when it could be made. What its endpoint held back is not late: a hold, a
 * shut gate, a rate limit of its own, an earlier failure. A replay and a retry are due when somebody or a schedule says.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { RecordItem } from '#core/outbound/protocol/items.ts';
import { rowKind } from '#core/outbound/protocol/keys.ts';
import type { Fact, Row } from './row-facts.ts';
import type { Session } from './session-state.ts';

/** In ms at `now`; undefined where its endpoint or an earlier attempt has to do with it. */
export function latenessOf(
  { runtime, health, config }: Pick<Session, 'runtime' | 'health' | 'config'>,
  { row, record }: { readonly row: Row; readonly record: RecordItem | undefined },
  now: EpochMs,
): number | undefined {
  const isFirst = rowKind(row) === 'live' && record === undefined;
  if (!isFirst || health.opens > 0 || config.endpoint.rate !== undefined) return undefined;
  return Math.max(0, now - Math.max(row.createdAt, runtime.gateSince, health.heldTo ?? 0));
}

/** Of the oldest row that a session meets, once; what is only ended waited for a gate, or for its reader. */
export function measureOldest(session: Session, facts: readonly Fact[]): void {
  const oldest = facts[0];
  if (session.measured || session.toEnd || oldest === undefined) return;
  session.measured = true;
  const ms = latenessOf(session, oldest, session.ports.clock.now());
  if (ms !== undefined) session.ports.telemetry.measure('WaitingOldestHealthyAge', ms / 1_000);
}
