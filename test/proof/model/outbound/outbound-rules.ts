/**
 * One switch per rule of outbound delivery. `OUTBOUND` holds the rules as they must be; every bad variant changes one of
 * them and must then fail.
 */
export interface OutboundRules {
  // Publish and fan-out
  /** What was done when the producer hears 202: the fan-out job was accepted, only the message was stored, or nothing. */
  readonly answersAfter: 'job' | 'message' | 'nothing';
  readonly fanOrder: readonly FanStep[];
  /** Whether publish may put rows and wake-ups itself before it answers 202, and in which order. Otherwise it sends a job. */
  readonly direct: 'no' | 'rows, wake-ups, 202' | 'wake-ups, rows, 202' | 'rows, 202, wake-ups';

  // Wake and lease
  /** How a wake-up is passed on to the slow lane, if it may be passed on at all. */
  readonly lanes: 'none' | 'send, then delete' | 'delete, then send';
  /** A session reads its rows before it takes the lease: where nothing is due, it leaves the lease alone. */
  readonly peeks: 'no' | 'table' | 'index' | 'due rows only' | 'leaves wakeAt';
  /** When the first page is read; before the lease, others may act in between. */
  readonly firstPage: 'under the lease' | 'before it';
  /** What the acquiring write requires after that: all that was read, or one thing less. */
  readonly leaseIf: 'as read' | 'whatever the gate' | 'whatever the hold';
  readonly wakeUpDeleted: 'end' | 'start';
  /** The acquiring write requires a lease that is free or over. */
  readonly leaseNeeded: boolean;
  readonly leaseEnds: boolean;
  /** How "somebody holds the lease" is read. */
  readonly heldSeen: 'consistent' | 'stale';
  /** The repeated acquire after a lost reply is recognised by its own owner token. */
  readonly ownClaimKnown: boolean;
  /** A wake-up stays hidden longer than any lease stands. */
  readonly visibilityLonger: boolean;
  readonly releaseIfOwner: boolean;
  /** What happens to the wake-up when the release errors. */
  readonly releaseError: 'return' | 'ack';
  /** A session that a read or write failed: its lease stays until it ends, or it is given back, and its wake-up returns. */
  readonly broken: 'keeps the lease' | 'releases, wake-up returns' | 'releases, wake-up deleted';
  /** The rows are queried again after the release. */
  readonly recheck: boolean;
  readonly recheckReads: 'table' | 'index';
  /** That query also compares the next due time with `wakeAt`. */
  readonly recheckFuture: boolean;
  /** The gate it goes by: as the release returned it, or as the session remembers it. */
  readonly recheckGate: 'returned' | 'remembered';
  readonly wakeOfRetry: boolean;
  readonly wakeOfHold: boolean;
  /** The sweeper removes `wakeAt` when it sends the wake-up. */
  readonly sweeperClears: boolean;
  /** The endpoint check walks over all endpoints. */
  readonly audit: boolean;
  /**
   * Between two walks it looks only where somebody noted that rows come, or where the runtime item shows that something may
   * be left. When whoever puts a row from outside a session notes it; `no`: there are no such looks.
   */
  readonly noted: 'no' | 'before the row' | 'after the row' | 'before the row, not of a replay';
  /** What else makes it look: a lease that was not given back, and one that was given back in the last hours. */
  readonly shows: 'leases' | 'only that they are left' | 'only that they were given back';
  /** What a look finds is noted again. */
  readonly keepsFound: boolean;
  readonly reconcile: boolean;

  // Gate and hold
  readonly acquireLooksAtHold: boolean;
  readonly acquireLooksAtGate: boolean;
  readonly sessionLooksAtGate: boolean;
  readonly sessionLooksAtOwner: boolean;
  /**
   * When a session looks at owner and gate: as it reads each page; after it read a page, before the first row (the first
   * page goes by the lease itself); or only as it takes the lease.
   */
  readonly looks: 'with the page' | 'after the page' | 'at the lease';
  /** A wake-up that finds the gate shut removes `wakeAt`. */
  readonly closedClearsWake: boolean;
  /** A person, or two kinds; and what a customer may do to what an operator closed. */
  readonly people: 'one' | 'two' | 'two, a customer closes it in another way' | 'two, a customer opens it';
  /** Which gate a session may disable. */
  readonly disableIf: 'open' | 'always';
  readonly resumeWakes: boolean;
  /** Nobody opens the gate again: what waits must still end. */
  readonly disabledForGood: boolean;
  /** Rows older than the retention are ended, behind a shut gate too. */
  readonly expiry: boolean;

