/**
 * Every effect the rules need, on one page. adapters/ implements them (memory/ with AWS semantics and a virtual clock
 * among them); one contract suite holds all implementations to the same behaviour. A call that fails throws
 * `DependencyError`; a condition that does not hold is a result, not an error.
 */
import type { Condition, Scalar } from './condition.ts';
import type { RouteTarget } from './config/resolved-config.ts';
import type { EpochMs, EventPk, SourceId } from './glossary.ts';
import type {
  DetailItem,
  DetailKey,
  EventAttribute,
  EventItem,
  EventItemChange,
  PayloadItem,
  RefusedItem,
  StepItem,
} from './inbound/protocol/event-item.ts';
import type { MetricName } from './metrics.ts';

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

/** One write of a handler, committed together with the event's completion. Tables are physical names. */
export type EffectWrite =
  | {
      readonly kind: 'put';
      readonly table: string;
      readonly item: Readonly<Record<string, unknown>>;
      readonly condition?: Condition;
    }
  | {
      readonly kind: 'update';
      readonly table: string;
      readonly key: Readonly<Record<string, Scalar>>;
      readonly set?: Readonly<Record<string, unknown>>;
      readonly add?: Readonly<Record<string, number>>;
      readonly remove?: readonly string[];
      readonly condition?: Condition;
    }
  | {
      readonly kind: 'delete';
      readonly table: string;
      readonly key: Readonly<Record<string, Scalar>>;
      readonly condition?: Condition;
    }
  | {
      readonly kind: 'check';
      readonly table: string;
      readonly key: Readonly<Record<string, Scalar>>;
      readonly condition: Condition;
    };

/**
 * `refused`: the state item's own condition (lease lost). `effect_refused`: the condition of the handler's write at
 * `index` (from 0). `conflict`: another transaction touched an item; nothing was applied and a retry may succeed.
 */
export type TransactResult =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'effect_refused'; readonly index: number }
  | { readonly kind: 'conflict' };

/** A key of a handler's table. */
export type ItemKey = Readonly<Record<string, Scalar>>;
/** An item of a handler's table. Numbers above 2^53 come as bigint. */
export type ItemData = Readonly<Record<string, unknown>>;

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
  /** The update and up to 99 writes of a handler, all or nothing. `token`: at most 36 characters, same token = same request. */
  transact(update: EventUpdate, effects: readonly EffectWrite[], token: string): Promise<TransactResult>;
  /** An item of a handler's table (physical name), read consistently. */
  readItem(table: string, key: ItemKey): Promise<ItemData | undefined>;
  /** Strongly consistent read. */
  get(pk: EventPk): Promise<EventItem | undefined>;
  /** Strongly consistent; missing items are left out. At most 100 keys. */
  getMany(pks: readonly EventPk[]): Promise<readonly EventItem[]>;
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
  /** Dead letters of one source, newest first. */
  attention(sourceId: SourceId, cursor?: string): Promise<Page<{ pk: EventPk; attentionAt: string }>>;
  /** All state items, for the daily reconciler only. */
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
  getRefused(sourceId: SourceId, slot: number): Promise<RefusedItem | undefined>;
}

/** Results of a handler's finished steps, beside the payload. */
export interface StepStore {
  /** Strongly consistent. */
  getStep(pk: EventPk, sk: string): Promise<StepItem | undefined>;
  /** Puts the result unless one is there; answers the one that counts: the first. */
  keepStep(item: StepItem): Promise<StepItem>;
}

/** Bodies too large for a table item (S3). Lifetime is the bucket's. */
export interface BlobStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
}

/** The main queue, as its writers see it. */
export interface WorkQueue {
  /** Sends a message; `delaySeconds` 0 to 900. The body must be under 1 MiB. */
  send(body: string, options: { groupId: string; delaySeconds?: number }): Promise<void>;
}
/** The visibility of a message that is being processed. */
export interface ReceiptBox {
  /** Hides the message for so many seconds (0 to 43,200) from now. Best effort: never throws. */
  hide(receipt: string, seconds: number): Promise<void>;
}
/** The dead-letter queue. */
export interface DeadQueue {
  /** `cause` travels beside the body (a message attribute), so that the body stays what it was. */
  send(body: string, cause: string): Promise<void>;
  receive(limit: number): Promise<readonly { body: string; receipt: string; sentAt: EpochMs; receiveCount: number }[]>;
  delete(receipt: string): Promise<void>;
}
export interface QueueNumbers {
  readonly visible: number;
  readonly hidden: number;
  readonly delayed: number;
}
export interface QueueGauge {
  main(): Promise<QueueNumbers>;
  dead(): Promise<QueueNumbers>;
}

export interface Clock {
  now(): EpochMs;
}
export interface Ids {
  /** A fresh random id, 36 characters (UUID). */
  uuid(): string;
}
export interface Random {
  /** 0 (inclusive) to 1 (exclusive). */
  next(): number;
}
/** Waiting, so that core/ needs no timers (adapters/system.ts; the virtual clock in tests). */
export interface Timer {
  sleep(ms: number): Promise<void>;
  /**
   * Runs `work` for at most `ms`. Past that it aborts the signal, stops waiting and answers `timed_out`; the work's late
   * result or error is dropped. An error thrown in time is thrown on.
   */
  limit<T>(
    ms: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ kind: 'finished'; value: T } | { kind: 'timed_out' }>;
}

