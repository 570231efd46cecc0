import type { Agent } from 'node:https';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import type { Http } from '#core/ports.ts';

/** The answer is only looked at for its status. */
const MAX_BYTES = 64 * 1_024;

/**
 * `Http` over node:https. Throws DependencyError for any other address, on a timeout and when the call fails. `agent`, for
 * tests: where host names lead and which authority signs them; default public addresses only.
 */
export const httpsGet = ({ timeoutMs = 2_000, agent }: { timeoutMs?: number; agent?: Agent } = {}): Http => ({
  async get(url) {
    try {
      const { fetchGuarded } = await import('./fetch-guarded.ts');
      const { status } = await fetchGuarded({
        method: 'GET',
        url,
        timeoutMs,
        maxBytes: MAX_BYTES,
        ...given({ agent }),
      });
      return status;
    } catch (error) {
      throw new DependencyError('http', error instanceof Error ? error.message : String(error), { cause: error });
    }
  },
});
