/**
 * Every effect the outbound rules need, beside the machine's own (core/ports.ts). adapters/ implements them; one contract
 * suite holds each implementation, the one in memory among them, to the same behaviour. A call that fails throws
 * `DependencyError`; a condition that does not hold is a result, not an error.
 */

import type { Condition } from '#core/condition.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { BlobList, BlobStore, Clock, Codec, Crypto, Ids, Random, Telemetry, Timer } from '#core/ports.ts';

// ---- items -----------------------------------------------------------------------------------------------------------

/** `registry`: configuration and runtime of endpoints, small. `outbox`: messages, rows, records, attempts. */
export type OutboundTable = 'registry' | 'outbox';
export type Item = Readonly<Record<string, unknown>>;
/** An item as a page brings it: with its key. */
export type Placed<T> = T & { readonly pk: string; readonly sk: string };

declare const itemType: unique symbol;
/** Where an item lies; `T` is what lies there (protocol/keys.ts makes them, so that no caller names a type). */
export interface TableKey<T = unknown> {
  readonly table: OutboundTable;
  readonly pk: string;
  readonly sk: string;
  readonly [itemType]?: T;
}

/** What lies at each of the keys. */
export type ItemsOf<Keys extends readonly TableKey[]> = {
  -readonly [Index in keyof Keys]: (Keys[Index] extends TableKey<infer T> ? T : never) | undefined;
};

/** Puts a whole item over what is there, if the condition holds. The key is not part of `item`. */
export interface ItemPut<T = Item> {
  readonly kind: 'put';
  readonly key: TableKey<T>;
  readonly item: T;
  readonly condition?: Condition;
}
/** Changes an item, or makes it where there is none. */
export interface ItemUpdate<T = Item> {
  readonly kind: 'update';
  readonly key: TableKey<T>;
  readonly condition?: Condition;
  readonly set?: { readonly [K in keyof T]?: T[K] };
  /** Attributes to increase; a missing one counts as 0. */
  readonly add?: { readonly [K in keyof T]?: number };
  readonly remove?: readonly (keyof T & string)[];
}
interface ItemDelete {
  readonly kind: 'delete';
  readonly key: TableKey;
  readonly condition?: Condition;
}
/** Changes nothing: only its condition must hold. */
interface ItemCheck {
  readonly kind: 'check';
  readonly key: TableKey;
  readonly condition: Condition;
}
/** One write of a transaction, of items of any type. */
// biome-ignore lint/suspicious/noExplicitAny: a transaction mixes items; each write was typed where it was made.
export type ItemWrite = ItemPut<any> | ItemUpdate<any> | ItemDelete | ItemCheck;

/** `applied` carries the item after the write, `refused` what was there (undefined: nothing). */
export type ItemResult<T = Item> =
  | { readonly kind: 'applied'; readonly item: T }
  | { readonly kind: 'refused'; readonly item: T | undefined };

/** `refused`: the condition of the write at `index` (from 0, the first of them). `conflict`: nothing applied, try again. */
export type ItemsTransactResult =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly index: number }
  | { readonly kind: 'conflict' };

/** Items of one partition whose `sk` (on the index: `gsk`) lies between two texts, both inclusive. */
export interface KeyRange<T = unknown> {
  readonly table: OutboundTable;
  /** The partition: `pk`, on the index `gpk`. */
  readonly partition: string;
  /** The sparse index: keys only (on `outbox` also `type`), eventually consistent. Default: the table, consistent. */
  readonly index?: 'listed';
  readonly from?: string;
  readonly to?: string;
  readonly newestFirst?: boolean;
  /** Items of a page, 1 to 1,000. Default 100. A page may be shorter and still have a cursor. */
  readonly limit?: number;
  /** Of the page before. */
  readonly cursor?: string;
  /** Of the table. Default consistent; eventual costs half. */
  readonly read?: 'eventual';
  readonly [itemType]?: T;
}
export interface ItemPage<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
  readonly cursor?: string;
}

