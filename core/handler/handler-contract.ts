/**
 * What user code sees: one event, its attempt, and the outcomes it may answer. Every handler answers an outcome;
 * throwing means "try again", except a PermanentError.
 */

import { exactness, matches } from '#core/event-type.ts';
import type { EpochMs, EventId, SourceId } from '#core/glossary.ts';
import type { EffectWrite, ItemData, ItemKey } from '#core/ports.ts';

/** A verified event as a handler gets it, with the attributes of CloudEvents: id, source, type, time, subject, data. */
export interface WebhookEvent {
  readonly id: EventId;
  readonly source: SourceId;
  /** Provider spec id, e.g. `stripe`. */
  readonly provider: string;
  readonly type: string;
  /** When it happened by the provider's account, else when it was received. */
  readonly time: EpochMs;
  /** The provider gave no time: `time` says when it arrived, which is no order. */
  readonly timeIsArrival?: true;
  readonly receivedAt: EpochMs;
  /** What it is about (an invoice, a repository), where the provider's spec names the place of its id. */
  readonly subject?: string;
  /** The exact bytes of the wire. */
  readonly bytes: Uint8Array;
  /**
   * JSON bodies parsed, form bodies as an object of texts, anything else undefined. A fresh copy: change it freely.
   * Nothing is lost: an integer beyond 2^53 - 1 is a `bigint` (up to 1,000 digits), all others are numbers. DynamoDB takes
   * both; `JSON.stringify` takes no bigint. A fraction with more digits than a number holds is in `exactNumber()`.
   */
  readonly payload: unknown;
  /** Allow-listed request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attempt number, from 1 within a generation. */
  readonly attempt: number;
  /** 1 for the first run, one more for each replay. */
  readonly generation: number;
  /** The same for every attempt of one run: send it with outside calls, so that a retry has no second effect. */
  readonly idempotencyKey: string;
}

/** What an attempt may use: time, log, reads, writes that are committed with the event, steps that are not repeated. */
export interface HandlerContext extends Pick<WebhookEvent, 'attempt' | 'generation' | 'idempotencyKey'> {
  /** Aborts when the attempt's time is over. Pass it to fetch and SDK calls. */
  readonly signal: AbortSignal;
  /** Milliseconds this attempt may take. */
  readonly timeLimitMs: number;
  /** When this attempt began, by the gateway's clock: what `defer()` should count from. */
  readonly startedAt: EpochMs;
  /** When this event was first deferred. */
  readonly deferredSince?: EpochMs;
  /**
   * W3C `traceparent` values, where the sender brought one or the environment records spans (docs/guides/tracing.md).
   * `attempt`: send it with outside calls. `event`: the same in every attempt. `forward()` and routes send them already.
   */
  readonly trace?: { readonly event: string; readonly attempt: string };
  readonly log: HandlerLog;
  /**
   * DynamoDB writes committed in one transaction with the event's completion: exactly once, or not at all. Up to 99 in
   * all. `onRefused` is the outcome when one of their own conditions does not hold (default: a permanent error).
   */
  transact(writes: readonly EffectWrite[], options?: { onRefused?: Outcome }): void;
  /** An item of your table (physical name), read consistently. The process function needs dynamodb:GetItem on it. */
  read(table: string, key: ItemKey): Promise<ItemData | undefined>;
  /** Limits a part of the attempt to `ms` milliseconds. Its signal also aborts with the attempt's. */
  limit<T>(
    ms: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ kind: 'finished'; value: T } | { kind: 'timed_out' }>;
  /**
   * Runs a part of the work and stores its result (JSON, up to 32 KB), so that no later attempt of this run repeats it:
   * the stored result is answered instead. A name of its own per step; up to 50 in an attempt. A crash between the end
   * of `work` and the storing repeats it: send `idempotencyKey` with outside calls all the same.
   */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

interface HandlerLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a handler answers. Make it with `done`, `reject`, `stale`, `defer` or `retryAfter`. */
export type Outcome =
  | { readonly kind: 'done'; readonly actionTaken?: string; readonly data?: unknown }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'stale'; readonly reason: string }
  | { readonly kind: 'deferred'; readonly untilMs: EpochMs; readonly reason: string }
  /** `hint`: a service asked for the wait; where the schedule's own is longer, that one holds. */
  | { readonly kind: 'retry'; readonly afterSeconds: number; readonly reason: string; readonly hint?: true };

