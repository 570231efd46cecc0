/**
 * What user code sees: one event, its attempt, and the outcomes that a handler may return. Every handler returns an
 * outcome. Throwing means "try again", except for a PermanentError.
 */

import { exactness, matches } from '#core/event-type.ts';
import type { EpochMs, EventId, SourceId } from '#core/glossary.ts';
import type { EffectWrite, ItemData, ItemKey } from '#core/ports.ts';

/** A verified event as a handler gets it. Its attributes are those of CloudEvents: id, source, type, time, subject, data. */
export interface WebhookEvent {
  readonly id: EventId;
  readonly source: SourceId;
  /** Provider spec id, e.g. `stripe`. */
  readonly provider: string;
  readonly type: string;
  /** When the provider says it happened, else when it was received; epoch milliseconds. */
  readonly time: EpochMs;
  /** True if the provider gave no time. `time` is then when the event arrived, which does not tell old from new. */
  readonly timeIsArrival?: true;
  readonly receivedAt: EpochMs;
  /** The id of what it is about (an invoice, a repository), if the provider's spec says where that is. */
  readonly subject?: string;
  /** The exact bytes that the provider sent. */
  readonly bytes: Uint8Array;
  /**
   * The body: JSON parsed, a form as an object of texts, anything else undefined. It is a fresh copy: change it freely.
   * No digit is lost: an integer beyond 2^53 - 1 is a `bigint` (up to 1,000 digits), all others are numbers. DynamoDB takes
   * both; `JSON.stringify` takes no bigint. For a fraction with more digits than a number holds use `exactNumber()`.
   */
  readonly payload: unknown;
  /** The request headers that the gateway keeps, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Number of this attempt, from 1 within a generation. */
  readonly attempt: number;
  /** 1 for the first run, one more for each replay. */
  readonly generation: number;
  /** The same for every attempt of one run: send it with outside calls, so that a retry has no second effect. */
  readonly idempotencyKey: string;
}

/** What an attempt may use: time, log, reads, writes that are committed with the event, steps that are not repeated. */
export interface HandlerContext extends Pick<WebhookEvent, 'attempt' | 'generation' | 'idempotencyKey'> {
  /** Aborts when the attempt's time is over. Pass it to `fetch` and to calls of an SDK. */
  readonly signal: AbortSignal;
  /** Milliseconds this attempt may take. */
  readonly timeLimitMs: number;
  /** When this attempt began, by the gateway's clock, in epoch milliseconds. Count the time of `defer()` from here. */
  readonly startedAt: EpochMs;
  /** When this event was first deferred, in epoch milliseconds; undefined if it never was. */
  readonly deferredSince?: EpochMs;
  /**
   * W3C `traceparent` values, where the sender brought one or the environment records spans (docs/operate/traces.md).
   * `attempt`: send it with outside calls. `event`: the same in every attempt. `forward()` and routes send them already.
   */
  readonly trace?: { readonly event: string; readonly attempt: string };
  readonly log: HandlerLog;
  /**
   * Adds DynamoDB writes, up to 99 in all. They are committed in one transaction with the event's completion: exactly
   * once, or not at all. `onRefused` is the outcome if one of their own conditions does not hold (default: a permanent
   * error).
   */
  transact(writes: readonly EffectWrite[], options?: { onRefused?: Outcome }): void;
  /** Reads an item of your table (physical name), strongly consistent. The process function needs dynamodb:GetItem on it. */
  read(table: string, key: ItemKey): Promise<ItemData | undefined>;
  /** Limits a part of the attempt to `ms` milliseconds. Its signal also aborts with the attempt's. */
  limit<T>(
    ms: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ kind: 'finished'; value: T } | { kind: 'timed_out' }>;
  /**
   * Runs a part of the work and stores its result (JSON, up to 32 KB). A later attempt of this run does not repeat it: it
   * gets the stored result. Give each step its own name; an attempt may have 50. A crash after `work` and before its
   * result is stored repeats it, so send `idempotencyKey` with outside calls all the same.
   */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

interface HandlerLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a handler returns. Make it with `done`, `reject`, `stale`, `defer`, `retryAfter` or `busy`. */
export type Outcome =
  | { readonly kind: 'done'; readonly actionTaken?: string; readonly data?: unknown }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'stale'; readonly reason: string }
  | { readonly kind: 'deferred'; readonly untilMs: EpochMs; readonly reason: string }
  /** `hint`: a service asked for the wait; where the schedule's own is longer, that one holds. */
  | { readonly kind: 'retry'; readonly afterSeconds: number; readonly reason: string; readonly hint?: true };

/**
 * The event is finished. The status API shows `actionTaken` and `data` (JSON, up to 32 KB).
 * @example
 * return done({ actionTaken: 'recorded', data: { paymentId: 'pi_1' } });
 */
