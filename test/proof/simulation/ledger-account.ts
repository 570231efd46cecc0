/**
 * What the ledger knows of one event, and the rules it judges by. Everything here is written from docs/understand/how-receiving-works.md
 * alone: nothing is imported from the product, so that a mistake there cannot excuse itself here.
 */

/** A stored item as it is, attribute by attribute. */
export type Row = Readonly<Record<string, unknown>>;

/** The parts of a record the ledger follows. */
export interface RecordView {
  status: string;
  gen: number;
  run: number;
  attempts: number;
  owner: string | undefined;
  leaseUntil: number | undefined;
  nextAttemptAt: number | undefined;
  parked: boolean;
  bodySha: string;
  deadId: string | undefined;
  dlqSent: boolean;
  watched: boolean;
  receivedAt: number;
  expiresAt: number | undefined;
}

/** How an event may end, by what its handler is told to do. */
export interface Expectation {
  readonly finals: readonly string[];
  /** The handler commits a row with the completion. */
  readonly effect: boolean;
  /** Attempts before the event is given up. */
  readonly budget: number;
}

/** One event: what providers, handlers, people and stores said about it. */
export interface Account {
  readonly pk: string;
  readonly source: string;
  readonly expectation: Expectation;
  /** The request that carried it, where that is an event of its own. */
  readonly parent: string | undefined;
  /** SHA-256 of every genuine body that was delivered under this key. */
  bodies: readonly string[];
  acknowledged: boolean;
  record: RecordView | undefined;
  recordedAt: number | undefined;
  /** Reached a final state at some time. */
  settledOnce: boolean;
  completions: number;
  effects: number;
  /** A message with the whole event was accepted by the main queue, last at this time. */
  wholeSentAt: number;
  lastSentAt: number;
  copies: number;
  /** Ends of the last final and the last parked time; `Infinity` while it lasts. */
  finalUntil: number;
  parkedUntil: number;
  copiedToDeadQueueAt: number;
  /** A purge took a copy while there was no record. */
  purgedUnrecorded: boolean;
  /** The table was emptied, or its retention passed: what was known of earlier runs is gone with the record. */
  incarnations: number;
  outsideKeys: Map<number, string> | undefined;
  people: PeopleNotes | undefined;
  deaths: Map<string, DeathNote> | undefined;
}

export interface PeopleNotes {
  readonly replays: Map<string, { newKey: boolean; used: boolean }>;
  /** Idempotency generation by replay generation. */
  readonly runs: Map<number, number>;
  /** Deaths a person sent back to work. */
  readonly redrives: Set<string>;
}
export interface DeathNote {
  /** Messages accepted by the DLQ, and how many left it for which reason. */
  sent: number;
  gone: Partial<Record<string, number>>;
}

const NEVER = Number.NEGATIVE_INFINITY;

export function openAccount(pk: string, expectation: Expectation, parent?: string): Account {
  return {
    pk,
    source: pk.slice(0, pk.indexOf('#')),
    expectation,
    parent,
    bodies: [],
    acknowledged: false,
    record: undefined,
    recordedAt: undefined,
    settledOnce: false,
    completions: 0,
    effects: 0,
    wholeSentAt: NEVER,
    lastSentAt: NEVER,
    copies: 0,
    finalUntil: NEVER,
    parkedUntil: NEVER,
    copiedToDeadQueueAt: NEVER,
    purgedUnrecorded: false,
    incarnations: 0,
    outsideKeys: undefined,
    people: undefined,
    deaths: undefined,
  };
}

export function viewOf(row: Row): RecordView {
  return {
    status: String(row['status']),
    gen: Number(row['gen']),
    run: Number(row['run']),
    attempts: Number(row['attempts']),
    owner: row['owner'] as string | undefined,
    leaseUntil: row['leaseUntil'] as number | undefined,
    nextAttemptAt: row['nextAttemptAt'] as number | undefined,
    parked: row['parked'] === true,
    bodySha: String(row['bodySha']),
    deadId: row['deadId'] as string | undefined,
    dlqSent: row['dlqSent'] === true,
    receivedAt: Number(row['receivedAt']),
    watched: row['watchAt'] !== undefined && row['watchShard'] !== undefined,
    expiresAt: row['expiresAt'] as number | undefined,
  };
}

const FINAL: ReadonlySet<string> = new Set(['completed', 'skipped_stale', 'rejected', 'ignored', 'dead_letter']);
const OPEN: ReadonlySet<string> = new Set(['pending', 'processing', 'failed', 'deferred']);

export const isFinal = (status: string): boolean => FINAL.has(status);
export const isKnownStatus = (status: string): boolean => FINAL.has(status) || OPEN.has(status);

/** Something is still to be done for the event: not final, or dead and not yet in the DLQ. */
export function isOwed(record: RecordView): boolean {
  return !FINAL.has(record.status) || (record.status === 'dead_letter' && !record.dlqSent);
}

/** Moves within one generation. A dead letter moves only when a person sent it back to work. */
const MOVES: Readonly<Record<string, string>> = {
  // The final ones: claimed and finished in one write.
  pending: 'pending processing deferred dead_letter completed skipped_stale rejected ignored',
  processing: 'processing failed deferred completed skipped_stale rejected ignored dead_letter',
  failed: 'failed processing deferred dead_letter',
  deferred: 'deferred processing dead_letter',
  completed: 'completed',
  skipped_stale: 'skipped_stale',
  rejected: 'rejected',
  ignored: 'ignored',
  dead_letter: 'dead_letter processing deferred',
};

export function mayMove(from: string, to: string): boolean {
  return MOVES[from]?.split(' ').includes(to) === true;
}

/** What the ledger reads of a queue message; undefined when it is not one of the product's. */
export interface MessageView {
  readonly pk: string;
  readonly gen: number;
  /** Carries the whole event, or the place of its bytes, and not only its name. */
  readonly whole: boolean;
  readonly deadId: string | undefined;
}

export function readMessage(body: string): MessageView | undefined {
  let raw: Row;
  try {
    raw = JSON.parse(body) as Row;
  } catch {
    return undefined;
  }
  if (raw['v'] !== 1 || typeof raw['pk'] !== 'string' || typeof raw['gen'] !== 'number') return undefined;
  const whole = raw['payload'] !== undefined || raw['ref'] !== undefined;
  return { pk: raw['pk'], gen: raw['gen'], whole, deadId: raw['deadId'] as string | undefined };
}
