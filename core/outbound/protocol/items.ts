/**
 * Items of the two outbound tables, with the names they are stored under (docs: the design's section on data). `pk` and
 * `sk` come from keys.ts. Times are epoch milliseconds, but for the TTL `expiresAt`, which is epoch SECONDS.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { AnswerClass, Fault, Timings } from '#core/outbound/ports.ts';
import type { AppId, ContactId, EndpointId, JobId, MessageId } from './ids.ts';

/** The sparse index of both tables: present exactly on what must be listed. */
interface Listed {
  readonly gpk?: string;
  readonly gsk?: string;
}

export type Mode = 'live' | 'test';
/** How the body of a message is built from what the producer gave. */
export const FORMATS = ['standard', 'raw', 'plain', 'object', 'cloudevents'] as const;
export type Format = (typeof FORMATS)[number];
/** Which headers and signatures a request carries. */
export const SIGNATURE_PROFILES = ['standard', 'standard-v1a', 'timestamp-sha256', 'body-sha256', 't-v1'] as const;
export type SignatureProfile = (typeof SIGNATURE_PROFILES)[number];
/** Where a request says which secret signed it: in a header of ours, in its signature, or nowhere. */
export const KEY_ID_PLACES = ['header', 'signature', 'none'] as const;

/** Systems whose receivers verify what we send, with the secret they have. */
export const SIGNED_LIKE = ['svix', 'convoy', 'outpost'] as const;
/** Headers that another system signed with before, sent beside our own (sign/sign-like.ts). */
export interface Compatibility {
  readonly like: (typeof SIGNED_LIKE)[number];
  /** The signature's, in lower case. Default: that system's. Not with `svix`. */
  readonly header?: string;
  /** Default sha256. Not with `svix`. */
  readonly hash?: 'sha256' | 'sha512';
  /** Default hex. Not with `svix`. */
  readonly encoding?: 'hex' | 'base64';
  /** The time is in the header and is signed: what Convoy calls advanced, and Outpost's older form. Not with `svix`. */
  readonly timed?: boolean;
}

/** What one application may use, so that it is no neighbour's problem; an absent one is the environment's. */
export interface AppLimits {
  readonly endpoints?: number;
  readonly publishPerSecond?: number;
  /** Of a body as it is sent. */
  readonly payloadBytes?: number;
  /** Days that its messages are kept, never more than the environment's. */
  readonly retentionDays?: number;
}
/** An application: one customer of the producer. */
export interface ApplicationItem extends Listed {
  readonly id: AppId;
  readonly uid?: string;
  readonly name: string;
  /** JSON values, at most 2 KB. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly limits: AppLimits;
  readonly format: Format;
  /** Waits after failures, seconds. */
  readonly schedule?: readonly number[];
  readonly defaultApiVersion?: string;
  /** Of endpoints that are made from now on and name none. */
  readonly signature?: SignatureProfile;
  readonly signatureHeader?: string;
  readonly keyId?: (typeof KEY_ID_PLACES)[number];
  /** Changes whenever an endpoint of it does: what caches compare. */
  readonly endpointVersion: number;
  /** The endpoint whose change made that version. */
  readonly changedEndpoint?: EndpointId;
  readonly endpoints: number;
  /** When its portal tokens were last revoked: a token is good while it carries this stamp. */
  readonly tokensRevokedAt?: EpochMs;
  /** Tokens that were revoked one by one, until each is over by itself: `<id>:<until>,…`. */
  readonly tokensRevoked?: string;
  readonly state: 'active' | 'erasing';
  readonly createdAt: EpochMs;
}

/** That an application was made, for a day: what an index has not heard of yet. */
export interface NewAppItem {
  readonly id: AppId;
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}
/** Rows of an application may come in an hour: its key says which (keys.ts). */
export interface RowNoteItem {
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}
/** Holds a unique name: `U#<uid>` of an application, `U#<app>#<uid>` of an endpoint. */
export interface NameItem {
  readonly id: AppId | EndpointId;
}

export type FilterOp = 'eq' | 'ne' | 'in' | 'gt' | 'ge' | 'lt' | 'le' | 'exists' | 'starts_with';
export type FilterValue = string | number | boolean | null;
export interface FilterClause {
  /** By dots, in `data`; a first `data.` is allowed. */
  readonly path: string;
  readonly op: FilterOp;
  /** A list for `in`, a truth value for `exists`. Numbers may come as text, exact to every digit. */
  readonly value: FilterValue | readonly FilterValue[];
}
export type ContentFilter = { readonly all: readonly FilterClause[] } | { readonly any: readonly FilterClause[] };

