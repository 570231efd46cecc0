/**
 * Whose rows the endpoint check asks for: all, until a walk that began an hour after `tend` began to run without a gap has come
 * to its end, because only then did everybody who puts rows note them; after that only where a note, or the endpoint's own
 * item, says that something may be left. test/proof/model/outbound/looks/look-model.ts has the rules (O2).
 */
import type { EpochMs } from '#core/glossary.ts';
import { allOf } from '#core/outbound/pages.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import { ROW_NOTE_SHARDS, rowNotesRange } from '#core/outbound/protocol/keys.ts';
import { ROW_NOTES_COUNT_MS } from '#core/outbound/protocol/timings.ts';
import { HOUR_MS, toHour } from '#core/time.ts';
import { DEPLOY_MS, type Unbroken } from '#core/unbroken.ts';
import { type Looked, TURNS } from './audit.ts';

/** A row may come a while after its note, and clocks differ: notes and sessions of so long before the last look count. */
const BEFORE_MS = HOUR_MS;

/** What is known of looks. */
export interface LooksBefore {
  /** Of `tend` and those who put rows, as far as it knows; undefined: of a version without notes. */
  readonly unbroken?: Unbroken | undefined;
  /** When the last look began that came to its end; and the last one at all endpoints. */
  readonly lookedAt?: EpochMs | undefined;
  readonly walkedAt?: EpochMs | undefined;
  /** Whose turn it is. */
  readonly turn?: number | undefined;
}

/** Whether a look that begins now asks all endpoints. */
export function asksAll({ unbroken, lookedAt = 0, walkedAt = 0 }: LooksBefore, now: EpochMs): boolean {
  if (unbroken === undefined || walkedAt < unbroken.since + DEPLOY_MS) return true;
  return lookedAt < now - ROW_NOTES_COUNT_MS;
}

/** Of a look by notes, or the rest of one. */
export async function lookedBy(
  store: Pick<ItemStore, 'query'>,
  { lookedAt = 0, turn = 0 }: LooksBefore,
  now: EpochMs,
): Promise<Looked> {
  const since = lookedAt - BEFORE_MS;
  const hours = new Set([toHour(now)]);
  for (let at = since; at < now; at += HOUR_MS) hours.add(toHour(at));
  const noted = new Set<string>();
  const read = async (hour: string, shard: number): Promise<void> => {
    for (const { sk } of await allOf(store, { ...rowNotesRange(hour, shard), limit: 1_000 })) noted.add(sk);
  };
  const shards = Array.from({ length: ROW_NOTE_SHARDS }, (_, shard) => shard);
  await Promise.all([...hours].flatMap(hour => shards.map(shard => read(hour, shard))));
  return { noted, since, turn: turn % TURNS };
}
