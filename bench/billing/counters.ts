/** What the counting fakes write into, and sums over it. */
import type { Counts as Billed } from '#operator/cost/counts.ts';

/** What is billed, and what tells where it comes from. */
export interface Counts extends Billed {
  /** Of `writeUnits`, those of indexes. */
  indexUnits: number;
  /** Messages sent to the main queue. */
  sends: number;
}

/** One call to AWS, for the record of what an event does. */
export interface BilledCall {
  /** e.g. `PutItem`, `SendMessage`. */
  readonly call: string;
  /** Table, index or queue. */
  readonly target: string;
  /** Write units, those of indexes included; requests on a queue; 0 for a read. */
  readonly units: number;
  readonly indexUnits: number;
  /** Bytes of the item after the call, or of the message. */
  readonly bytes: number;
}

/** What the counting fakes write into. */
export class Meter {
  readonly counts: Counts = noCounts();
  readonly calls: BilledCall[] = [];
}

function noCounts(): Counts {
  return {
    httpRequests: 0,
    invocations: { ingest: 0, process: 0 },
    writeUnits: 0,
    indexUnits: 0,
    readUnits: 0,
    queueRequests: 0,
    fairRequests: 0,
    sends: 0,
    logBytes: 0,
    s3Puts: 0,
    s3Gets: 0,
  };
}

/** `a - factor * b`, line by line; `divided` by the number of events. */
export function difference(a: Counts, b: Counts, divided = 1, factor = 1): Counts {
  const minus = (x: number, y: number): number => round((x - factor * y) / divided);
  const entries = Object.entries(a).map(([name, value]) => {
    const other = b[name as keyof Counts];
    if (typeof value === 'number') return [name, minus(value, other as number)];
    const { ingest, process } = other as Counts['invocations'];
    return [name, { ingest: minus(value.ingest, ingest), process: minus(value.process, process) }];
  });
  return Object.fromEntries(entries) as Counts;
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