/** What a customer configured. Never secrets. */
export interface EndpointItem {
  readonly id: EndpointId;
  readonly app: AppId;
  /** Absent: push. Of a pull endpoint nothing is sent: its owner reads, and says what it has. It never changes. */
  readonly kind?: 'push' | 'pull';
  /** Empty where the kind is pull. */
  readonly url: string;
  readonly description: string;
  readonly uid?: string;
  /** Patterns; empty: everything. */
  readonly types: readonly string[];
  readonly channels: readonly string[];
  readonly mode: Mode;
  readonly apiVersion?: string;
  readonly filter?: ContentFilter;
  /** Headers of the customer's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: SignatureProfile;
  /** In lower case; absent: the form's own. Only where the form is keyed by the text of the secret. */
  readonly signatureHeader?: string;
  /** Absent: in the signature where the form has room for it, and in the header. */
  readonly keyId?: (typeof KEY_ID_PLACES)[number];
  readonly compatibility?: Compatibility;
  /** Waits after failures, seconds. */
  readonly schedule?: readonly number[];
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  readonly maxConcurrency: number;
  readonly timeoutMs: number;
  /** For a connection, behind the name lookup. Absent: 5 s. */
  readonly connectMs?: number;
  readonly ordered: boolean;
  /** Of an ordered endpoint: hours after which its head ends as dead. */
  readonly headOfLineHours?: number;
  readonly batch?: { readonly maxEvents: number; readonly maxBytes: number };
  readonly payload: 'full' | 'thin';
  /** 1 to 30; false: never disabled for failing. Default: the environment's. */
  readonly autoDisableDays?: number | false;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Since when it has wanted what it wants now: reconcile leaves older messages alone. */
  readonly subscribedAt: EpochMs;
  readonly version: number;
  readonly createdAt: EpochMs;
  /** Of its configuration; absent: never. */
  readonly changedAt?: EpochMs;
  /** A tombstone: everything but its name is gone. */
  readonly deletedAt?: EpochMs;
  /** Epoch SECONDS; only on a tombstone. */
  readonly expiresAt?: number;
}

export interface StoredKey {
  readonly kid: string;
  readonly alg: 'sha256' | 'ed25519';
  /** The bytes are a text that somebody brought along, and no `whsec_`. */
  readonly plain?: true;
  /** `Sealer`, about the endpoint's id. Bytes of an HMAC key, or the 32-byte seed of a key pair. */
  readonly sealed: string;
  readonly createdAt: EpochMs;
  /** Signs no more after this time. */
  readonly notAfter?: EpochMs;
  /** A form with room for one signature uses the newest active key; the one before it until then. */
  readonly activatedAt?: EpochMs;
}
export interface SecretsItem {
  /** Newest first. */
  readonly keys: readonly StoredKey[];
  readonly version: number;
}

export const CONTACT_KINDS = ['url', 'email'] as const;
export type ContactKind = (typeof CONTACT_KINDS)[number];
/** Who is told about the endpoints of an application: one address. */
export interface Contact {
  readonly id: ContactId;
  /** One of the two. */
  readonly email?: string;
  readonly url?: string;
  /** Of a URL: signs what it is told. `Sealer`, about the contact's id. */
  readonly key?: StoredKey;
  readonly createdAt: EpochMs;
  /** A confirmation was asked for then, and is not sent yet. */
  readonly askedAt?: EpochMs;
  /** Of the last confirmation: the SHA-256 of its token in hex, and until when that is good. */
  readonly token?: { readonly hash: string; readonly until: EpochMs };
  readonly confirmedAt?: EpochMs;
  /** What happened until then was told, or was before its time. */
  readonly toldTo?: EpochMs;
  /** What is being told ends there: a repetition says the same. */
  readonly tellTo?: EpochMs;
  /** Nothing is sent before. */
  readonly notBefore?: EpochMs;
  /** Of what is being sent. */
  readonly tries?: number;
}
/** All contacts of an application. Listed by when they are looked at next, while there is something to look for. */
export interface ContactsItem extends Listed {
  readonly contacts: readonly Contact[];
  readonly version: number;
}

