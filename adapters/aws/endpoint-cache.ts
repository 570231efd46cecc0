/**
 * Bundled into the functions in place of the whole package `@aws-sdk/endpoint-cache` (docs/decisions/the-aws-sdk-is-the-one-client.md), which keeps
 * discovered endpoints in a cache of a package of its own, 7.7 KB of a start. No client of ours discovers endpoints; one that a
 * handler of yours makes may, and finds the same here.
 */
import { MINUTE_MS } from '#core/time.ts';

interface Endpoint {
  readonly Address: string;
  readonly CachePeriodInMinutes: number;
}
interface Kept {
  readonly Address: string;
  /** Epoch milliseconds. */
  readonly Expires: number;
}

export class EndpointCache {
  readonly #kept = new Map<string, readonly Kept[]>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** One of those that are known, at random. */
  getEndpoint(key: string): string | undefined {
    const known = this.get(key);
    return known?.[Math.floor(Math.random() * known.length)]?.Address;
  }

  get(key: string): readonly Kept[] | undefined {
    const fresh = (this.#kept.get(key) ?? []).filter(({ Expires }) => Date.now() < Expires);
    if (fresh.length > 0) return fresh;
    this.delete(key);
    return undefined;
  }

  set(key: string, endpoints: readonly Endpoint[]): void {
    const now = Date.now();
    this.delete(key);
    const expiring = endpoints.map(it => ({ Address: it.Address, Expires: now + it.CachePeriodInMinutes * MINUTE_MS }));
    this.#kept.set(key, expiring);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#capacity && oldest !== undefined) this.delete(oldest);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  has(key: string): boolean {
    return (this.#kept.get(key)?.length ?? 0) > 0;
  }

  clear(): void {
    this.#kept.clear();
  }
}
