/**
 * Calls of a provider's API with every limit set: time, size, pace, no redirects, https only. What an answer means is
 * decided here once; no credential and no body ever gets into an error or a log.
 */
import type { Agent } from 'node:https';
import { DependencyError } from '#core/errors.ts';
import type { ApiAnswer } from '#core/inbound/reconcile/delivery-api.ts';
import { parseHttpDate } from '#core/time.ts';
import { type CappedAnswer, fetchCapped } from '../http/fetch-capped.ts';
import type { Credential } from '../secrets/secret-credential.ts';

/** How a provider's API is called. Times in milliseconds, sizes in bytes. */
export interface ProviderApiOptions {
  /** Where the API is, e.g. for a sandbox or an own installation: plain https, no final slash. @default the provider's own */
  readonly baseUrl?: string;
  readonly credential: Credential;
  /** For one call. @default 5000 */
  readonly timeoutMs?: number;
  /** Of one answer. @default 1 MiB; 16 MiB for lists */
  readonly maxBytes?: number;
  /** A call that would have to wait longer than its timeout for its turn is `busy`. @default 20 */
  readonly callsPerSecond?: number;
  /** For tests: where host names lead and which authority signs them. */
  readonly agent?: Agent;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** From the base URL on, with its query. */
  readonly path: string;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Headers that carry the credential, and what else the provider wants in every call. */
export type Authorize = (credential: string) => Readonly<Record<string, string>>;

const MAX_RETRY_AFTER_SECONDS = 86_400;

export class ProviderApi {
  readonly #options: ProviderApiOptions;
  readonly #baseUrl: string;
  readonly #authorize: Authorize;
  readonly #intervalMs: number;
  #nextTurn = 0;

  constructor(defaultUrl: string, options: ProviderApiOptions, authorize: Authorize) {
    this.#options = options;
    this.#baseUrl = options.baseUrl ?? defaultUrl;
    this.#authorize = authorize;
    this.#intervalMs = 1_000 / (options.callsPerSecond ?? 20);
  }

  /** Throws DependencyError for what a retry may mend (see `ApiAnswer`). */
  async call(call: ApiCall): Promise<ApiAnswer<CappedAnswer>> {
    const waitMs = this.#takeTurn();
    if (waitMs > (this.#options.timeoutMs ?? 5_000))
      return { kind: 'busy', retryAfterSeconds: Math.ceil(waitMs / 1_000) };
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs));
    const used = await this.#options.credential.get();
    const answer = await this.#send(call, used);
    if (answer.status !== 401) return meaningOf(answer);
    // It may have been rotated since it was read.
    this.#options.credential.forget();
    const fresh = await this.#options.credential.get();
    return meaningOf(fresh === used ? answer : await this.#send(call, fresh));
  }

  /** Milliseconds until this call may be made; a turn that is refused is given back. */
  #takeTurn(): number {
    const now = performance.now();
    const turn = Math.max(now, this.#nextTurn);
    const waitMs = turn - now;
    if (waitMs <= (this.#options.timeoutMs ?? 5_000)) this.#nextTurn = turn + this.#intervalMs;
    return waitMs;
  }

  async #send({ method, path, body, signal }: ApiCall, credential: string): Promise<CappedAnswer> {
    const { timeoutMs = 5_000, maxBytes = 1_048_576, agent } = this.#options;
    try {
      return await fetchCapped({
        method,
        url: `${this.#baseUrl}${path}`,
        headers: { 'user-agent': 'holdfast', accept: 'application/json', ...this.#authorize(credential) },
        timeoutMs,
        maxBytes,
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
        ...(agent === undefined ? {} : { agent }),
      });
    } catch (error) {
      throw new DependencyError('http', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

function meaningOf(answer: CappedAnswer): ApiAnswer<CappedAnswer> {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'answered', value: answer };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status === 429 || status === 503 || (status === 403 && isRateLimited(answer)))
    return { kind: 'busy', ...retryAfterOf(answer) };
  if (status >= 500 || status === 408) throw new DependencyError('http', `the provider's API answered ${status}`);
  return { kind: 'refused', reason: `the provider's API answered ${status}` };
}

/** GitHub's limits are a 403 as well: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function isRateLimited(answer: CappedAnswer): boolean {
  return header(answer, 'retry-after') !== undefined || header(answer, 'x-ratelimit-remaining') === '0';
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), else GitHub's time of reset; at most a day. */
function retryAfterOf(answer: CappedAnswer): { retryAfterSeconds?: number } {
  const after = header(answer, 'retry-after') ?? '';
  const reset = header(answer, 'x-ratelimit-reset') ?? '';
  const untilMs = parseHttpDate(after) ?? (/^\d{1,12}$/.test(reset) ? Number(reset) * 1_000 : undefined);
  const seconds = /^\d{1,7}$/.test(after)
    ? Number(after)
    : untilMs === undefined
      ? undefined
      : (untilMs - Date.now()) / 1_000;
  if (seconds === undefined) return {};
  return { retryAfterSeconds: Math.min(Math.max(1, Math.ceil(seconds)), MAX_RETRY_AFTER_SECONDS) };
}

export function header({ headers }: CappedAnswer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** An answer that is not what the provider's documentation promises: worth another try, never worth a guess. */
export function garbage(what: string): DependencyError {
  return new DependencyError('http', `the provider's API answered something that is not ${what}`);
}
