import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { BlobList, BlobStore, Clock } from '#core/ports.ts';
import { DAY_MS } from '#core/time.ts';

const LIST_PAGE = 10;

/** `BlobStore` in memory: the bucket's lifecycle deletes an object some days after it was last put. */
export class MemoryBlobs implements BlobStore, BlobList {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #objects = new Map<string, { bytes: Uint8Array; putAt: EpochMs }>();

  /** `lifetimeDays`: the bucket's lifecycle rule. Default: never. */
  constructor(clock: Clock, lifetimeDays = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeDays * DAY_MS;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (leavesTheBucket(key)) throw new DependencyError('s3', `400 for the key ${key}`, { outcome: 'not_applied' });
    this.#objects.set(key, { bytes: Uint8Array.from(bytes), putAt: this.#clock.now() });
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const object = this.#objects.get(key);
    if (object === undefined || this.#clock.now() - object.putAt > this.#lifetimeMs) return undefined;
    return Uint8Array.from(object.bytes);
  }

  /** Pages are short, so that whoever reads only the first one is found out. */
  async list(prefix: string, cursor = ''): Promise<{ keys: readonly string[]; cursor?: string }> {
    const all = [...this.#objects.keys()].filter(key => key.startsWith(prefix) && key > cursor).toSorted();
    const page = all.slice(0, LIST_PAGE);
    const last = all.length > page.length ? page.at(-1) : undefined;
    const isFull = (key: string): boolean => (this.#objects.get(key)?.bytes.length ?? 0) > 0;
    return { keys: page.filter(isFull), ...given({ cursor: last }) };
  }
}

/** More `..` than names before them: S3 refuses such a key. */
function leavesTheBucket(key: string): boolean {
  let depth = 0;
  return key.split('/').some(part => {
    depth += part === '..' ? -1 : 1;
    return depth < 0;
  });
}
