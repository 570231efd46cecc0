import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { MemoryJobQueue, MemoryWakeQueue } from '#test/kit/memory/queue/memory-outbound-queues.ts';
import { MemoryQueue } from '#test/kit/memory/queue/memory-queue.ts';
import {
  MemoryDeadQueue,
  MemoryQueueGauge,
  MemoryReceiptBox,
  MemoryWorkQueue,
} from '#test/kit/memory/queue/memory-queue-ports.ts';
import type { OutboundQueuesSubject } from './outbound-queues.contract.ts';
import type { QueuesSubject } from './queues.contract.ts';

/** Both queues in memory. Spare copies are off: the contract counts messages. */
export function makeMemoryQueues(): QueuesSubject {
  const clock = new VirtualClock();
  const settings = { clock, random: new SeededRandom(4), duplicateRate: 0 };
  const main = new MemoryQueue({ ...settings, visibilitySeconds: 30 });
  const dead = new MemoryQueue({ ...settings, visibilitySeconds: 1 });
  return {
    work: new MemoryWorkQueue(main),
    receipts: new MemoryReceiptBox(main),
    dead: new MemoryDeadQueue(dead),
    gauge: new MemoryQueueGauge(main, dead),
    receive: async () => main.receive(10),
    delete: async receipt => main.delete(receipt),
    deadAttributes: async () => ({ ...dead.receive(1)[0]?.attributes }),
    wait: seconds => clock.advanceBy(seconds * 1_000),
  };
}

/** A wake queue and the jobs queue in memory. */
export function makeMemoryOutboundQueues(): OutboundQueuesSubject {
  const clock = new VirtualClock();
  const settings = { clock, random: new SeededRandom(5), duplicateRate: 0 };
  const queues = { wake: new MemoryQueue(settings), jobs: new MemoryQueue(settings) };
  return {
    wake: new MemoryWakeQueue(queues.wake),
    jobs: new MemoryJobQueue(queues.jobs),
    async take(name) {
      const found = queues[name].receive(10);
      for (const { receipt } of found) queues[name].delete(receipt);
      return found;
    },
    wait: seconds => clock.advanceBy(seconds * 1_000),
  };
}
