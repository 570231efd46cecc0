/** What benchmark (e) simulates: a design, a load, and how long its steps take. */

export interface Design {
  readonly name: string;
  /** Write units of the accept, of the attempt that completes, and of one that fails or parks. */
  readonly units: { readonly accept: number; readonly complete: number; readonly fail: number };
  /** Write units of an accept in what has a throughput of its own beside the table: indexes, another table. @default none */
  readonly besides?: Readonly<Record<string, number>>;
  /** Write units an accept spends on one index key of its source. */
  readonly unitsOnOneKey: number;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** Index keys a source has in an hour. */
  readonly keysPerSource: number;
  /** Of each source's route; a request above it is answered 429. Absent: none but the account's. */
  readonly throttle?: { readonly rate: number; readonly burst: number };
  /** Where a route sends each event, one call for each. @default a handler, which calls nothing */
  readonly target?: 'StartExecution' | 'PutEvents' | 'FIFO';
  /**
   * `outside`: a failed attempt is parked until the sweeper sends it, what the table refuses at the door rides in its message,
   * and a message whose claim the table refuses waits as a delayed copy. `visibility`: what the table refuses at the door is
   * refused, and a message stays in flight for `waitSeconds`, `receives` times at most.
   */
  readonly waits:
    | { readonly kind: 'outside'; readonly sendsPerSecond: number }
    | { readonly kind: 'visibility'; readonly waitSeconds: number; readonly receives: number };
}

export interface Load {
  readonly perSecond: number;
  readonly burst: number;
  readonly sources: number;
}

/** Milliseconds; medians of log-normal draws. */
export interface Times {
  readonly acceptMs: number;
  readonly handOverMs: number;
  readonly batchMs: number;
  readonly coldMs: number;
}
