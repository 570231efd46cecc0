import type { BlobList, BlobStore } from '#core/ports.ts';
import { endCalls } from '../aws/end-calls.ts';
import { sent } from '../aws/to-dependency-error.ts';
import { once } from '../once.ts';

/** `BlobStore` on the bodies bucket. The S3 client is imported with the first large body, so that others never pay for it. */
export class S3Blobs implements BlobStore, BlobList {
  readonly #bucket: string;
  readonly #load = once(async () => (await import('./s3-client.ts')).createS3Calls(endCalls));

  constructor(bucket: string) {
    this.#bucket = bucket;
  }

  put(key: string, bytes: Uint8Array): Promise<void> {
    return sent('s3', 'PutObject', async () => (await this.#load()).put(this.#bucket, key, bytes));
  }

  get(key: string): Promise<Uint8Array | undefined> {
    return sent('s3', 'GetObject', async () => (await this.#load()).get(this.#bucket, key));
  }

  list(prefix: string, cursor?: string): Promise<{ keys: readonly string[]; cursor?: string }> {
    return sent('s3', 'ListObjectsV2', async () => (await this.#load()).list(this.#bucket, prefix, cursor));
  }
}
