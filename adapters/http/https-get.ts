import type { Agent } from 'node:https';
import { DependencyError } from '#core/errors.ts';
import type { Http } from '#core/ports.ts';

export interface HttpsGetOptions {
  /** @default 2000 */
  readonly timeoutMs?: number;
  /** For tests: where host names lead and which authority signs them. @default public addresses only */
  readonly agent?: Agent;
}

/** The answer is only looked at for its status. */
const MAX_BYTES = 64 * 1_024;

/** `Http` over node:https. Throws DependencyError for any other address, on a timeout and when the call fails. */
export class HttpsGet implements Http {
  readonly #timeoutMs: number;
  readonly #agent: Agent | undefined;

  constructor({ timeoutMs = 2_000, agent }: HttpsGetOptions = {}) {
    this.#timeoutMs = timeoutMs;
    this.#agent = agent;
  }

  async get(url: string): Promise<number> {
    try {
      const agent = this.#agent === undefined ? {} : { agent: this.#agent };
      const { fetchGuarded } = await import('./fetch-guarded.ts');
      const { status } = await fetchGuarded({
        method: 'GET',
        url,
        timeoutMs: this.#timeoutMs,
        maxBytes: MAX_BYTES,
        ...agent,
      });
      return status;
    } catch (error) {
      throw new DependencyError('http', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}
