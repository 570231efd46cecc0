/**
 * Every effect the rules need of the machine, on one page; the stores of an engine are in its own `ports.ts`. adapters/ implements them (memory/ with AWS semantics and a virtual clock
 * among them); one contract suite holds all implementations to the same behaviour. A call that fails throws
 * `DependencyError`; a condition that does not hold is a result, not an error.
 */
import type { Condition, Scalar } from './condition.ts';
import type { EpochMs, SourceId } from './glossary.ts';
import type { MetricName } from './metrics.ts';

/** One write of a handler, committed together with the event's completion. Tables are physical names. */
export type EffectWrite =
  | (EffectPlace & { readonly kind: 'put'; readonly item: ItemData })
  | (EffectPlace & {
      readonly kind: 'update';
      readonly key: ItemKey;
      readonly set?: ItemData;
      readonly add?: Readonly<Record<string, number>>;
      readonly remove?: readonly string[];
    })
  | (EffectPlace & { readonly kind: 'delete'; readonly key: ItemKey })
  | (EffectPlace & { readonly kind: 'check'; readonly key: ItemKey; readonly condition: Condition });
interface EffectPlace {
  readonly table: string;
  readonly condition?: Condition;
}

/** A key of a handler's table. */
export type ItemKey = Readonly<Record<string, Scalar>>;
/** An item of a handler's table. Numbers above 2^53 come as bigint. */
export type ItemData = Readonly<Record<string, unknown>>;

/** Bodies too large for a table item (S3). Lifetime is the bucket's. */
export interface BlobStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
}
/** What lies in the store, as an erasure must know it. */
export interface BlobList {
  /** Keys that begin with `prefix` and hold at least one byte, in their order; a page may be short and have a cursor. */
  list(prefix: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}

/** The main queue, as its writers see it. */
export interface WorkQueue {
  /** Sends a message; `delaySeconds` 0 to 900. The body must be under 1 MiB. */
  send(body: string, options: { groupId: string; delaySeconds?: number }): Promise<void>;
}
/** The visibility of a message that is being processed. */
export interface ReceiptBox {
  /** Hides the message for this number of seconds (0 to 43,200) from now. Best effort: never throws. */
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
   * result or error is dropped. An error thrown in time is thrown on. The work's calls through ports end with its limit:
   * those under way throw DependencyError (`unknown`: they may have been applied), and later ones are not made.
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
  verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /** ECDSA P-256 with SHA-256. `der` or `p1363` signature; key is SPKI DER or a JWK's x and y. False when malformed. */
  verifyEcdsaP256(
    key: Uint8Array | Jwk,
    message: Uint8Array,
    signature: Uint8Array,
    format: 'der' | 'p1363',
  ): Promise<boolean>;
  /** RSA PKCS#1 v1.5. Key: SPKI DER, a PEM certificate text, or a JWK. False when malformed. */
  verifyRsa(
    algorithm: 'sha1' | 'sha256',
    key: Uint8Array | string | Jwk,
    message: Uint8Array,
    signature: Uint8Array,
  ): Promise<boolean>;
  /**
   * Certificates in DER, the signer's first. The signer's public key (SPKI DER) when each is issued by the next, valid at
   * the time, and the last is a root the rules pin; else undefined.
   */
  verifyChain(chain: readonly Uint8Array[], rules: ChainRules, atMs: EpochMs): Promise<Uint8Array | undefined>;
}

/** What sending needs beside it. */
export interface SigningCrypto extends Crypto {
  /** Ed25519, 64 bytes; `seed` is the raw 32 bytes of the private key. Throws RangeError for another length. */
  signEd25519(seed: Uint8Array, message: Uint8Array): Uint8Array;
  /** The 32 bytes of the public key that belongs to a seed. */
  publicEd25519(seed: Uint8Array): Uint8Array;
}

export interface ChainRules {
  /** SHA-256 of the accepted roots, lower-case hex. */
  readonly roots: readonly string[];
  /** Object identifiers (the content of their DER, in hex) of extensions that must be there. */
  readonly leafExtension?: string;
  readonly issuerExtension?: string;
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
 * Fetches the keys of providers that publish them. Undefined: the place answered, but has no such key. Throws
 * `UnknownKeyPlaceError` for a place only this request names, where it is not asked or does not answer, and any other
 * error when a place that is known to be good cannot be reached or its answer cannot be used.
 */
export interface KeyFetcher {
  fetchKey(
    kind: 'x509Url' | 'jwksUrl' | 'plaid',
    locator: string,
    kid?: string,
    /** `client_id:secret`, for Plaid only. */
    credential?: string,
  ): Promise<Jwk | string | undefined>;
  /** The key at this place verified a request: from now on the place is known to be good. Never throws. */
  confirm?(kind: 'x509Url' | 'jwksUrl' | 'plaid', locator: string, kid?: string): Promise<void>;
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
/** Where an error was thrown: places in files, `handlers/pay.ts:14:7`. Neither its message nor a name of a function. */
export interface ErrorPlaces {
  /** The first place in the code of the project, without the column. Undefined: none of it was on the way. */
  readonly own?: string;
  /** From the throw upwards, at most 30. */
  readonly frames: readonly string[];
}
export interface StackReader {
  /** Never fails: where nothing is known it answers no frames. */
  read(error: Error): Promise<ErrorPlaces>;
}

export interface Telemetry {
  count(metric: MetricName, dimensions?: Readonly<Record<string, string>>, value?: number): void;
  /** A measurement in milliseconds, or a gauge in its own unit. */
  measure(metric: MetricName, value: number, dimensions?: Readonly<Record<string, string>>): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', line: Readonly<Record<string, unknown>>): void;
}
