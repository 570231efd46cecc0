/** BullMQ: `server <port>` adds a job named by the event's id, `worker` records the effect. */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { receive } from './http-server.ts';

const [role, port] = process.argv.slice(2);
const { REDIS_PORT = '', SECRET = '' } = process.env;
const connection = { host: '127.0.0.1', port: Number(REDIS_PORT), maxRetriesPerRequest: null };

if (role === 'server') {
  const queue = new Queue('events', { connection });
  receive(Number(port), SECRET, async ({ id, body }) => {
    // The job stays a day after it is done, so that its id refuses a duplicate.
    await queue.add('event', { body }, { jobId: id, attempts: 15, removeOnComplete: { age: 86_400 } });
  });
} else {
  const redis = new Redis(connection);
  new Worker(
    'events',
    async job => {
      const { data } = JSON.parse((job.data as { body: string }).body) as { data: { object: { id: string } } };
      // The effect is in Redis too, but not in one transaction with the job's completion: BullMQ offers none.
      await redis.multi().hincrby('times', data.object.id, 1).hsetnx('at', data.object.id, String(Date.now())).exec();
    },
    { connection, concurrency: 10 },
  );
}
