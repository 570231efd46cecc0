import { afterAll, beforeAll, describe } from 'vitest';
import { controlStoreContract } from './control-store.contract.ts';
import { createTables, makeDynamoDbTables } from './dynamodb-local-region.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { type JavaService, javaMissing, startDynamoDbLocal } from './java-services.ts';
import { payloadStoreContract } from './payload-store.contract.ts';

const problem = await javaMissing();

describe.skipIf(problem !== undefined)('on DynamoDB Local', () => {
  let service: JavaService;
  let tables: ReturnType<typeof makeDynamoDbTables>;

  beforeAll(async () => {
    service = await startDynamoDbLocal();
    await createTables(service.url);
    tables = makeDynamoDbTables(service.url);
  });
  afterAll(() => service?.stop());

  eventStoreContract(() => tables);
  controlStoreContract(() => tables);
  payloadStoreContract(() => tables);
});