  /** What an endpoint is asked after a hold of its breaker: everything, or one message, which may change each time. */
  readonly probe: 'no' | 'another message' | 'the oldest message';
  /** Messages (bits) that the endpoint refuses whenever they come: 422. */
  readonly refused: number;

  // Drain and record
  /** Charged attempts before a delivery is dead (production: 10). */
  readonly attempts: number;
  readonly lookAtRecord: boolean;
  readonly successOrder: 'record, row' | 'row, record';
  readonly successIf: 'generation' | 'not final' | 'always';
  readonly failureIf: 'generation' | 'always';
  readonly retryOrder: 'record, new, old' | 'new, record, old' | 'record, old, new';
  /** Attempt recorded, retry row missing: the row is made. */
  readonly repairRecorded: boolean;
  /** Drop and delete write a record before they delete the row. */
  readonly cancelRecords: boolean;
  /** An answer of 429 counts as a failed attempt. */
  readonly throttledCharged: boolean;
  /** All due rows of a page go out in one request. */
  readonly batch: boolean;

  // Replay
  readonly replay: 'transaction' | 'record, row' | 'row, record';
  readonly replayIf: 'generation' | 'always';
  /**
   * A repeated replay request is recognised by a note of its own, put with the replay, before it or after it; by the id
   * of the last replay; or never.
   */
  readonly requestKnown: 'noted with it' | 'noted before' | 'noted after' | 'if last' | 'never';

  // Order
  readonly ordered: boolean;
  /** A retry of the head holds back what is behind it. */
  readonly headWaits: boolean;
}

export type FanStep = 'rows' | 'wakeUps' | 'ack';

/** As the reference has them; its state counts are compared. */
export const OUTBOUND: OutboundRules = {
  answersAfter: 'job',
  fanOrder: ['rows', 'wakeUps', 'ack'],
  direct: 'no',
  looks: 'with the page',
  lanes: 'none',
  peeks: 'no',
  firstPage: 'under the lease',
  leaseIf: 'as read',
  wakeUpDeleted: 'end',
  leaseNeeded: true,
  leaseEnds: true,
  heldSeen: 'consistent',
  ownClaimKnown: true,
  visibilityLonger: true,
  releaseIfOwner: true,
  releaseError: 'return',
  broken: 'keeps the lease',
  recheck: true,
  recheckReads: 'table',
  recheckFuture: true,
  recheckGate: 'returned',
  wakeOfRetry: true,
  wakeOfHold: true,
  sweeperClears: false,
  audit: true,
  noted: 'no',
  shows: 'leases',
  keepsFound: true,
  reconcile: true,
  acquireLooksAtHold: true,
  acquireLooksAtGate: true,
  sessionLooksAtGate: true,
  sessionLooksAtOwner: true,
  closedClearsWake: true,
  people: 'one',
  disableIf: 'open',
  resumeWakes: true,
  disabledForGood: false,
  expiry: true,
  probe: 'no',
  refused: 0,
  attempts: 2,
  lookAtRecord: true,
  successOrder: 'record, row',
  successIf: 'generation',
  failureIf: 'generation',
  retryOrder: 'record, new, old',
  repairRecorded: true,
  cancelRecords: true,
  throttledCharged: false,
  batch: false,
  replay: 'transaction',
  replayIf: 'generation',
  requestKnown: 'noted with it',
  ordered: false,
  headWaits: true,
};

/** What the code does beyond the reference. */
export const AS_BUILT: OutboundRules = {
  ...OUTBOUND,
  direct: 'rows, wake-ups, 202',
  looks: 'after the page',
  peeks: 'table',
  broken: 'releases, wake-up returns',
};

/** The same, with what others do between the read of the rows and the lease. */
export const AS_READ: OutboundRules = { ...AS_BUILT, firstPage: 'before it' };
