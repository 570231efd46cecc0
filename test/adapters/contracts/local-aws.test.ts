import { afterAll, beforeAll, describe } from 'vitest';
import { type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { findPython } from '#local/emulator/python.ts';
import { reportMissingPython } from '#test/e2e/needs-python.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { controlStoreContract } from './control-store.contract.ts';
import { createTables, makeDynamoDbTables } from './dynamodb-tables.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { payloadStoreContract } from './payload-store.contract.ts';
import { queuesContract } from './queues.contract.ts';
import { searchStoreContract } from './search-store.contract.ts';
import { makeSqsQueues } from './sqs-queues.ts';

const python = await findPython();
reportMissingPython(python);

// By default DynamoDB Local and ElasticMQ are asked these, which are closer to AWS; the end-to-end run asks the rest.
describe.skipIf(!python || !isLongRun())('on the local AWS', () => {
  let aws: LocalAws;
  let tables: ReturnType<typeof makeDynamoDbTables>;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;

  beforeAll(async () => {
    aws = await openLocalAws(await freePort(), {});
    await createTables(aws.endpoint);
    tables = makeDynamoDbTables(aws.endpoint);
    queues = await makeSqsQueues(aws.endpoint, 'contract');
  });
  afterAll(() => aws?.stop());

  // What it lets pass and AWS does not, on the version in local/emulator/requirements.txt.
  eventStoreContract(
    () => tables,
    [
      'an index key over 1,024 bytes',
      'an order of booleans',
      'one attribute set and removed',
      'one attribute set and added to',
      'a put without its key',
    ],
  );
  controlStoreContract(() => tables);
  payloadStoreContract(() => tables);
  searchStoreContract(() => tables);
  queuesContract(() => queues, ['a delay over 15 minutes']);
});
