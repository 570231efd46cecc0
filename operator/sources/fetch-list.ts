import type { Agent } from 'node:https';
import { fetchCapped } from '#adapters/http/fetch-capped.ts';
import { given } from '#core/given.ts';
import { VERSION } from '#core/version.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 4 * 1_048_576;

/** Fetches published lists; no redirect is followed. `agent`: for tests, where host names lead. */
export function fetchList(agent?: Agent): (url: string) => Promise<string> {
  return async url => {
    const { status, text } = await fetchCapped({
      method: 'GET',
      url,
      // GitHub refuses callers without a name.
      headers: { 'user-agent': `holdfast/${VERSION}`, accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...given({ agent }),
    });
    if (status !== 200)
      throw new Error(`${url} answered ${status}: try again later, or correct the address in the provider's file`);
    return text;
  };
}
