/** What the benchmark counted and modelled, committed as data: `npm run bench -- c --write` writes it, a test compares. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Counts } from './counts.ts';

const FILE = join(import.meta.dirname, 'counted-units.json');

export interface CountedUnits {
  /** Of one ok event, by batch size. */
  readonly perEvent: Readonly<Record<'1' | '3' | '10', Counts>>;
  /** Of a duplicate; of a dead letter, whole; what one retry adds. By batch size. */
  readonly trouble: Readonly<Record<'1' | '3' | '10', Readonly<Record<'duplicate' | 'retry' | 'deadLetter', Counts>>>>;
  /** Read units that come after an ok event: of the sweeper, and of the nightly audit in all nights of its life. */
  readonly upkeepReads: { readonly sweep: number; readonly audit: number };
  /** Bytes, means of the counted events: the body, and what it became. */
  readonly body: number;
  readonly deflated: number;
  readonly payloadItem: number;
  readonly message: number;
  /** Bytes stored for one event, entries of indexes and overhead included. */
  readonly eventsStored: number;
  readonly payloadsStored: number;
}

export function countedUnits(): CountedUnits {
  return JSON.parse(readFileSync(FILE, 'utf8')) as CountedUnits;
}