export type Gate = 'open' | 'paused' | 'disabled' | 'deleted';
type HoldWhy = 'breaker' | 'throttled' | 'rate' | 'crash';
interface ThrottledRun {
  readonly msg: MessageId;
  readonly gen: number;
  readonly n: number;
  readonly at: EpochMs;
  readonly further: number;
}
/** What a rate of failures goes by. */
export interface Rated {
  /** As `hours` of the runtime item, but of the failures only those that the breaker counts. */
  readonly hours: string;
  /** When the rate was first over its limit; absent: it is not. */
  readonly overSince?: EpochMs;
}
/** What goes on at an endpoint: gate, lease, breaker, pace. One item, changed by conditional writes only. */
export interface RuntimeItem extends Listed {
  readonly ep: EndpointId;
  readonly app: AppId;
  /** Of kind pull: no session sends, whatever the gate. */
  readonly pulled?: true;
  readonly gate: Gate;
  readonly gateBy?: 'operator' | 'customer' | 'system';
  readonly gateWhy?: string;
  readonly gateSince: EpochMs;
  /** Changes of its configuration and secrets so far: a session that read an older one reads again. */
  readonly config?: number;
  /** The lease: who sends now, and until when nobody else may. */
  readonly owner?: string;
  readonly leaseUntil?: EpochMs;
  /** When a session gave its lease back last: it may have left rows that nothing else shows. */
  readonly leftAt?: EpochMs;
  /** Leases in a row whose owner never gave them back. */
  readonly crashes: number;
  readonly holdUntil?: EpochMs;
  readonly holdWhy?: HoldWhy;
  /** When the hold that is on began. */
  readonly holdSince?: EpochMs;
  /** When its last hold ended, or the wait of its ordered head: what waited until then is not late because of us. */
  readonly heldTo?: EpochMs;
  /** The breaker: 0 closed, n opened n times in a row. */
  readonly opens: number;
  /** Successes in a row since the trial request, while the breaker recovers. */
  readonly recovered?: number;
  /** While it recovers: requests at once, doubled after each full round of successes, up to `cap`. */
  readonly ramp?: number;
  /** Successes of the round that is on. */
  readonly round?: number;
  /** Throttled answers in a row. */
  readonly throttles?: number;
  /** The first of them, whose attempt is kept, and how many requests were throttled after it. */
  readonly throttled?: ThrottledRun;
  readonly failingSince?: EpochMs;
  /** Since `failingSince`. */
  readonly probes: number;
  /** First 410, and first refused address, since the last success. */
  readonly goneAt?: EpochMs;
  readonly forbiddenAt?: EpochMs;
  /** Results in a row, newest last: `1` success, `0` a failure that counts; at most 20. */
  readonly recent?: string;
  /** The first two messages that failed since the last success. */
  readonly failed?: readonly string[];
  /** Since when it has not answered, or only as one that is down; absent: its last answer was about a message. */
  readonly silentSince?: EpochMs;
  /** Successes, ever: how many others were answered since a delivery began to fail. */
  readonly oks?: number;
  /** Requests at once, as the pace found it. */
  readonly cap: number;
  /** The cap at the last success, while it fails: what it comes back to. */
  readonly steadyCap?: number;
  /** Successes since the cap last grew. */
  readonly streak?: number;
  /** Results still to come before another failure halves the cap: one round is one fault. */
  readonly cooldown?: number;
  readonly ewmaMs: number;
  readonly lane: 'fast' | 'slow';
  /** Quick successes in a row on the slow lane. */
  readonly quick?: number;
  /** The rate limit's bucket. */
  readonly bucket?: { readonly tokens: number; readonly at: EpochMs };
  /** Behind a shut gate: retries and replays were looked through, and none is too old before this. */
  readonly endLaterAt?: EpochMs;
  /** First-generation deliveries of messages created before this are dropped. */
  readonly dropBefore?: EpochMs;
  /** Where a rate of failures disables: what it goes by. */
  readonly rated?: Rated;
  /** Attempts of the last 24 hours (protocol/hours.ts). */
  readonly hours?: string;
  /** Deliveries that died, ever. */
  readonly dead: number;
  readonly lastSuccessAt?: EpochMs;
  readonly lastFailureAt?: EpochMs;
  readonly lastClass?: AnswerClass;
  readonly lastCode?: number;
  /** Of the last failure; they stay after a success. */
  readonly lastFailureClass?: AnswerClass;
  readonly lastFailureCode?: number;
  /** Epoch SECONDS; only behind the gate `deleted`. */
  readonly expiresAt?: number;
}

