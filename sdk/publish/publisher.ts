/** The client of a producer's backend: publishes to the delivery API (docs/send/publish.md), each message once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsOf } from '#adapters/aws/client-settings.ts';
import { type Credentials, encodeSegment, signForIam } from '#adapters/aws/sign-for-iam.ts';
import { waitMs } from '#core/retry/judge-http-answer.ts';
import { retryAfterMs } from '#core/retry/retry-after.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { bodyOf, type Message } from './message.ts';
import {
  type Problem,
  PublishDeniedError,
  PublishError,
  PublishRefusedError,
  PublishUnansweredError,
} from './publish-error.ts';

const DEADLINE_MS = 30_000;
const ATTEMPT_MS = 10_000;
const CONCURRENCY = 10;
/** The first wait between two attempts, and the longest of our own; half of each is random. */
const BASE_MS = 200;
const CAP_MS = 5_000;

/** Where to publish, as whom, and how long to try. */
export interface PublisherOptions {
  /** The output `DeliveryApiUrl` of the stack `holdfast-<environment>-delivery`. https, or http to this machine. */
  readonly url: string;
  /** The AWS region of the API. @default the region in `url`, else `AWS_REGION` */
  readonly region?: string;
  /**
   * Called before each attempt. `fromNodeProviderChain()` of `@aws-sdk/credential-providers` gives such a function.
   * @default `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` of the environment
   */
  readonly credentials?: () => Promise<Credentials>;
  /** How long one call of `publish()` or `publishAll()` may take, with all attempts, in milliseconds. @default 30,000 */
  readonly deadlineMs?: number;
  /** How long one request may take, in milliseconds. @default 10,000 */
  readonly attemptMs?: number;
}

/** A message that the gateway has stored and will deliver. */
export interface Published {
  /** The id of the message, `msg_…`. Receivers see it as `webhook-id`. */
  readonly id: string;
  /** When it was first published. */
  readonly createdAt: Date;
  /** True if it was published before: by you, or by an earlier attempt of this call whose answer was lost. */
  readonly duplicate: boolean;
  /** How many requests it took. */
  readonly attempts: number;
  /** It was stored, but the catalogue of event types found this wrong (docs/send/event-types.md): log it. */
  readonly reported?: Pick<Problem, 'error' | 'detail'>;
}

/** How one message of `publishAll()` ended. */
export type PublishResult =
  | { readonly ok: true; readonly published: Published }
  | { readonly ok: false; readonly error: Error };

/** A client for one environment. You need not close it. */
export interface Publisher<Events extends object = Record<string, unknown>> {
  /**
   * Publishes one message, and returns when the gateway has stored it. After a lost answer, 429 or 5xx it tries again
   * until the deadline, never before a `Retry-After`. The key makes all attempts one message. Throws
   * PublishRefusedError, PublishDeniedError or PublishUnansweredError; TypeError for a payload that JSON cannot write;
   * RangeError for an application that is neither `app_…` nor `uid:…`; and the signal's reason when it aborts.
   */
  publish(message: Message<Events>, options?: { readonly signal?: AbortSignal }): Promise<Published>;
  /**
   * Publishes several messages within one deadline, at most `concurrency` (default: 10; what is below 1, or no number, counts as 1) at a time. Never throws: it
   * returns one result for each message, in the order given. It does not promise to publish them in that order.
   */
  publishAll(
    messages: readonly Message<Events>[],
    options?: { readonly signal?: AbortSignal; readonly concurrency?: number },
  ): Promise<readonly PublishResult[]>;
}

/**
 * Makes a client that publishes messages to your customers. `Events` names the payload of each event type; the compiler
 * then refuses other types and payloads. Throws RangeError for options that cannot work.
 * @example
 * interface Events {
 *   'invoice.paid': { readonly invoice: string; readonly amount: number };
 * }
 * const publisher = createPublisher<Events>({ url: 'https://abc123.execute-api.eu-central-1.amazonaws.com' });
 * const { id } = await publisher.publish({
 *   application: 'uid:acme',
 *   type: 'invoice.paid',
 *   payload: { invoice: 'in_1042', amount: 1200 },
 *   idempotencyKey: 'in_1042-paid',
 * });
 */
export function createPublisher<Events extends object = Record<string, unknown>>(
  options: PublisherOptions,
): Publisher<Events> {
  const place = placeOf(options);
  const { deadlineMs = DEADLINE_MS } = options;
  const start = (): number => performance.now() + deadlineMs;
  return {
    publish: (message, { signal } = {}) => publishUntil(place, message as Message, start(), signal),
    publishAll: async (messages, { signal, concurrency = CONCURRENCY } = {}) => {
      const endsAt = start();
      const results: PublishResult[] = [];
      const waiting = messages.entries();
      const work = async (): Promise<void> => {
        for (const [n, message] of waiting)
          results[n] = await publishUntil(place, message as Message, endsAt, signal).then(
            published => ({ ok: true, published }),
            (error: Error) => ({ ok: false, error }),
          );
      };
      const atOnce = concurrency >= 1 ? Math.min(concurrency, messages.length) : 1;
      await Promise.all(Array.from({ length: atOnce }, work));
      return results;
    },
  };
}

interface Place {
  readonly base: string;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly attemptMs: number;
}

