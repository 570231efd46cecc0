/**
 * The state item: one per event, under 1 KB on the happy path, so that each status change bills one write unit.
 * The body is not in it (see `PayloadItem`). Attribute names are the ones stored in the `events` table.
 */
import { type EpochMs, EVENT_STATUSES, type EventPk, type EventStatus, type SourceId } from '#core/glossary.ts';

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

export interface EventItem {
  readonly pk: EventPk;
  readonly status: EventStatus;
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
  readonly startedAt?: EpochMs;
  readonly completedAt?: EpochMs;
  readonly attempts: number;
  readonly recentAttempts?: readonly AttemptNote[];
  /** The claim that owns a `processing` event, and until when. */
  readonly owner?: string;
  readonly leaseUntil?: EpochMs;
  /** Not to be claimed before this time. */
  readonly nextAttemptAt?: EpochMs;
  /** The watch index, not a message, brings this event back. */
  readonly parked?: boolean;
  /** The handler asked to wait, first then. */
  readonly deferredSince?: EpochMs;
  /** A dependency of ours has not answered since then (or a long batch goes on): no wait of the handler's. */
  readonly unreadySince?: EpochMs;
  /** Of a request with many events: path of the first that is not an event of its own yet. */
  readonly splitNext?: string;
  /** Copies sent by the sweeper since the last claim. */
  readonly resends: number;
  /** The replay job or request that started this generation. */
  readonly replayId?: string;
  readonly replayedAt?: EpochMs;
  readonly actionTaken?: string;
  /** Up to 200 bytes; a larger result is in the `detail` item beside the payload. */
  readonly result?: string;
  /** `<cause>: <message>`, up to 200 bytes. */
  readonly lastError?: string;
  readonly deadAt?: EpochMs;
  /** Names this death: a message that carries it was redriven by a person. */
  readonly deadId?: string;
  readonly dlqSent?: boolean;
  readonly cause?: string;
  /** A person decided that this death will not be replayed. */
  readonly closing?: Closing;
  /** Epoch SECONDS; only on terminal items. */
  readonly expiresAt?: number;
  /** Sparse index `watch`: present exactly while something is still owed for the event. */
  readonly watchShard?: string;
  readonly watchAt?: EpochMs;
  /** Index `timeline`: `<sourceId>#<yyyy-mm-ddThh>`, `<receivedAt>#<eventKey>`; never changes. */
  readonly timelineHour: string;
  readonly timelineAt: string;
  /** Sparse index `attention`: the source while dead, `<source>#closed` once a person closed the death. */
  readonly attentionSource?: string;
  readonly attentionAt?: string;
}

/** False for what a newer version wrote (before a rollback): it is left alone until that version is back. */
export function isKnownRecord(item: EventItem): boolean {
  return EVENT_STATUSES.includes(item.status) && item.schemaVersion <= SCHEMA_VERSION;
}

/** Attributes an update may set, and those it may remove. */
export type EventItemChange = { readonly [K in Exclude<keyof EventItem, 'pk'>]?: EventItem[K] };
export type EventAttribute = Exclude<keyof EventItem, 'pk'>;

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

/** Watch partitions per source. */
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