/** The two tables. */
export interface ItemStore {
  /** One put, plain or conditional. */
  put<T>(write: ItemPut<T>): Promise<ItemResult<T>>;
  /** Plain puts, in no order; resolves when none is left. Keys are part of the items. */
  putMany(table: OutboundTable, items: readonly Placed<Item>[]): Promise<void>;
  update<T>(write: ItemUpdate<T>): Promise<ItemResult<T>>;
  /** Plain; a missing item is no error. */
  delete(key: TableKey): Promise<void>;
  get<T>(key: TableKey<T>, read: 'consistent' | 'eventual'): Promise<T | undefined>;
  /** In the order asked, with gaps. Any number of keys, of both tables. Default consistent; eventual costs half. */
  getMany<const Keys extends readonly TableKey[]>(keys: Keys, read?: 'consistent' | 'eventual'): Promise<ItemsOf<Keys>>;
  query<T>(range: KeyRange<T>): Promise<ItemPage<Placed<T>>>;
  /** One of `of` parts of a table, eventually consistent. Only tend scans. */
  scan(
    table: OutboundTable,
    part: { readonly segment: number; readonly of: number; readonly cursor?: string },
  ): Promise<ItemPage<Placed<Item>>>;
  /** All or nothing, 1 to 100 writes. `token`: at most 36 characters; the same token within 10 minutes is the same request. */
  transact(writes: readonly ItemWrite[], token: string): Promise<ItemsTransactResult>;
}

// ---- queues ----------------------------------------------------------------------------------------------------------

/** "This endpoint may have something due." `end`: behind a shut gate, only to end what is older than the retention. */
export interface WakeUp {
  readonly v: 1;
  readonly ep: string;
  readonly mode?: 'end';
}
/** wake-fast or wake-slow. */
export interface WakeQueue {
  /** Resolves when every wake-up is accepted. `delaySeconds` 0 to 900: one for all, or one for each. */
  send(wakeUps: readonly WakeUp[], delaySeconds?: number | readonly number[]): Promise<void>;
}

/** Fan out one message to the endpoints of an application; `from`, `to`: a part of them, by id, `from` inclusive. */
export interface FanOutJob {
  readonly v: 1;
  readonly app: string;
  readonly msg: string;
  readonly from?: string;
  readonly to?: string;
  /** The publish was repeated: only endpoints that wanted it when it was published get it. */
  readonly again?: true;
}
/** Walk over all applications with one broadcast message, from the one behind `after` (a cursor). */
export interface WalkJob {
  readonly v: 1;
  readonly walk: string;
  readonly after?: string;
  readonly again?: true;
}
/** Publish an operational event for a session, which may not write messages. */
export interface OperationalJob {
  readonly v: 1;
  /** `at`: when it was told, however late the job runs. */
  readonly op: { readonly type: string; readonly key: string; readonly data: Item; readonly at?: EpochMs };
}
/** Go on with a replay job: it was started, or rows of it are done at an endpoint. */
interface ReplayRunJob {
  readonly v: 1;
  readonly replay: string;
}
export type Job = FanOutJob | WalkJob | OperationalJob | ReplayRunJob;
export interface JobQueue {
  /** Resolves when every job is accepted. `group`: the application, so that one flood does not hold back the others. */
  send(jobs: readonly Job[], group: string): Promise<void>;
}

// ---- sending ---------------------------------------------------------------------------------------------------------

/** One request to a customer's address. */
export interface OutgoingRequest {
  readonly url: string;
  /** All headers but `host`, `content-length` and `connection`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** From the start of the name lookup to the end of the answer, milliseconds. */
  readonly deadlineMs: number;
  /** For the connection, behind the name lookup. Absent: 5 s. */
  readonly connectMs?: number | undefined;
}
/** Milliseconds since the start of the request; a phase that did not happen is absent. */
export interface Timings {
  readonly dns?: number;
  readonly connect?: number;
  readonly tls?: number;
  readonly firstByte?: number;
  readonly total: number;
}
/** Why there is no answer, by the sender's own account. */
export const NO_ANSWER_CAUSES = [
  'timeout',
  'dns',
  'connect',
  'reset',
  'closed_early',
  'bad_http',
  'tls',
  'forbidden_address',
  'own_fault',
] as const;
export type NoAnswerCause = (typeof NO_ANSWER_CAUSES)[number];

