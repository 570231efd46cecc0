/** What the protocol of receiving asks of its stores. adapters/ implement it, held to one contract suite. */
import type { Condition } from '#core/condition.ts';
import type { EpochMs, EventPk, SourceId } from '#core/glossary.ts';
import type {
  BlobStore,
  Clock,
  Codec,
  Crypto,
  DeadQueue,
  EffectWrite,
  Ids,
  ItemData,
  ItemKey,
  QueueGauge,
  Random,
  Telemetry,
  Timer,
  WorkQueue,
} from '#core/ports.ts';
import type {
  AttentionPartition,
  DetailItem,
  DetailKey,
  EventAttribute,
  EventItem,
  EventItemChange,
  PayloadItem,
  RefusedItem,
  SearchItem,
  StepItem,
} from './protocol/event-item.ts';

/** A conditional change of one state item, as data. */
export interface EventUpdate {
  readonly pk: EventPk;
  readonly condition: Condition;
  readonly set: EventItemChange;
  /** Attributes to increase, e.g. `{ attempts: 1 }`; a missing one counts as 0. */
  readonly add?: { readonly [K in EventAttribute]?: number };
  readonly remove?: readonly EventAttribute[];
}

/** `refused`: the condition did not hold; `item` is what was there (undefined: nothing). */
export type WriteResult =
  | { readonly kind: 'applied'; readonly item: EventItem }
  | { readonly kind: 'refused'; readonly item: EventItem | undefined };

/**
 * `refused`: the state item's own condition (lease lost). `effect_refused`: the condition of the handler's write at
 * `index` (from 0). `conflict`: another transaction touched an item; nothing was applied and a retry may succeed.
 */
export type TransactResult =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'effect_refused'; readonly index: number }
  | { readonly kind: 'conflict' };

export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
  readonly cursor?: string;
}
export interface TimelineEntry {
  readonly pk: EventPk;
  readonly eventType: string;
  readonly timelineAt: string;
}

/** The `events` table: state items, their three indexes, and a few control items. */
export interface EventStore {
  /** Writes a new state item if none is there, else `refused` with the item that is (no extra read). */
  insert(item: EventItem): Promise<WriteResult>;
  /** A conditional update; `applied` carries the item after it, `refused` the item as it is. */
  update(update: EventUpdate): Promise<WriteResult>;
  /**
   * Notes that a source is active in this hour, before its first record there: done once it is written. Each instance makes a
   * note once; where it throws, nobody knows whether it is made.
   */
  note(source: SourceId, at: EpochMs): Promise<void>;
  /** The names that are noted on these items (`noteKey`), of all of them together. Strongly consistent. */
  noted(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** The update and up to 99 writes of a handler, all or nothing. `token`: at most 36 characters, same token = same request. */
  transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult>;
  /** An item of a handler's table (physical name), read consistently. */
  readItem(table: string, key: ItemKey): Promise<ItemData | undefined>;
  /** Strongly consistent read. */
  get(pk: EventPk): Promise<EventItem | undefined>;
  /** Missing items are left out. At most 100 keys. Default consistent; eventual costs half. */
  getMany(pks: readonly EventPk[], read?: 'eventual'): Promise<readonly EventItem[]>;
  /** Events of one watch shard with `from <= watchAt < before`, oldest first. Eventually consistent, as indexes are. */
  watchDue(
    shard: string,
    range: { from?: EpochMs; before: EpochMs },
    cursor?: string,
  ): Promise<Page<{ pk: EventPk; watchAt: EpochMs }>>;
  /** Events received in one hour, newest first or oldest first. */
  timeline(
    hour: string,
    range: { from?: string; to?: string; newestFirst: boolean; cursor?: string; limit?: number },
  ): Promise<Page<TimelineEntry>>;
  /** Dead letters of one source (open, or closed), newest first. */
  attention(partition: AttentionPartition, cursor?: string): Promise<Page<{ pk: EventPk; attentionAt: string }>>;
  /**
   * The partitions of a sparse index that have entries. Undefined: there are more than 1,000 entries, and each partition must
   * be asked. One call, whatever the number of sources. Eventually consistent, as indexes are.
   */
  occupied(index: 'watch' | 'attention'): Promise<ReadonlySet<string> | undefined>;
  /** All state items, for the nightly audit only. */
  scan(cursor?: string): Promise<Page<EventItem>>;
}

/** A control item: pause flags, the sweeper's lease, known sources, replay jobs. Versioned compare-and-set. */
export interface ControlStore {
  read(name: string): Promise<{ readonly value: string; readonly version: number } | undefined>;
  /** Writes if the version is still `expectedVersion` (0: must not exist). False: somebody else wrote first. */
  write(name: string, value: string, expectedVersion: number): Promise<boolean>;
  /** Names that start with a prefix, in order. */
  list(prefix: string): Promise<readonly string[]>;
}

/** The `payloads` table. */
export interface PayloadStore {
  /** Puts the body if it is absent; if it is there, only its lifetime is raised, where it is a day or more too short: the first headers stay. */
  putBody(item: PayloadItem): Promise<void>;
  getBody(pk: EventPk, bodySha: string): Promise<PayloadItem | undefined>;
  /** Raises the lifetime if the body exists and expires earlier. `missing`: there is no such body. */
  raiseBody(pk: EventPk, bodySha: string, expiresAt: number): Promise<'raised' | 'missing'>;
  putDetail(item: DetailItem): Promise<void>;
  getDetail(pk: EventPk, sk: DetailKey): Promise<DetailItem | undefined>;
  /** Puts a refused request into its slot, over what was there. */
  putRefused(item: RefusedItem): Promise<void>;
  /** Refused requests that are kept of a source, of one cause or of all, newest first. Default consistent; eventual costs half. */
  listRefused(sourceId: SourceId, cause?: string, read?: 'eventual'): Promise<readonly RefusedItem[]>;
}

/** Declared fields of bodies, in the `payloads` table beside them. */
export interface SearchStore {
  /** Puts the item, over what was there. */
  put(item: SearchItem): Promise<void>;
  /** Items of a partition with `from <= sk < before`, newest first. At most `limit`. */
  find(pk: SearchItem['pk'], range: { from: string; before: string; limit: number }): Promise<readonly SearchItem[]>;
}

/** Results of a handler's finished steps, beside the payload. */
export interface StepStore {
  /** Strongly consistent. */
  getStep(pk: EventPk, sk: string): Promise<StepItem | undefined>;
  /** Puts the result unless one is there; answers the one that counts: the first. */
  keepStep(item: StepItem): Promise<StepItem>;
}

/** What receiving asks of the outside. Each rule names what it needs of it. */
export interface InboundPorts {
  readonly store: EventStore;
  readonly payloads: PayloadStore;
  readonly control: ControlStore;
  readonly blobs: BlobStore;
  readonly queue: WorkQueue;
  readonly dead: DeadQueue;
  readonly gauge: QueueGauge;
  readonly crypto: Crypto;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
}
