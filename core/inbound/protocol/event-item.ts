/**
 * The state item: one per event, under 1 KB on the happy path, so that each status change bills one write unit.
 * The body is not in it (see `PayloadItem`). Attribute names are the ones stored in the `events` table.
 * `EventItem` is a union by `status`: each status has the fields that the writes of event-writes.ts can leave on it.
 */
import type { EpochMs, EventPk, SourceId } from '#core/glossary.ts';

/** Version of the item's layout; a reader refuses a higher one than it knows. */
export const SCHEMA_VERSION = 1;

/** One finished attempt, newest last; the item keeps three. */
export interface AttemptNote {
  /** Attempt number, from 1 within a generation. */
  readonly n: number;
  readonly at: EpochMs;
  readonly ms: number;
  readonly cause: string;
}

/** Who closed a death, when, and why (up to 200 bytes). */
export interface Closing {
  readonly by: string;
  readonly why: string;
  readonly at: EpochMs;
}

/** What a record has in every status. */
interface Common {
  readonly schemaVersion: number;
  readonly provider: string;
  readonly eventType: string;
  /** Replay generation, from 1: every replay is a new one, so that old copies cannot act on it. */
  readonly gen: number;
  /** Idempotency generation, from 1: part of the key handed to outside calls. */
  readonly run: number;
  /** The request that created the item, so that the SDK's own retry recognises its own write. */
  readonly ingestId: string;
  /** SHA-256 of the raw body, lower-case hex. */
  readonly bodySha: string;
  /** Replayed with another body than the one its type and time were read from: they are read again before it runs. */
  readonly otherBody?: true;
  /** Position of this event in the request that carried it, for events split out of a batch. */
  readonly itemPath?: string;
  /** Bytes of the raw body. */
  readonly size: number;
  readonly receivedAt: EpochMs;
  /** When it happened, by the provider's own account. */
  readonly eventAt?: EpochMs;
  /** It never arrived: the reconciler fetched it from the provider's API. */
  readonly reconciled?: true;
  readonly updatedAt: EpochMs;
  readonly enqueuedAt?: EpochMs;
  readonly attempts: number;
  readonly recentAttempts?: readonly AttemptNote[];
  /** Copies sent by the sweeper since the last claim. */
  readonly resends: number;
  /** `<cause>: <message>` of the last attempt that failed, up to 200 bytes. */
  readonly lastError?: string;
  /** The replay job or request that started this generation. */
  readonly replayId?: string;
  readonly replayedAt?: EpochMs;
  /** Index `timeline`: `<sourceId>#<yyyy-mm-ddThh>`, `<receivedAt>#<eventKey>`; never changes. */
  readonly timelineHour: string;
  readonly timelineAt: string;
}

/** Sparse index `watch`: there exactly while something is still owed for the event. */
interface Watched {
  readonly watchShard: string;
  readonly watchAt: EpochMs;
}
/** On terminal items. */
interface Expiring {
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}
/** Index and lifetime are read in every status: the daily audit looks for records that have them wrongly. */
type Upkeep = Partial<Watched & Expiring>;

/** What attempts leave on a record. */
interface Progress {
  readonly startedAt?: EpochMs;
  /** The handler asked to wait, first then. */
  readonly deferredSince?: EpochMs;
  /**
   * Since then attempts were given back that no `defer()` asked for: a dependency of ours does not answer, `retryAfter()`, an
   * open breaker, a long batch.
   */
  readonly unreadySince?: EpochMs;
  /** Of a request with many events: path of the first that is not an event of its own yet. */
  readonly splitNext?: string;
}