/** What the data of one version of a type looks like. */
export interface TypeVersion {
  /** As messages name it in `apiVersion`. Absent: the type has one form, whatever messages name. */
  readonly version?: string;
  /** A JSON Schema (catalogue/schema-check.ts). */
  readonly schema?: unknown;
  /** Fits the schema. */
  readonly example?: unknown;
  readonly deprecated?: boolean;
}
/** One type of the catalogue, in its newest version. */
export interface EventTypeItem extends TypeVersion {
  readonly name: string;
  readonly description: string;
  readonly group?: string;
  /** When a deprecated type ends, as announced: nothing happens then by itself. */
  readonly endsAt?: EpochMs;
  /** The type to move to. */
  readonly replacement?: string;
  readonly validate: 'off' | 'warn' | 'reject';
  /** Versions before the newest, newest first. */
  readonly earlier?: readonly TypeVersion[];
}

const JSON_TYPE = 'application/json';
export const contentTypeOf = ({ contentType = JSON_TYPE }: Pick<MessageItem, 'contentType'>): string => contentType;
/** As it is stored: the usual one costs no bytes. */
export const storedContentType = (contentType: string): Pick<MessageItem, 'contentType'> =>
  contentType === JSON_TYPE ? {} : { contentType };

/** One message, as published; never updated. */
export interface MessageItem extends Listed {
  readonly id: MessageId;
  readonly app: AppId;
  readonly type: string;
  readonly channels?: readonly string[];
  readonly mode: Mode;
  readonly apiVersion?: string;
  /** Version of the type whose schema judged the data. */
  readonly schemaVersion?: string;
  /** 1 to 21. */
  readonly maxAttempts?: number;
  readonly createdAt: EpochMs;
  /** Of what the producer gave, not of the body that was built: what tells a repetition from another message. */
  readonly inputSha: string;
  /** Bytes of the body. */
  readonly size: number;
  /** Absent: `application/json`. */
  readonly contentType?: string;
  /** Deflated (`Codec`); absent where the bytes are in the blob store under `ref`. */
  readonly body?: Uint8Array;
  readonly ref?: string;
  /** Offset of the value of `data` in the body, which ends one byte before the body does; absent in a raw body. */
  readonly dataAt?: number;
  readonly traceId?: string;
  readonly sequence?: string;
  /** A copy for one endpoint (a replay as new): nobody else gets it. */
  readonly only?: EndpointId;
  /** Of a copy (`as_new`): the message that it was made of. */
  readonly copyOf?: MessageId;
  /** Its body was taken away by a person: what waits ends. */
  readonly bodyRemovedAt?: EpochMs;
  readonly expiresAt: number;
}

/** A pointer in an endpoint's queue partition: look at this delivery from then on. */
export interface RowItem {
  readonly msg: MessageId;
  /** The message's own time. */
  readonly createdAt: EpochMs;
  readonly gen: number;
  /** The charged attempt it is for, from 1. */
  readonly n: number;
  /** Of a live row: what lists say of a delivery that has no record yet. */
  readonly type?: string;
  /** The replay job that put it. */
  readonly job?: JobId;
  /** Its application keeps messages for so many ms only; absent: as long as the environment. */
  readonly keepMs?: number;
  /** Never decides anything. */
  readonly expiresAt: number;
}

export const OPEN_STATUSES = ['pending', 'retrying'] as const;
export const FINAL_STATUSES = ['delivered', 'dead', 'aborted', 'expired', 'dropped', 'canceled'] as const;
type OpenStatus = (typeof OPEN_STATUSES)[number];
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** Where a success was sent, and both sides' headers, as far as they fit. */
export interface Exchange {
  readonly url: string;
  /** Values of the customer's own headers are masked. */
  readonly sent: Readonly<Record<string, string>>;
  readonly answered: Readonly<Record<string, readonly string[]>>;
}
/** What an attempt left in the record. */
export interface LastAttempt {
  readonly at: EpochMs;
  readonly ms: number;
  readonly code?: number;
  readonly class: AnswerClass;
  readonly kid?: string;
  readonly bytes?: number;
}
/** The truth about one delivery: message × endpoint. */
export interface RecordItem extends Listed {
  readonly gen: number;
  readonly status: OpenStatus | FinalStatus;
  /** Charged failures of this generation; missing: none. Never trial requests, throttles, holds or our own faults. */
  readonly attempts?: number;
  /** While retrying: not before. */
  readonly nextAt?: EpochMs;
  readonly type?: string;
  readonly app: AppId;
  readonly last?: LastAttempt;
  /** The start of the last answer, at most 256 bytes of text. */
  readonly snippet?: string;
  /** Of the last success: `Exchange` as JSON, deflated. */
  readonly exchange?: Uint8Array;
  readonly firstAt?: EpochMs;
  /** Failures in a row that were not charged, each followed by a wait of its own. */
  readonly waits?: number;
  /** Since when its stored body could not be read. */
  readonly unreadableAt?: EpochMs;
  /** `oks` of the endpoint when this delivery began to fail. */
  readonly oksBefore?: number;
  /** Head of an ordered endpoint: how long it has been answered and refused, and since when that was last counted. */
  readonly headMs?: number;
  readonly headAt?: EpochMs;
  readonly endedAt?: EpochMs;
  /** Who asked for this generation, and why. */
  readonly replayId?: string;
  readonly replayedAt?: EpochMs;
  readonly replayedBy?: string;
  readonly why?: string;
  readonly expiresAt: number;
}