/** What came back. A failure is an answer too: a sender never throws. */
export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Lower-case names; a repeated header has its values in order. */
      readonly headers: Readonly<Record<string, readonly string[]>>;
      /** At most 10 KiB. */
      readonly body: Uint8Array;
      /** Bytes of the body that were read; more than are kept where it was cut. */
      readonly bytes: number;
      readonly truncated: boolean;
      readonly timings: Timings;
    }
  | {
      readonly kind: 'failed';
      readonly cause: NoAnswerCause;
      /** For people: no address that was resolved, no header value. */
      readonly detail: string;
      readonly timings: Timings;
    };

/** Every meaning of an answer; drain/classify-answer.ts decides. */
export const ANSWER_CLASSES = [
  'ok',
  'redirect',
  'message_refused',
  'denied',
  'gone',
  'throttled',
  'busy',
  'server_error',
  'other_status',
  'body_unreadable',
  ...NO_ANSWER_CAUSES,
] as const;
export type AnswerClass = (typeof ANSWER_CLASSES)[number];

/**
 * Whose fault an answer is. `ambiguous`: the message's or the endpoint's, which other messages will show. `throttle`: the
 * endpoint is only too slow for us. `ours`: we never asked it. `none`: nothing failed.
 */
export const FAULTS = ['none', 'endpoint', 'ambiguous', 'message', 'throttle', 'ours'] as const;
export type Fault = (typeof FAULTS)[number];

/** What an answer means for the delivery and for its endpoint (drain/classify-answer.ts: `classifyAnswer(answer, now)`). */
export interface Verdict {
  readonly class: AnswerClass;
  readonly fault: Fault;
  /** Of a valid `Retry-After`: milliseconds from now, above 0. */
  readonly retryAfterMs?: number;
  /** Of the `webhook-delivery` header. */
  readonly directive?: 'disable' | 'abort-message';
}

/** The way out to addresses that others chose. A session has its own connections. */
export interface WebhookSender {
  /** `cap`: connections at most. */
  open(cap: number): SenderSession;
}
export interface SenderSession {
  /** Never throws. An aborted signal ends it as `own_fault`. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Answer>;
  /** Destroys the connections. */
  close(): void;
}

/** A mail of plain text. Nothing in it was written by a customer but what was made plain. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Where a POST takes the address away (RFC 8058). */
  readonly leaveUrl: string;
}
export interface Mailer {
  /** Throws DependencyError, which does not name the address; `not_applied`: no mail was sent. */
  send(mail: Mail): Promise<void>;
}

/** Encrypts secrets at rest. `about`: what the secret belongs to (an endpoint id); opening it for another fails. */
export interface Sealer {
  seal(plain: Uint8Array, about: string): string;
  /** Throws RangeError for what was not sealed with a live key about the same thing. */
  open(sealed: string, about: string): Uint8Array;
  /** Whether `seal` would use the key that it was sealed with. */
  isCurrent(sealed: string, about: string): boolean;
  /** Names the key that `seal` uses, and does not tell it. */
  readonly keyName: string;
}

// ---- all of them -----------------------------------------------------------------------------------------------------

/** By the names that the rules call them by: each says which of them it needs, and what of one where that is less. */
export interface OutboundPorts {
  readonly store: ItemStore;
  readonly codec: Pick<Codec, 'deflate' | 'inflate'>;
  readonly blobs: BlobStore & BlobList;
  /** Fan-out, operational events, replay jobs. */
  readonly jobs: JobQueue;
  /** wake-fast. */
  readonly wake: WakeQueue;
  /** wake-slow: what is passed on, and what is looked at again soon. */
  readonly slow: WakeQueue;
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly crypto: Pick<Crypto, 'hash'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
}
