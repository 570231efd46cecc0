/** Loads what fetches keys with the first request that needs one: most sources sign with a secret and never do. */
import type { KeyFetcher } from '#core/ports.ts';

export function lazyKeyFetcher(make: () => Promise<KeyFetcher>): KeyFetcher {
  let made: Promise<KeyFetcher> | undefined;
  const get = (): Promise<KeyFetcher> => {
    made ??= make();
    return made;
  };
  return {
    fetchKey: async (...place) => (await get()).fetchKey(...place),
    confirm: async (...place) => (await get()).confirm?.(...place),
  };
}
