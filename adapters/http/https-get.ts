import type { Agent } from 'node:https';
import { DependencyError } from '#core/errors.ts';
import type { Http } from '#core/ports.ts';
import { fetchCapped } from './fetch-capped.ts';

export interface HttpsGetOptions {
  /** @default 2000 */
  readonly timeoutMs?: number;
  /** For tests: where host names lead and which authority signs them. */
  readonly agent?: Agent;
}

/** The answer is only looked at for its status. */
const MAX_BYTES = 64 * 1_024;

/** `Http` over node:https. Throws DependencyError for any other address, on a timeout and when the call fails. */
export class HttpsGet implements Http {
  readonly #options: HttpsGetOptions;

  constructor(options: HttpsGetOptions = {}) {
    this.#options = options;
  }

  async get(url: string): Promise<number> {
    const { timeoutMs = 2_000, agent } = this.#options;
    try {
      const limits = { timeoutMs, maxBytes: MAX_BYTES, ...(agent === undefined ? {} : { agent }) };
      const { status } = await fetchCapped({ method: 'GET', url, ...limits });
      return status;
    } catch (error) {
      throw new DependencyError('http', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}