/** To be attempted for the first time in this generation. */
interface Pending {
  readonly status: 'pending';
}
/** Claimed. */
interface Processing extends Progress {
  readonly status: 'processing';
  /** The claim that owns the event, and until when. */
  readonly owner: string;
  readonly leaseUntil: EpochMs;
  /** The breaker that held it back until this claim. */
  readonly waitsFor?: string;
}
/** To be attempted again: after a failure, or after a wait that spent no attempt. */
interface Retrying extends Progress {
  readonly status: 'failed' | 'deferred';
  /** Not to be claimed before this time. */
  readonly nextAttemptAt: EpochMs;
  /** The watch index, not a message, brings this event back. */
  readonly parked?: true;
  /** The breaker that holds it back: the name of its handler. */
  readonly waitsFor?: string;
}
/** Ended, but not by death. */
interface Finished extends Progress {
  readonly status: 'completed' | 'skipped_stale' | 'rejected' | 'ignored';
  readonly completedAt: EpochMs;
  readonly actionTaken?: string;
  /** Up to 200 bytes; a larger result is in the `detail` item beside the payload. */
  readonly result?: string;
}
/** Given up: a person decides. */
interface Dead extends Progress {
  readonly status: 'dead_letter';
  readonly deadAt: EpochMs;
  /** Names this death: a message that carries it was redriven by a person. */
  readonly deadId: string;
  /** The dead letter queue has its message: nothing is owed any more. */
  readonly dlqSent: boolean;
  readonly cause: string;
  readonly lastError: string;
  /** Sparse index `attention`: the source while dead, `<source>#closed` once a person closed the death. */
  readonly attentionSource: AttentionPartition;
  readonly attentionAt: string;
}
/** A death that a person decided not to replay. */
interface Closed extends Omit<Dead, 'status'> {
  readonly status: 'closed';
  readonly closing: Closing;
}
/** Written by a version that this one does not know (before a rollback), or by none: left alone and told loudly. */
interface Unknown {
  readonly status: 'unknown';
  /** The status that the table has. */
  readonly storedStatus: string;
  readonly owner?: string;
}

type State = Pending | Processing | Retrying | Finished | Dead | Closed | Unknown;
type FieldOf<T> = T extends unknown ? keyof T : never;
type Flat<T> = T extends unknown ? { readonly [K in keyof T]: T[K] } : never;
/** A state without the fields of the others: what is spread from one status into another does not type-check. */
type Only<S> = S extends unknown
  ? S & { readonly [K in Exclude<FieldOf<State>, keyof S | keyof Common>]?: never }
  : never;

/** The record of an event; `status` tells which fields it has. */
export type EventItem = Flat<{ readonly pk: EventPk } & Common & Upkeep & Only<State>>;
/** A record in one status, or in one of several. */
export type EventIn<S extends EventItem['status']> = Narrowed<EventItem, S>;
type Narrowed<T extends EventItem, S> = T extends unknown
  ? S & T['status'] extends never
    ? never
    : { readonly [K in keyof T]: K extends 'status' ? S & T[K] : T[K] }
  : never;
/** Not ended. */
export type OpenEvent = EventIn<'pending' | 'processing' | 'failed' | 'deferred'>;
export type FinalStatus = Finished['status'];

/** Attributes an update may set. With a status come the fields that a record must have in it. */
export type EventItemChange = Flat<
  Partial<Common> &
    (
      | ({ readonly status?: never; readonly dlqSent?: true } & Upkeep)
      | ((Pending | Retrying | Dead) & Watched)
      | (Processing & Partial<Watched>)
      | (Finished & Expiring)
      | (Pick<Closed, 'status' | 'closing' | 'attentionSource' | 'attentionAt'> & Expiring)
    )
>;
export type EventAttribute = Exclude<FieldOf<EventItem>, 'pk'>;

/** The status as the table has it. */
export function storedStatus(item: EventItem): string {
  return item.status === 'unknown' ? item.storedStatus : item.status;
}

