/** A person decides that dead events will not be replayed: each is closed with who and why. */
import { closeDeath } from '#core/inbound/protocol/close-death.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { groupsOf } from '#core/side-by-side.ts';
import type { Operator } from '#operator/operator.ts';
import { eachDeadEvent } from './dead-letters.ts';

const AT_ONCE = 25;
/** 250 a second: the closed deaths of a source are one partition of an index, which takes 1,000 writes a second. */
const PAUSE_MS = 100;

/** The open dead letters that a filter means, as they are now. */
export async function meantToClose(operator: Operator, filter: EventFilter): Promise<readonly EventItem[]> {
  const found: EventItem[] = [];
  for await (const item of eachDeadEvent(operator, 'dead_letter', filter)) found.push(item);
  return found;
}

export interface CloseRequest {
  readonly why: string;
  /** Ends it between two writes; what is closed stays closed. */
  readonly signal?: AbortSignal;
  readonly onClosed?: (closed: number) => void;
}

/** Closes exactly these deaths. `left`: replayed, redriven or dead again meanwhile, or not reached before the signal. */
export async function closeDeaths(
  operator: Operator,
  items: readonly EventItem[],
  { why, signal, onClosed }: CloseRequest,
): Promise<{ readonly closed: number; readonly left: number }> {
  const gateway = await operator.gateway();
  const { config } = operator.deployment;
  let closed = 0;
  for (const [at, some] of groupsOf(items, AT_ONCE).entries()) {
    if (signal?.aborted) break;
    if (at > 0) await gateway.timer.sleep(PAUSE_MS);
    const results = await Promise.all(some.map(item => closeDeath(item, { by: operator.by, why }, gateway, config)));
    closed += results.filter(result => result === 'closed' || result === 'already_closed').length;
    onClosed?.(closed);
  }
  return { closed, left: items.length - closed };
}