/**
 * Finished. `actionTaken` and `data` (JSON, up to 32 KB) can be read back through the status API.
 * @example
 * return done({ actionTaken: 'recorded', data: { paymentId: 'pi_1' } });
 */
export function done(result: { actionTaken?: string; data?: unknown } = {}): Outcome {
  return { kind: 'done', ...result };
}
/**
 * Refused for a business reason: final, counted, nobody is paged.
 * @example
 * if (event.payload === undefined) return reject('a signup without a body');
 */
export function reject(reason: string): Outcome {
  return { kind: 'rejected', reason };
}
/**
 * Older than what was already applied: final.
 * @example
 * return stale('version 3 is older than 5');
 */
export function stale(reason: string): Outcome {
  return { kind: 'stale', reason };
}
/**
 * Wait for another event. The attempt is given back; at most 7 days in all. `untilMs`: epoch milliseconds.
 * @example
 * return defer(context.startedAt + 30_000, 'the order is not there yet');
 */
export function defer(untilMs: EpochMs, reason: string): Outcome {
  return { kind: 'deferred', untilMs, reason };
}
/**
 * Try again after this number of seconds (0 to 7 days) instead of the source's backoff. Free for as long as
 * the source's schedule would last (9 hours by default, from the first such wait); after that each counts as an attempt.
 * @example
 * return retryAfter(60, 'the warehouse is closed for a minute');
 */
export function retryAfter(seconds: number, reason = 'asked by the handler'): Outcome {
  return { kind: 'retry', afterSeconds: seconds, reason };
}

/**
 * Try again when the service that was asked is ready: after the seconds of its `Retry-After` (at most a day), but never
 * sooner than by the source's backoff. Counts as an attempt.
 * @example
 * const response = await fetch('https://shop.example.com/orders', { redirect: 'manual' });
 * const judged = judgeAnswer(response);
 * if (judged.kind === 'busy') return busy(judged.afterSeconds, 'the shop asks for patience');
 */
export function busy(afterSeconds: number | undefined, reason: string): Outcome {
  const asked = afterSeconds === undefined || !(afterSeconds > 0) ? 0 : afterSeconds;
  return { kind: 'retry', afterSeconds: asked, reason, hint: true };
}

/**
 * Throw it when no retry can help: the event goes to the DLQ at once.
 * @example
 * throw new PermanentError('data.object has no id', { label: 'no_id' });
 */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
  /** The cause of the dead letter, in records and metrics. */
  readonly label: string;

  /** `label`: one of a few words of your own; lower-case letters and `_`, at most 40. Anything else counts as `permanent`. */
  constructor(message: string, options: { readonly label?: string; readonly cause?: unknown } = {}) {
    super(message, options);
    this.label = options.label ?? 'permanent';
  }
}

/**
 * Your code for one event. A return is final or says when to come back; a throw is tried again with backoff, except a
 * PermanentError.
 */
export type Handler = (event: WebhookEvent, context: HandlerContext) => Promise<Outcome>;

