/**
 * How far the sweeper has looked through the arrivals of each source. What arrived before its cursor is final or
 * watched (I8); what arrived since may be open and not watched yet: an event that ends soon costs the `watch` index nothing. The cursors are
 * one control item in the table of the records, so that a restored table has cursors of the same age.
 */

import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import { decodeByName } from '#core/scan/json-object.ts';
import type { EventItem } from './event-item.ts';

export const ARRIVALS_CONTROL = 'arrivals';
/** How far the second look is, which comes for what a late clock wrote behind the first (docs/decisions/the-sweeper-reads-every-arrival-twice.md). */
export const SECOND_LOOK_CONTROL = 'arrivals-second-look';

/** By source: everything that arrived before was looked at. A source without one was never looked at. */
export type ArrivalCursors = Readonly<Record<SourceId, EpochMs>>;

export function decodeArrivals(value: string | undefined): ArrivalCursors {
  return decodeByName(value) as ArrivalCursors;
}

export async function readArrivals(control: Pick<ControlStore, 'read'>): Promise<ArrivalCursors> {
  return decodeArrivals((await control.read(ARRIVALS_CONTROL))?.value);
}

/** Moves the cursors of these sources back, both of them, where they are further: what is behind is looked at again. */
export async function lookAgainFrom(
  from: EpochMs,
  sources: readonly SourceId[],
  control: Pick<ControlStore, 'read' | 'write'>,
): Promise<void> {
  for (const name of [ARRIVALS_CONTROL, SECOND_LOOK_CONTROL]) {
    const stored = await control.read(name);
    const cursors = decodeArrivals(stored?.value);
    const back = sources.filter(source => (cursors[source] ?? 0) > from).map(source => [source, from] as const);
    if (back.length === 0) continue;
    await control.write(name, JSON.stringify({ ...cursors, ...Object.fromEntries(back) }), stored?.version ?? 0);
  }
}

/** Whether the sweeper was past this arrival: then the record, if open, must be watched. */
export function isPassed({ pk, receivedAt }: Pick<EventItem, 'pk' | 'receivedAt'>, cursors: ArrivalCursors): boolean {
  return receivedAt < (cursors[splitEventPk(pk).sourceId] ?? 0);
}
