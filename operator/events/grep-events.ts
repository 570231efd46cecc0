/**
 * Looks for a text in the bodies of a time window: reads the stored payloads in parallel, inflates them, and tells hits as
 * they come. Needs no index and no write; what it read and what that costs is counted as it goes.
 */
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { cursorAfter, EventSearch } from '#core/inbound/search/list-events.ts';
import { groupsOf } from '#core/side-by-side.ts';
import type { Operator } from '#operator/operator.ts';
import { parseJson } from '#operator/parse-json.ts';
import { readStoredBody } from './show-event.ts';

/** On-demand reads in us-east-1 (operator/cost/prices.ts has the date). */
const DOLLARS_PER_READ_UNIT = 0.125e-6;
const READ_UNIT_BYTES = 4_096;
/** Headers and keys beside the bytes of a body. */
const BESIDE_BYTES = 600;
/** Of the index of arrivals, for one event. */
const INDEX_UNITS = 0.025;
/** A large body is one GET of S3, in read units. */
const BLOB_UNITS = 3.2;
const PAGE = 200;
const AT_ONCE = 32;
const AROUND = 60;

export interface GrepRequest {
  readonly text: string;
  /** Compare the value at this path (`data.object.id`) with the text, instead of looking for the bytes anywhere. */
  readonly path?: string | undefined;
  readonly filter: EventFilter;
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type GrepStep =
  | { readonly kind: 'hit'; readonly item: EventItem; readonly excerpt: string }
  | { readonly kind: 'progress' | 'end'; readonly tally: GrepTally };

interface GrepTally {
  readonly read: number;
  readonly hits: number;
  /** About: records and bodies are read strongly consistent. */
  readonly dollars: number;
  readonly lookedTo: number;
  /** Where to go on; absent when the whole window was looked through. */
  readonly cursor: string | undefined;
}

/** Newest first. Ends early when `signal` is aborted: `end` then has the place to go on from. */
export async function* grepEvents(operator: Operator, request: GrepRequest): AsyncGenerator<GrepStep> {
  const { filter, signal } = request;
  const search = new EventSearch(filter, 'newest', await operator.gateway());
  let tally: GrepTally = { read: 0, hits: 0, dollars: 0, lookedTo: filter.until, cursor: request.cursor };
  do {
    const page = await search.page({ limit: PAGE, cursor: tally.cursor });
    for (const items of groupsOf(page.items, AT_ONCE)) {
      if (signal?.aborted) break;
      const looked = await Promise.all(
        items.map(async item => ({ item, ...(await lookInto(operator, item, request)) })),
      );
      for (const { item, excerpt } of looked) if (excerpt !== undefined) yield { kind: 'hit', item, excerpt };
      const last = items.at(-1);
      if (last === undefined) break;
      tally = {
        read: tally.read + items.length,
        hits: tally.hits + looked.filter(it => it.excerpt !== undefined).length,
        dollars: tally.dollars + looked.reduce((sum, it) => sum + it.units, 0) * DOLLARS_PER_READ_UNIT,
        lookedTo: last.receivedAt,
        cursor: cursorAfter(last),
      };
      yield { kind: 'progress', tally };
    }
    if (signal?.aborted) break;
    tally = { ...tally, lookedTo: page.lookedTo ?? filter.since, cursor: page.cursor };
  } while (tally.cursor !== undefined);
  yield { kind: 'end', tally };
}

async function lookInto(
  operator: Operator,
  item: EventItem,
  { text, path }: GrepRequest,
): Promise<{ readonly excerpt: string | undefined; readonly units: number }> {
  const stored = await readStoredBody(operator, item);
  if (stored === undefined) return { excerpt: undefined, units: INDEX_UNITS + 2 };
  // The record, and its body as it is stored: both read strongly consistent.
  const bodyUnits = stored.inBlob ? 1 + BLOB_UNITS : Math.ceil((stored.storedBytes + BESIDE_BYTES) / READ_UNIT_BYTES);
  const units = INDEX_UNITS + 1 + bodyUnits;
  const excerpt = path === undefined ? excerptOf(stored.body, text) : valueAt(stored.body, path, text);
  return { excerpt, units };
}

function excerptOf(body: Buffer, text: string): string | undefined {
  const at = body.indexOf(text, 0, 'utf8');
  if (at < 0) return undefined;
  const end = at + Buffer.byteLength(text) + AROUND;
  return body
    .subarray(Math.max(0, at - AROUND), end)
    .toString('utf8')
    .replaceAll(/\s+/g, ' ');
}

function valueAt(body: Buffer, path: string, text: string): string | undefined {
  let value = parseJson(body.toString('utf8'));
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  const found = typeof value === 'string' ? value : JSON.stringify(value);
  return found === text ? `${path}: ${found.slice(0, 2 * AROUND)}` : undefined;
}