function placeOf({ url, region, credentials, deadlineMs = 1, attemptMs = ATTEMPT_MS }: PublisherOptions): Place {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isLocal = parsed?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(parsed.hostname);
  if (
    parsed === undefined ||
    (parsed.protocol !== 'https:' && !isLocal) ||
    parsed.search !== '' ||
    parsed.username !== ''
  )
    throw new RangeError(
      `url: given ${JSON.stringify(url)}; allowed: https:// and a host (http:// only to this machine), without a query and a user; fix: give the output DeliveryApiUrl`,
    );
  for (const [name, ms] of Object.entries({ deadlineMs, attemptMs }))
    if (!(ms > 0 && ms < 2 ** 31))
      throw new RangeError(
        `${name}: given ${ms}; allowed: more than 0 and less than 2^31 milliseconds; fix: leave it out, or give e.g. 10000`,
      );
  const inHost = /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com/.exec(parsed.hostname)?.[1];
  const known = region ?? inHost ?? process.env['AWS_REGION'];
  if (!known)
    throw new RangeError('region: given none; allowed: the region of the API; fix: give region, or set AWS_REGION');
  const base = `${parsed.origin}${parsed.pathname.replace(/(?<!\/)\/+$/, '')}`;
  return { base, region: known, credentials: credentials ?? credentialsOf(process.env), attemptMs };
}

async function publishUntil(
  place: Place,
  message: Message,
  endsAt: number,
  signal: AbortSignal | undefined,
): Promise<Published> {
  const { application, type } = message;
  if (!/^(?:app_|uid:)./.test(application))
    throw new RangeError(
      `application: given ${JSON.stringify(application)}; allowed: app_… or uid:…; fix: put uid: before your own name`,
    );
  const body = bodyOf(message);
  const what = `${type} for ${application}`;
  let last: unknown;
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    const left = endsAt - performance.now();
    if (left <= 0) throw unanswered(what, attempts - 1, last);
    let hint: number | undefined;
    try {
      const answer = await post(place, message, body, { attempts, ms: Math.min(left, place.attemptMs), signal });
      const published = readAnswer(answer, what, attempts);
      if (published) return published;
      hint = retryAfterMs(answer.retryAfter, Date.now());
      last = new Error(`answered ${answer.status} ${answer.text.slice(0, 200)}`);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PublishError) throw error;
      last = error;
    }
    const wait = waitMs((0.5 + Math.random() / 2) * Math.min(CAP_MS, BASE_MS * 2 ** (attempts - 1)), hint);
    // Nobody is kept waiting for what cannot come any more.
    if (performance.now() + wait >= endsAt) throw unanswered(what, attempts, last);
    await sleep(wait, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
  }
}

interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}
interface Attempt {
  readonly attempts: number;
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
}

/** Throws PublishDeniedError without credentials, and what `fetch` throws without an answer. */
async function post(place: Place, message: Message, body: string, attempt: Attempt): Promise<HttpAnswer> {
  const { base, region } = place;
  const credentials = await place.credentials().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new PublishDeniedError(`no AWS credentials: ${why}`, attempt.attempts - 1, error);
  });
  const url = new URL(`${base}/v1/apps/${encodeSegment(message.application)}/messages`);
  const headers = { 'content-type': 'application/json' };
  const unsigned = { method: 'POST', url, headers, body };
  const { host: _, ...signed } = await signForIam(unsigned, credentials, { region, now: Date.now() });
  const trace = message.traceparent === undefined ? {} : { traceparent: message.traceparent };
  const timeout = AbortSignal.timeout(Math.ceil(attempt.ms));
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...signed, ...trace, 'user-agent': 'holdfast-publish' },
    body,
    redirect: 'manual',
    signal: attempt.signal ? AbortSignal.any([attempt.signal, timeout]) : timeout,
  });
  const retryAfter = response.headers.get('retry-after') ?? undefined;
  return { status: response.status, retryAfter, text: await response.text() };
}

/** Undefined: another attempt may get another answer. */
function readAnswer({ status, text }: HttpAnswer, what: string, attempts: number): Published | undefined {
  const told = decodeJsonObject(text) ?? {};
  if (status >= 200 && status < 300) {
    const { id, created_at: at, duplicate, reported } = told;
    // A proxy's page says nothing about the message.
    if (typeof id !== 'string' || typeof at !== 'string') return undefined;
    const published = { id, createdAt: new Date(at), duplicate: duplicate === true, attempts };
    if (typeof reported !== 'object' || reported === null) return published;
    const { error, detail } = problemOf(reported as Readonly<Record<string, unknown>>, '');
    return { ...published, reported: { error, detail } };
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) return undefined;
  const problem = problemOf(told, text);
  if (status === 401 || (status === 403 && problem.error === undefined)) {
    const help =
      'check the credentials, the region, the right to execute-api:Invoke on POST /v1/apps/*/messages, and the clock';
    throw new PublishDeniedError(`${what}: AWS answered ${status} ${problem.detail}; ${help}`, attempts);
  }
  const help = problem.error === undefined ? '; is url the output DeliveryApiUrl?' : '';
  const refusal = { status, problem };
  throw new PublishRefusedError(
    `${what}: ${status} ${problem.error ?? ''} ${problem.detail}${help}`,
    attempts,
    refusal,
  );
}

function problemOf(told: Readonly<Record<string, unknown>>, text: string): Problem {
  const { error, detail, message, details } = told;
  return {
    error: typeof error === 'string' ? error : undefined,
    detail: String(detail ?? message ?? text.slice(0, 200)),
    details: Array.isArray(details) ? details : [],
  };
}

function unanswered(what: string, attempts: number, cause: unknown): PublishUnansweredError {
  const why =
    cause instanceof Error ? `${cause.message}${reasonOf(cause)}` : 'the deadline was over before the first attempt';
  return new PublishUnansweredError(
    `${what}: not answered in time after ${attempts} attempts (${why}); publish it again with the same key`,
    attempts,
    cause,
  );
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf({ cause }: Error): string {
  if (!(cause instanceof Error)) return '';
  const { code } = cause as NodeJS.ErrnoException;
  return `: ${code ?? cause.message}`;
}