/** One line of `defineHandlers`: which events, and what runs for them. */
export interface HandlerRegistration {
  /** Source id, or `*` for every source. */
  readonly source: string;
  /** Event type; a final `*` matches any rest (`invoice.*`, `*`). */
  readonly type: string;
  readonly handle: Handler;
  /** Named in logs and by the breaker; default `<source>:<type>`. */
  readonly name?: string;
  /** Overrides the source's retry profile. */
  readonly retry?: { readonly attempts: number; readonly baseSeconds: number; readonly capSeconds: number };
  /** Overrides how long one attempt may take. */
  readonly timeLimitMs?: number;
  /**
   * All its effects are in `transact()`: no outside call, no `step()`, nothing that a second run at the same time would do
   * twice. Its first delivery then runs without a claim, which saves a write of each event (docs/decisions/0029).
   * @default false
   */
  readonly onlyTransacts?: boolean;
  /** It minds its own breakers (a route: one per target). @default false: the gateway's, one per registration */
  readonly ownBreakers?: boolean;
  /** What a payload must look like, and what becomes of one that does not. See docs/guides/schema-drift.md. */
  readonly schema?: PayloadSchema;
}

/** What a payload must look like. `jsonSchema()` makes one; your own needs only `problemsOf`. */
export interface PayloadSchema {
  /** `notice`: counted, logged and handled all the same. `reject`: final, counted. `dead_letter`: waits for a person. */
  readonly policy: 'notice' | 'reject' | 'dead_letter';
  /** Where the payload breaks the schema and by which rule, e.g. `/data/object/id type`; empty when it does not. */
  problemsOf(payload: unknown): readonly string[];
}

/** What `defineHandlers` makes. `find` answers with the registration for an event, or undefined. */
export interface HandlerRegistry {
  find(source: SourceId, eventType: string): HandlerRegistration | undefined;
  /** As they were written, for the check of the configuration. Absent: `find` knows them, nobody else. */
  readonly registrations?: readonly HandlerRegistration[];
}

/**
 * Builds the registry. The most exact registration wins: source before `*`, then the longest type. Throws on
 * duplicates,
 * and on numbers that no attempt can go by.
 * @example
 * export const handlers = defineHandlers([
 *   { source: 'stripe', type: 'invoice.*', handle: async () => done() },
 *   { source: '*', type: '*', handle: async event => reject(`no use for ${event.type}`) },
 * ]);
 */
export function defineHandlers(registrations: readonly HandlerRegistration[]): HandlerRegistry {
  const seen = new Set<string>();
  for (const registration of registrations) {
    const { source, type } = registration;
    const name = `${source}:${type}`;
    if (seen.has(name))
      throw new Error(`Two handlers are registered for ${name}; keep one, or give them different types.`);
    if (type.slice(0, -1).includes('*'))
      throw new Error(`Handler type "${type}": "*" may only be at the end, e.g. "invoice.*".`);
    checkNumbers(name, registration);
    seen.add(name);
  }
  const ordered = [...registrations].sort(
    (a, b) => Number(a.source === '*') - Number(b.source === '*') || exactness(b.type) - exactness(a.type),
  );
  return {
    registrations,
    find: (source, eventType) =>
      ordered.find(it => (it.source === '*' || it.source === source) && matches(it.type, eventType)),
  };
}

/** Inclusive, as in the configuration of a source. */
const BOUNDS = { attempts: [1, 100], baseSeconds: [0, 3_600], capSeconds: [1, 604_800] } as const;
const MAX_TIME_LIMIT_MS = 900_000;

function checkNumbers(name: string, { retry, timeLimitMs }: HandlerRegistration): void {
  const check = (field: string, given: unknown, [min, max]: readonly [number, number]): void => {
    if (typeof given === 'number' && given >= min && given <= max) return;
    throw new RangeError(`Handler ${name}: ${field} is ${String(given)}; give a number from ${min} to ${max}.`);
  };
  if (timeLimitMs !== undefined) check('timeLimitMs', timeLimitMs, [1, MAX_TIME_LIMIT_MS]);
  if (retry === undefined) return;
  for (const [field, bounds] of Object.entries(BOUNDS))
    check(`retry.${field}`, retry[field as keyof typeof BOUNDS], bounds);
}
