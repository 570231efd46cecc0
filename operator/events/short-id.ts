/** A short form of an event's id that every command takes: `..` and the last eight characters. */
import { type EventPk, type SourceId, toEventId } from '#core/glossary.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { DAY_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';

const PREFIX = '..';
const SHOWN = 8;
/** Fewer would mean several events more often than not. */
const LEAST = 4;
const SINCE_MS = 7 * DAY_MS;
/** Newest events of each lookup. */
const LOOK_AT = 20_000;
const BATCH = 5_000;

export function shortIdOf(pk: EventPk): string {
  const id = toEventId(pk);
  return id.length <= SHOWN + PREFIX.length ? id : `${PREFIX}${id.slice(-SHOWN)}`;
}

export function isShortId(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** The one event of the last seven days whose id ends so. Throws OperatorError: none, several, or too short. */
export async function resolveShortId(
  operator: Operator,
  short: string,
  sources: readonly SourceId[],
): Promise<EventPk> {
  const end = short.slice(PREFIX.length);
  if (end.length < LEAST)
    throw usageError(
      `The short id ${short}`,
      `${PREFIX} and at least the last ${LEAST} characters of an id`,
      'give more of them',
    );
  const { store } = await operator.gateway();
  const now = operator.clock.now();
  const reader = new TimelineReader({ sources, since: now - SINCE_MS, until: now + 1 }, 'newest', undefined, store);
  const found = new Set<EventPk>();
  let looked = 0;
  while (!reader.finished && looked < LOOK_AT) {
    const entries = await reader.next(BATCH, () => true);
    if (entries.length === 0) break;
    looked += entries.length;
    for (const { pk } of entries) if (toEventId(pk).endsWith(end)) found.add(pk);
  }
  const [first, second] = found;
  if (first === undefined)
    throw new OperatorError(
      `No event of the last seven days${looked >= LOOK_AT ? ` (the newest ${LOOK_AT} were looked at)` : ''} ends with "${end.slice(0, 60)}".\nGive the whole id.`,
      'not_found',
    );
  if (second !== undefined)
    throw usageError(
      `The short id ${short} fits ${found.size} events`,
      [...found].slice(0, 5).map(toEventId).join(', '),
      'give the whole id of one of them',
    );
  return first;
}
