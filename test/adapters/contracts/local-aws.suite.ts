import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { beforeAll } from 'vitest';
import { clientSettings } from '#adapters/aws/client-settings.ts';
import { endCalls } from '#adapters/aws/end-calls.ts';
import { createS3Calls } from '#adapters/s3/s3-client.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { secretName } from '#core/names.ts';
import { blobStoreContract } from './blob-store.contract.ts';
import { environmentFor } from './dynamodb-tables.ts';
import { secretValuesContract } from './secret-values.contract.ts';

/** The contracts of S3 and Secrets Manager, which only the local AWS can be asked here. */
export function localAwsContracts(endpointOf: () => string): void {
  beforeAll(async () => {
    const s3 = new S3Client({ ...clientSettings('S3', environmentFor(endpointOf())), forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: 'bodies' }));
  });
  blobStoreContract(() => {
    const calls = createS3Calls(endCalls, environmentFor(endpointOf()));
    return {
      blobs: {
        put: (key, bytes) => calls.put('bodies', key, bytes),
        get: key => calls.get('bodies', key),
        list: (prefix, cursor) => calls.list('bodies', prefix, cursor),
      },
    };
  });
  secretValuesContract(() => {
    const client = createSecretsClient(environmentFor(endpointOf()));
    return {
      values: new SecretsManagerValues(client, { environment: 'test' }),
      async set(sourceId, text) {
        const value = text === undefined ? {} : { SecretString: text };
        await client.send(new CreateSecretCommand({ Name: secretName({ environment: 'test' }, sourceId), ...value }));
      },
    };
  }, true);
}
