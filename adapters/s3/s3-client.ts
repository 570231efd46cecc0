/** Loaded on first use only (see s3-blobs.ts): the S3 client is as large as all the others together. */
import { GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { given } from '#core/given.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';

export interface S3Calls {
  put(bucket: string, key: string, bytes: Uint8Array): Promise<void>;
  get(bucket: string, key: string): Promise<Uint8Array | undefined>;
  /** Objects that are not empty. */
  list(bucket: string, prefix: string, cursor: string | undefined): Promise<{ keys: string[]; cursor?: string }>;
}

/** The MD5 of no bytes, as S3 answers it. */
const ETAG_OF_NOTHING = '"d41d8cd98f00b204e9800998ecf8427e"';

/**
 * The calls the blob store makes. A body of some MB takes longer than an item, hence the longer timeouts. `end`: the caller's, as
 * this file is built apart, and a copy of it would not know when the work is over.
 */
export function createS3Calls(end: typeof endCalls, env?: Environment): S3Calls {
  const settings = clientSettings('S3', env);
  const s3 = new S3Client({
    ...settings,
    requestHandler: { ...settings.requestHandler, requestTimeout: 1_500, socketTimeout: 1_500 },
    // A local AWS has no DNS name per bucket.
    forcePathStyle: settings.endpoint !== undefined,
    // Our bodies carry their own SHA-256; a second checksum would only cost time.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return s3Calls(end(s3));
}

/** The same by any client. */
export function s3Calls(client: Pick<S3Client, 'send'>): S3Calls {
  return {
    async put(bucket, key, bytes) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, ContentLength: bytes.length }));
    },
    async get(bucket, key) {
      try {
        const { Body, ContentLength, ETag } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        // An empty answer is one only where S3 says that the object is: else what came is no answer at all.
        const cut = bytes.length === 0 && ETag !== ETAG_OF_NOTHING;
        if (cut || (ContentLength !== undefined && ContentLength !== bytes.length))
          throw new Error(`${bytes.length} bytes of an object of ${ContentLength ?? 'unknown length'}`);
        return bytes;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async list(bucket, prefix, cursor) {
      const from = cursor === undefined ? {} : { ContinuationToken: cursor };
      const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...from }));
      const keys = (page.Contents ?? []).flatMap(({ Key, Size }) => (Key === undefined || Size === 0 ? [] : [Key]));
      return { keys, ...given({ cursor: page.NextContinuationToken }) };
    },
  };
}