export function done(result: { actionTaken?: string; data?: unknown } = {}): Outcome {
  return { kind: 'done', ...result };
}
/**
 * The handler refuses the event for a business reason. This is final; it is counted and pages nobody.
 * @example
 * if (event.payload === undefined) return reject('a signup without a body');
 */
export function reject(reason: string): Outcome {
  return { kind: 'rejected', reason };
}
/**
 * The event is older than what was already applied. This is final.
 * @example
 * return stale('version 3 is older than 5');
 */
export function stale(reason: string): Outcome {
  return { kind: 'stale', reason };
}
/**
 * Wait for another event, until `untilMs` (epoch milliseconds). It uses up no attempt. An event may wait 7 days in all.
 * @example
 * return defer(context.startedAt + 30_000, 'the order is not there yet');
 */
export function defer(untilMs: EpochMs, reason: string): Outcome {
  return { kind: 'deferred', untilMs, reason };
}
/**
 * Try again after this number of seconds (0 to 7 days). The source's backoff does not count. It uses up no attempt for as
 * long as the source's schedule would last (9 hours by default, from the first such wait); after that it does.
 * @example
 * return retryAfter(60, 'the warehouse is closed for a minute');
 */
export function retryAfter(seconds: number, reason = 'asked by the handler'): Outcome {
  return { kind: 'retry', afterSeconds: seconds, reason };
}

/**
 * Try again when the called service is ready: after the seconds of its `Retry-After` (at most a day), but never sooner
 * than the source's backoff says. This counts as an attempt.
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
 * Throw it if no retry can help. The event becomes a dead letter at once.
 * @example
 * throw new PermanentError('data.object has no id', { label: 'no_id' });
 */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
  /** The cause of the dead letter, as records and metrics show it. */
  readonly label: string;

  /** `label`: one of a few words of your own, up to 40 lower-case letters and `_`. Anything else counts as `permanent`. */
  constructor(message: string, options: { readonly label?: string; readonly cause?: unknown } = {}) {
    super(message, options);
    this.label = options.label ?? 'permanent';
  }
}

/**
 * Your code for one event. What it returns is final or says when to try again. If it throws, the event is tried again
 * with backoff, except after a PermanentError.
 */
export type Handler = (event: WebhookEvent, context: HandlerContext) => Promise<Outcome>;

/** One line of `defineHandlers`: which events, and what runs for them. */
export interface HandlerRegistration {
  /** Source id, or `*` for every source. */
  readonly source: string;
  /** Event type; a final `*` matches any rest (`invoice.*`, `*`). */
  readonly type: string;
  readonly handle: Handler;
  /** Its name in logs and for the breaker. @default `<source>:<type>` */
  readonly name?: string;
  /** Replaces the source's retry profile. @default the source's */
  readonly retry?: { readonly attempts: number; readonly baseSeconds: number; readonly capSeconds: number };
  /** How long one attempt may take, 1 to 900,000 milliseconds. @default what the function has left */
  readonly timeLimitMs?: number;
  /**
   * True if all its effects are in `transact()`: no outside call, no `step()`, nothing that a second run at the same time
   * would do twice. Its first delivery then runs without a claim, which saves one write for each event
   * (docs/decisions/what-needs-no-claim.md).
   * @default false
   */
  readonly onlyTransacts?: boolean;
  /** True if it has breakers of its own, as a route has for each target. @default false: the gateway has one for it */
  readonly ownBreakers?: boolean;
  /** What a payload must look like, and what happens to one that does not (docs/receive/changed-payloads.md). */
  readonly schema?: PayloadSchema;
}

/** What a payload must look like. `jsonSchema()` makes one; your own needs only `problemsOf`. */
export interface PayloadSchema {
  /**
   * What happens to a payload that breaks it. `notice`: it is counted, logged and handled all the same. `reject`: it is
   * counted, and that is final. `dead_letter`: it waits for a person.
   */
  readonly policy: 'notice' | 'reject' | 'dead_letter';
  /** Where the payload breaks the schema and by which rule, e.g. `/data/object/id type`; empty when it does not. */
  problemsOf(payload: unknown): readonly string[];
}

/** What `defineHandlers` makes. `find` returns the registration for an event, or undefined. */
export interface HandlerRegistry {
  find(source: SourceId, eventType: string): HandlerRegistration | undefined;
  /** The registrations as you wrote them, for the check of the configuration. Absent: only `find` knows them. */
  readonly registrations?: readonly HandlerRegistration[];
}

/**
 * Builds the registry. The most exact registration wins: a source before `*`, then the longest type. Throws if two are
 * for the same source and type, if a type has `*` anywhere but at its end, and if a number is out of its range.
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