/** The names of the three indexes of the `events` table, shared with its definition. */
export const EVENT_INDEXES = {
  watch: { name: 'watch', partition: 'watchShard', sort: 'watchAt', sortType: 'number', project: [] },
  timeline: {
    name: 'timeline',
    partition: 'timelineHour',
    sort: 'timelineAt',
    sortType: 'string',
    project: ['eventType'],
  },
  attention: { name: 'attention', partition: 'attentionSource', sort: 'attentionAt', sortType: 'string', project: [] },
} as const;

/** Of the index `attention`: a source's open dead letters, or its closed ones. */
export type AttentionPartition = SourceId | `${string}#closed`;

/** The partition that names the closed deaths of a source. */
export function closedOf(sourceId: SourceId): AttentionPartition {
  return `${sourceId}#closed`;
}

/** Watch partitions per source; of one that may send more than others, parts of several keys each (spread.ts). */
export const WATCH_SHARDS = 4;

/**
 * A payload item: `pk` as the event's, `sk` one of `B#<bodySha>` (a body), `D#<gen>` (result detail),
 * `N#<gen>#<replayId>` (replay note) and `S#<run>#<name>` (result of a step).
 */
export interface PayloadItem {
  readonly pk: EventPk;
  readonly sk: string;
  /** Deflated raw bytes (`Codec`); absent where the bytes are in the blob store under `ref`. */
  readonly bytes?: Uint8Array;
  /** Key in the blob store. */
  readonly ref?: string;
  /** Allow-listed request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/**
 * Where a body lies in the blob store. Without slashes of the event's key: S3 answers 400 to keys with more `..` between
 * slashes than names before them (docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html).
 */
export function blobKeyOf(pk: EventPk, bodySha: string): string {
  return `${pk.replaceAll('/', '%2F')}/${bodySha}`;
}

/**
 * `D#<gen>`: the result that did not fit the state item. `N#<gen>#<replayId>`: who asked for this replay, why, and which
 * replay was before it.
 */
export type DetailKey = `D#${number}` | `N#${number}#${string}`;

export interface DetailItem {
  readonly pk: EventPk;
  readonly sk: DetailKey;
  /** JSON text, up to 32 KB. */
  readonly detail: string;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/** An `S#<run>#<name>` item: what a finished step of a handler answered, so that no retry of the run repeats it. */
export interface StepItem {
  readonly pk: EventPk;
  readonly sk: string;
  /** JSON text, up to 32 KB; absent: the step answered nothing. */
  readonly result?: string;
  readonly finishedAt: EpochMs;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/** A refused request, kept to be looked at in a key space of its own. */
export interface RefusedItem {
  readonly pk: `_refused#${string}`;
  readonly sk: string;
  readonly cause: string;
  /** The check's own word for what was wrong. */
  readonly hint?: string;
  readonly refusedAt: EpochMs;
  /** Bytes of the whole body. */
  readonly size: number;
  /** SHA-256 of the whole body; `bytes` may be only its start. These three are absent with `quarantine: false`. */
  readonly bodySha?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Deflated. */
  readonly bytes?: Uint8Array;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/**
 * That an event of a source had this value in a searchable field: `_search#<source>#<field>#<sha256 of the value>`. Its
 * `sk` is the event's `timelineAt`: time and key.
 */
export interface SearchItem {
  readonly pk: `_search#${string}`;
  readonly sk: string;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/** Refused requests kept per source and cause: a ring, so that a flood cannot grow it. */
export const REFUSED_SLOTS = 20;

/** Key of the slot a refused request of a source is kept in, 0 to REFUSED_SLOTS - 1. */
export function refusedKey(sourceId: string, cause: string, slot: number): { pk: `_refused#${string}`; sk: string } {
  return { pk: `_refused#${sourceId}`, sk: `${refusedPrefix(cause)}${String(slot).padStart(2, '0')}` };
}

/** What the sort keys of refused requests begin with: of one cause, or of all. */
export function refusedPrefix(cause?: string): string {
  return cause === undefined ? 'Q#' : `Q#${cause}#`;
}
