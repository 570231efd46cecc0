/**
 * Calls of a provider's API with every limit set: time, size, pace, no redirects, https only. What an answer means is
 * decided here once; no credential and no body ever gets into an error or a log.
 */
import type { Agent } from 'node:https';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import type { ApiAnswer } from '#core/inbound/reconcile/delivery-api.ts';
import { judgeHttpAnswer } from '#core/retry/judge-http-answer.ts';
import { type CappedAnswer, fetchCapped } from '../http/fetch-capped.ts';
import type { Credential } from '../secrets/secret-credential.ts';

/** How to call a provider's API. Times are in milliseconds, sizes in bytes. */
export interface ProviderApiOptions {
  /** The https address of the API without a final slash, e.g. of a sandbox. @default the provider's own */
  readonly baseUrl?: string;
  readonly credential: Credential;
  /** How long one call may take. @default 5000 */
  readonly timeoutMs?: number;
  /** How large one answer may be. @default 1 MiB; 16 MiB for lists */
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

  /** Throws DependencyError when a retry may succeed (see `ApiAnswer`). */
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
        ...given({ body, signal, agent }),
      });
    } catch (error) {
      throw new DependencyError('http', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

function meaningOf(answer: CappedAnswer): ApiAnswer<CappedAnswer> {
  const { status } = answer;
  // A 503 of a provider is a busy one, with a time or without: no attempt is spent on it.
  const limited = status === 503 || (status === 403 && isRateLimited(answer));
  const judged = judgeHttpAnswer(limited ? 429 : status, hintOf(answer), Date.now());
  switch (judged.kind) {
    case 'accepted':
      return { kind: 'answered', value: answer };
    case 'busy':
      return {
        kind: 'busy',
        ...(judged.hintMs === undefined ? {} : { retryAfterSeconds: Math.ceil(judged.hintMs / 1_000) }),
      };
    case 'failed':
      throw new DependencyError('http', `the provider's API answered ${status}`);
    case 'refused':
      return judged.cause === 'not_found'
        ? { kind: 'gone' }
        : { kind: 'refused', reason: `the provider's API answered ${status}` };
  }
}

/** GitHub's limits are a 403 as well: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function isRateLimited(answer: CappedAnswer): boolean {
  return header(answer, 'retry-after') !== undefined || header(answer, 'x-ratelimit-remaining') === '0';
}

/** `Retry-After`, else GitHub's time of reset as the date it is. */
function hintOf(answer: CappedAnswer): string | undefined {
  const reset = header(answer, 'x-ratelimit-reset') ?? '';
  const date = /^\d{1,12}$/.test(reset) ? new Date(Number(reset) * 1_000).toUTCString() : undefined;
  return header(answer, 'retry-after') || date;
}

export function header({ headers }: CappedAnswer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** An answer that is not what the provider's documentation promises: worth another try, never worth a guess. */
export function garbage(what: string): DependencyError {
  return new DependencyError('http', `the provider's API answered something that is not ${what}`);
}
