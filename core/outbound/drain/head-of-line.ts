/**
 * The time of the head of an ordered endpoint: hours since its first answer that refused it. Hours in which the endpoint
 * itself did not answer do not count.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { EndpointItem, RecordItem } from '#core/outbound/protocol/items.ts';
import { HOUR_MS } from '#core/time.ts';

const DEFAULT_HOURS = 24;

/** After so many ms of answers the head ends as dead. */
export const headLimitMs = ({ headOfLineHours = DEFAULT_HOURS }: Pick<EndpointItem, 'headOfLineHours'>): number =>
  headOfLineHours * HOUR_MS;

export interface Head {
  /** Counted so far. */
  readonly headMs: number;
  /** Counted up to then. */
  readonly headAt: EpochMs;
}
/** The head after another answer about it. `silentSince`: when the endpoint stopped answering, if it did since the last. */
export function countHead(
  record: Pick<RecordItem, 'headMs' | 'headAt'> | undefined,
  at: { readonly now: EpochMs; readonly silentSince: EpochMs | undefined },
): Head {
  const { headMs = 0, headAt = at.now } = record ?? {};
  const answeredUntil = Math.min(at.silentSince ?? at.now, at.now);
  return { headMs: headMs + Math.max(0, answeredUntil - headAt), headAt: at.now };
}
