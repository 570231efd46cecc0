import { afterAll, beforeAll, describe } from 'vitest';
import { makeSqsQueues } from './elasticmq-queues.ts';
import { type JavaService, javaMissing, startElasticMq } from './java-services.ts';
import { queuesContract } from './queues.contract.ts';

const problem = await javaMissing();

describe.skipIf(problem !== undefined)('on ElasticMQ', () => {
  let service: JavaService;
  let queues: Awaited<ReturnType<typeof makeSqsQueues>>;

  beforeAll(async () => {
    service = await startElasticMq();
    queues = await makeSqsQueues(service.url);
  });
  afterAll(() => service?.stop());

  queuesContract(() => queues);
});
