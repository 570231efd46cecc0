import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe } from 'vitest';
import { clientSettings } from '#adapters/aws/client-settings.ts';
import { createS3Calls } from '#adapters/s3/s3-client.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { secretName } from '#core/config/deployment.ts';
import { type LocalAws, openLocalAws } from '#local/emulator.ts';
import { findPython } from '#local/python.ts';
import { reportMissingPython } from '#test/e2e/needs-python.ts';
import { freePort } from '#test/support/free-port.ts';
import { isLongRun } from '#test/support/long-run.ts';
import { blobStoreContract } from './blob-store.contract.ts';
import { controlStoreContract } from './control-store.contract.ts';
import { createTables, environmentFor, makeDynamoDbTables } from './dynamodb-tables.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { payloadStoreContract } from './payload-store.contract.ts';
import { queuesContract } from './queues.contract.ts';
import { secretValuesContract } from './secret-values.contract.ts';
import { makeSqsQueues } from './sqs-queues.ts';

const python = await findPython();
reportMissingPython(python);

describe.skipIf(!python)('on the local AWS', () => {
  let aws: LocalAws;
  let tables: ReturnType<typeof makeDynamoDbTables>;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;

  beforeAll(async () => {
    aws = await openLocalAws(await freePort(), {});
    await createTables(aws.endpoint);
    tables = makeDynamoDbTables(aws.endpoint);
    queues = await makeSqsQueues(aws.endpoint, 'contract');
    const s3 = new S3Client({ ...clientSettings('S3', environmentFor(aws.endpoint)), forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: 'bodies' }));
  });
  afterAll(() => aws?.stop());

  // By default DynamoDB Local and ElasticMQ are asked these: closer to AWS than this one.
  if (isLongRun()) {
    // What it lets pass and AWS does not, on the version in local/requirements.txt.
    eventStoreContract(
      () => tables,
      [
        'an index key over 1,024 bytes',
        'an order of booleans',
        'one attribute set and removed',
        'one attribute set and added to',
      ],
    );
    controlStoreContract(() => tables);
    payloadStoreContract(() => tables);
    queuesContract(() => queues, ['a delay over 15 minutes']);
  }
  blobStoreContract(() => {
    const calls = createS3Calls(environmentFor(aws.endpoint));
    return { blobs: { put: (key, bytes) => calls.put('bodies', key, bytes), get: key => calls.get('bodies', key) } };
  });
  secretValuesContract(() => {
    const client = createSecretsClient(environmentFor(aws.endpoint));
    return {
      values: new SecretsManagerValues(client, 'test'),
      async set(sourceId, text) {
        const value = text === undefined ? {} : { SecretString: text };
        await client.send(new CreateSecretCommand({ Name: secretName('test', sourceId), ...value }));
      },
    };
  }, true);
});
