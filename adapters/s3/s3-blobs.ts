import type { BlobList, BlobStore } from '#core/ports.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import type { S3Calls } from './s3-client.ts';

/** `BlobStore` on the bodies bucket. The S3 client is imported with the first large body, so that others never pay for it. */
export class S3Blobs implements BlobStore, BlobList {
  readonly #bucket: string;
  #calls: Promise<S3Calls> | undefined;

  constructor(bucket: string) {
    this.#bucket = bucket;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    try {
      await (await this.#load()).put(this.#bucket, key, bytes);
    } catch (error) {
      throw toDependencyError('s3', 'PutObject', error);
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    try {
      return await (await this.#load()).get(this.#bucket, key);
    } catch (error) {
      throw toDependencyError('s3', 'GetObject', error);
    }
  }

  async list(prefix: string, cursor?: string): Promise<{ keys: readonly string[]; cursor?: string }> {
    try {
      return await (await this.#load()).list(this.#bucket, prefix, cursor);
    } catch (error) {
      throw toDependencyError('s3', 'ListObjectsV2', error);
    }
  }

  #load(): Promise<S3Calls> {
    this.#calls ??= import('./s3-client.ts').then(
      module => module.createS3Calls(),
      error => {
        this.#calls = undefined;
        throw error;
      },
    );
    return this.#calls;
  }
}
