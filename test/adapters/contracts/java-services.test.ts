import { afterAll, beforeAll, describe } from 'vitest';
import { bundleSignedAdapters, sdkAdapters } from '#test/adapters/aws-adapters.ts';
import { faultyNetworkSuite } from '#test/adapters/faulty-network.suite.ts';
import { wholePathSuite } from '#test/adapters/whole-path.suite.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { dynamoDbLocalSuite } from './dynamodb-local.suite.ts';
import { createTables } from './dynamodb-tables.ts';
import { type JavaService, javaMissing, startDynamoDbLocal, startElasticMq } from './java-services.ts';
import { outboundQueuesContract } from './outbound-queues.contract.ts';
import { queuesContract } from './queues.contract.ts';
import { makeSqsOutboundQueues, makeSqsQueues } from './sqs-queues.ts';

const problem = await javaMissing();
const signedAdapters = await bundleSignedAdapters();

// One file for all that needs them: the two JVMs start once.
describe.skipIf(problem !== undefined)('on services we did not write', () => {
  let dynamodb: JavaService;
  let elasticmq: JavaService;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;
  let signedQueues: typeof queues;
  let outboundQueues: Awaited<ReturnType<typeof makeSqsOutboundQueues>>;
  const urls = () => ({ dynamodb: dynamodb.url, elasticmq: elasticmq.url });

  beforeAll(async () => {
    [dynamodb, elasticmq] = await Promise.all([startDynamoDbLocal(), startElasticMq()]);
    await createTables(dynamodb.url);
    queues = await makeSqsQueues(elasticmq.url, 'contract');
    outboundQueues = await makeSqsOutboundQueues(elasticmq.url, 'outbound', signedAdapters);
    signedQueues = await makeSqsQueues(elasticmq.url, 'signed', signedAdapters);
  });
  afterAll(() => Promise.all([dynamodb?.stop(), elasticmq?.stop()]));

  describe('Amazon’s DynamoDB Local', () => dynamoDbLocalSuite(() => dynamodb.url, signedAdapters));
  describe('ElasticMQ, without the SDK', () => queuesContract(() => signedQueues));
  describe('ElasticMQ, outbound, without the SDK', () => outboundQueuesContract(() => outboundQueues));
  // The calls are the same (signed-client.test.ts), and most of the time is waiting.
  describe.skipIf(!isLongRun())('ElasticMQ', () => queuesContract(() => queues));
  describe('both, over a faulty network', () => faultyNetworkSuite(urls, sdkAdapters, 'sdk'));
  describe('both, over a faulty network, without the SDK', () => faultyNetworkSuite(urls, signedAdapters, 'signed'));
  describe('both, under the rules', () => wholePathSuite(urls));
});
