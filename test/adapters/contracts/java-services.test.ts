import { afterAll, beforeAll, describe } from 'vitest';
import { faultyNetworkSuite } from '#test/adapters/faulty-network.suite.ts';
import { wholePathSuite } from '#test/adapters/whole-path.suite.ts';
import { dynamoDbLocalSuite } from './dynamodb-local.suite.ts';
import { createTables } from './dynamodb-tables.ts';
import { type JavaService, javaMissing, startDynamoDbLocal, startElasticMq } from './java-services.ts';
import { outboundQueuesContract } from './outbound-queues.contract.ts';
import { queuesContract } from './queues.contract.ts';
import { makeSqsOutboundQueues, makeSqsQueues } from './sqs-queues.ts';

const problem = await javaMissing();

// One file for all that needs them: the two JVMs start once.
describe.skipIf(problem !== undefined)('on services we did not write', () => {
  let dynamodb: JavaService;
  let elasticmq: JavaService;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;
  let outboundQueues: Awaited<ReturnType<typeof makeSqsOutboundQueues>>;
  const urls = () => ({ dynamodb: dynamodb.url, elasticmq: elasticmq.url });

  beforeAll(async () => {
    [dynamodb, elasticmq] = await Promise.all([startDynamoDbLocal(), startElasticMq()]);
    await createTables(dynamodb.url);
    queues = await makeSqsQueues(elasticmq.url, 'contract');
    outboundQueues = await makeSqsOutboundQueues(elasticmq.url, 'outbound');
  });
  afterAll(() => Promise.all([dynamodb?.stop(), elasticmq?.stop()]));

  describe('Amazon’s DynamoDB Local', () => dynamoDbLocalSuite(() => dynamodb.url));
  describe('ElasticMQ', () => queuesContract(() => queues));
  describe('ElasticMQ, outbound', () => outboundQueuesContract(() => outboundQueues));
  describe('both, over a faulty network', () => faultyNetworkSuite(urls));
  describe('both, under the rules', () => wholePathSuite(urls));
});