/** Beside a message: a copy that was made of it, so that whoever takes its body away finds the copies. */
export interface CopyNameItem {
  readonly copy: MessageId;
  /** Epoch SECONDS: the copy's own. */
  readonly expiresAt: number;
}

/** A replay request that was carried out: asked again, it is known by this, whatever came after it. */
export interface ReplayNoteItem {
  /** The generation that it made. */
  readonly gen: number;
  readonly at: EpochMs;
  /** Later than the message's: until then the request may come again. */
  readonly expiresAt: number;
}

/** One attempt in full; failures only, unless all are asked for. */
export interface AttemptItem {
  readonly kind: 'delivery' | 'trial' | 'throttled' | 'test';
  readonly at: EpochMs;
  readonly gen: number;
  readonly n: number;
  readonly class: AnswerClass;
  /** Absent on what was kept before it was known. */
  readonly fault?: Fault;
  /** Not charged, because most likely our own way out failed. */
  readonly spared?: 'egress';
  /** How many others the endpoint had answered 2xx since this delivery began to fail. */
  readonly othersOk?: number;
  /** Of the first throttled one in a row: how many were throttled after it, whatever message they carried. */
  readonly further?: number;
  readonly code?: number;
  readonly detail?: string;
  readonly timings: Timings;
  readonly url: string;
  /** Values of the customer's own headers are masked. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** At most 2 KB. */
  readonly answerHeaders?: Readonly<Record<string, readonly string[]>>;
  /** At most 10 KB, deflated. */
  readonly answerBody?: Uint8Array;
  readonly truncated?: boolean;
  readonly expiresAt: number;
}

/** One delivery of a batch, and where its row was when the batch was fixed. */
export interface BatchMember {
  readonly msg: MessageId;
  readonly createdAt: EpochMs;
  readonly gen: number;
  readonly row: string;
  readonly keepMs?: number;
}
/** What one request of a batched endpoint carries, from before its first sending until it is over or split. */
export interface BatchItem {
  readonly members: readonly BatchMember[];
  /** Epoch SECONDS. */
  readonly expiresAt: number;
}

/** A test: nothing else keeps what it sent. */
export interface TestItem extends AttemptItem {
  readonly id: string;
  readonly type: string;
  readonly by: string;
  /** Deflated; absent where it is longer than 10 KB. */
  readonly body?: Uint8Array;
}

/** A replay of many deliveries, run page by page. */
export interface ReplayJobItem extends Listed {
  readonly id: JobId;
  readonly app: AppId;
  readonly endpoint?: EndpointId;
  readonly message?: MessageId;
  readonly status: FinalStatus | OpenStatus;
  readonly types?: readonly string[];
  readonly since?: EpochMs;
  readonly until?: EpochMs;
  readonly dryRun: boolean;
  readonly ratePerSecond: number;
  readonly why?: string;
  readonly by: string;
  /** What was replayed since then, by anybody, is left alone. */
  readonly asOf: EpochMs;
  readonly state: 'running' | 'paused' | 'canceled' | 'done';
  /** Where the next page begins: an endpoint of the application and a place among its deliveries. */
  readonly cursor?: string;
  readonly counts: { readonly seen: number; readonly replayed: number; readonly skipped: number };
  /** When its next replay may begin: each takes its place in the rate. */
  readonly nextDueAt?: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly version: number;
  readonly expiresAt: number;
}

/** tend's lease, the egress guard, positions of audit and reconcile: `value` is JSON. */
export interface ControlItem extends Listed {
  readonly value: string;
  readonly version: number;
  /** Epoch SECONDS; of a counter. */
  readonly expiresAt?: number;
  readonly until?: EpochMs;
  /** Of a lease. */
  readonly owner?: string;
}
