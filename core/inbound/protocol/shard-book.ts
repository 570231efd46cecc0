/**
 * Over how many keys each source was ever spread. It is a control item, because a lower `throttle` leaves entries under keys
 * that the configuration no longer names, and because a reader may have another configuration than the writers.
 */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import { decodeByName } from '#core/scan/json-object.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { Shards } from './spread.ts';

const SHARDS_CONTROL = 'shards';
const KEPT_MS = MINUTE_MS;

/**
 * How many keys a source ever had. The book is read once a minute at most; while it cannot be read, what is configured
 * counts. `configured`: what this reader knows by itself.
 */
export function shardBook(
  control: Pick<ControlStore, 'read'>,
  now: () => EpochMs,
  configured: Shards = {},
): (source: SourceId) => Promise<number> {
  let read: { readonly at: EpochMs; readonly shards: Promise<Shards> } | undefined;
  const readBook = async (): Promise<Shards> => {
    try {
      return decodeShards((await control.read(SHARDS_CONTROL))?.value);
    } catch {
      read = undefined;
      return {};
    }
  };
  return async source => {
    if (read === undefined || now() - read.at >= KEPT_MS) read = { at: now(), shards: readBook() };
    const known = await read.shards;
    return Math.max(1, known[source] ?? 1, configured[source] ?? 1);
  };
}

function decodeShards(value: string | undefined): Shards {
  return decodeByName(value) as Shards;
}

/**
 * Notes which sources are spread further than before. `before`: what is done first about them, because the sweeper may have
 * passed what was written under their new keys. If that fails, nothing is noted, and the next run does it again.
 */
export async function growShards(
  configured: Shards,
  control: Pick<ControlStore, 'read' | 'write'>,
  before: (grown: readonly SourceId[]) => Promise<void>,
): Promise<void> {
  if (Object.keys(configured).length === 0) return;
  const stored = await control.read(SHARDS_CONTROL);
  const known = decodeShards(stored?.value);
  const grown = Object.entries(configured).filter(([source, shards]) => shards > (known[source] ?? 1));
  if (grown.length === 0) return;
  await before(grown.map(([source]) => source as SourceId));
  const value = JSON.stringify({ ...known, ...Object.fromEntries(grown) });
  await control.write(SHARDS_CONTROL, value, stored?.version ?? 0);
}
