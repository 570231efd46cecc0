import { DependencyError } from '#core/errors.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { BlobStore, Clock } from '#core/ports.ts';

/** `BlobStore` in memory: the bucket's lifecycle deletes an object some days after it was last put. */
export class MemoryBlobs implements BlobStore {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #objects = new Map<string, { bytes: Uint8Array; putAt: EpochMs }>();

  /** `lifetimeDays`: the bucket's lifecycle rule. Default: never. */
  constructor(clock: Clock, lifetimeDays = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeDays * 86_400_000;
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
}

/** More `..` than names before them: S3 refuses such a key. */
function leavesTheBucket(key: string): boolean {
  let depth = 0;
  return key.split('/').some(part => {
    depth += part === '..' ? -1 : 1;
    return depth < 0;
  });
}
