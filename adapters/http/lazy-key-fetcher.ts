/** Loads what fetches keys with the first request that needs one: most sources sign with a secret and never do. */

import type { KeyFetcher } from '#core/ports.ts';
import { once } from '../once.ts';

export function lazyKeyFetcher(make: () => Promise<KeyFetcher>): KeyFetcher {
  const get = once(make);
  return {
    fetchKey: async (...place) => (await get()).fetchKey(...place),
    confirm: async (...place) => (await get()).confirm?.(...place),
  };
}