export type HashAlgorithm = 'sha1' | 'sha256' | 'sha512';
/** Pure functions that need native code. Nothing here leaves the process. */
export interface Crypto {
  hash(algorithm: HashAlgorithm, ...parts: readonly Uint8Array[]): Uint8Array;
  hmac(algorithm: HashAlgorithm, key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array;
  /** Constant time for equal lengths; false for different lengths. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
  /** Ed25519; key is the raw 32 bytes. False for a malformed key or signature. */
  verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /** ECDSA P-256 with SHA-256. `der` or `p1363` signature; key is SPKI DER or a JWK's x and y. False when malformed. */
  verifyEcdsaP256(key: Uint8Array | Jwk, message: Uint8Array, signature: Uint8Array, format: 'der' | 'p1363'): boolean;
  /** RSA PKCS#1 v1.5. Key: SPKI DER, a PEM certificate text, or a JWK. False when malformed. */
  verifyRsa(
    algorithm: 'sha1' | 'sha256',
    key: Uint8Array | string | Jwk,
    message: Uint8Array,
    signature: Uint8Array,
  ): boolean;
}
export type Jwk = Readonly<Record<string, unknown>>;

/** Byte work that native code does better: deflate and base64. */
export interface Codec {
  toBase64(bytes: Uint8Array): string;
  fromBase64(text: string): Uint8Array;
  /** With the dictionary of a provider, where there is one; what comes out says so itself. */
  deflate(bytes: Uint8Array, provider?: string): Uint8Array;
  /**
   * What `deflate` made, of this version or an earlier one. Throws when it is not that or inflates to more than
   * `limitBytes`; `UnknownDictionaryError` when a newer version made it.
   */
  inflate(bytes: Uint8Array, limitBytes: number): Uint8Array;
}

/** Address ranges (CIDR or single addresses). */
export interface Addresses {
  contains(ranges: readonly string[], address: string): boolean;
}

export interface SourceSecret {
  readonly current: string;
  readonly previous?: string;
  /** After this time `previous` is refused. */
  readonly previousNotAfter?: EpochMs;
}
/**
 * `unset`: the source has no secret yet; until `pairingUntil` its provider may bring one. `unreadable`: it could not be
 * fetched and none is cached.
 */
export type SecretResult =
  | { readonly kind: 'secret'; readonly secret: SourceSecret }
  | { readonly kind: 'unset'; readonly pairingUntil?: EpochMs }
  | { readonly kind: 'unreadable' };
/** `closed`: no pairing window is open. `taken`: a secret is set, or another request was first. */
export type PairingResult = 'paired' | 'closed' | 'taken';
/** Secrets of sources: cached 5 minutes, stale when the fetch fails. */
export interface Secrets {
  get(sourceId: SourceId): Promise<SecretResult>;
  /** One forced fetch per source per 30 s, after a mismatch; false when it was too soon or nothing changed. */
  refresh(sourceId: SourceId): Promise<boolean>;
  /**
   * Keeps a secret that a provider brought (Asana, Notion), if the source has none and its pairing window is open. Never
   * overwrites: of several at once, one is kept.
   */
  pair(sourceId: SourceId, secret: string): Promise<PairingResult>;
}

/** Confirming a subscription: beside published keys, the one kind of call ingest makes to the outside. */
export interface Http {
  /** GET of a plain https address, and the answer's status. No redirect is followed; time and size are capped. */
  get(url: string): Promise<number>;
}

/**
 * Fetches the keys of providers that publish them. Undefined: the place answered, but has no such key. Throws when it
 * cannot be reached or its answer cannot be used.
 */
export interface KeyFetcher {
  fetchKey(
    kind: 'x509Url' | 'jwksUrl' | 'plaid',
    locator: string,
    kid?: string,
    /** `client_id:secret`, for Plaid only. */
    credential?: string,
  ): Promise<Jwk | string | undefined>;
}

/** What a route hands to an AWS target. */
export interface TargetMessage {
  /** A CloudEvent as JSON. */
  readonly text: string;
  readonly source: SourceId;
  readonly eventType: string;
  /** 64 hex characters, the same for every attempt of one run: for targets that know a duplicate by its key. */
  readonly keyHash: string;
  /** Events of one group are about one thing: where a target keeps order, it keeps it within a group. At most 128 characters. */
  readonly group: string;
}
type RefusalCause = 'denied' | 'not_found' | 'invalid';
/**
 * `accepted`: the target has it. `refused`: no retry can help. `too_large`: by the target's own word. `busy`: throttled,
 * with the wait it asked for. `failed`: no answer, or one that says nothing: it may have it.
 */
export type Delivered =
  | { readonly kind: 'accepted'; readonly receipt?: string }
  | { readonly kind: 'refused'; readonly cause: RefusalCause; readonly reason: string }
  | { readonly kind: 'too_large'; readonly reason: string }
  | { readonly kind: 'busy'; readonly afterSeconds?: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };
/** Where routes send events. */
export interface Targets {
  /** To an AWS target. */
  send(target: RouteTarget, message: TargetMessage, signal: AbortSignal): Promise<Delivered>;
  /** POSTs bytes to a URL. No redirect is followed. */
  post(
    url: string,
    request: { readonly headers: Readonly<Record<string, string>>; readonly bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<Delivered>;
}

/** The probe's way in: sends a request to the public URL, answers its status. Throws DependencyError when there is no answer in time. */
export interface Sender {
  post(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array, timeoutMs: number): Promise<number>;
}

/** Tells the people who are on call. Throws DependencyError when they were not told. */
export interface Pager {
  /** `message`: for programs, CloudWatch's own JSON. `text`: for people. */
  publish(subject: string, message: string, text: string): Promise<void>;
}

/** What a rule reports: counters for metrics, one wide line per stage for the log. Never bodies or secrets. */
export interface Telemetry {
  count(metric: MetricName, dimensions?: Readonly<Record<string, string>>, value?: number): void;
  /** A measurement in milliseconds, or a gauge in its own unit. */
  measure(metric: MetricName, value: number, dimensions?: Readonly<Record<string, string>>): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', line: Readonly<Record<string, unknown>>): void;
}
