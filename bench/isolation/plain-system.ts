/**
 * What ours is compared with: one queue for everybody, a message for each delivery, a function that sends a batch of ten side
 * by side. What failed comes back when its visibility ends, six times the function's timeout, as AWS advises.
 */

import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { MemoryFunction } from '#test/kit/memory/memory-function.ts';
import { MemoryMapping } from '#test/kit/memory/queue/memory-mapping.ts';
import { MemoryQueue } from '#test/kit/memory/queue/memory-queue.ts';

const VISIBILITY_TIMEOUTS = 6;

interface PlainSystemOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  /** Of one request; a run takes five seconds more at the most. */
  readonly deadlineMs: number;
  readonly maximumConcurrency: number;
  /** Whether the delivery arrived. */
  readonly send: (body: string) => Promise<boolean>;
}

/** It works as soon as its mapping is enabled. */
export function plainSystem({ clock, random, deadlineMs, maximumConcurrency, send }: PlainSystemOptions) {
  const timeoutMs = deadlineMs + 5_000;
  const visibilitySeconds = (VISIBILITY_TIMEOUTS * timeoutMs) / 1_000;
  const queue = new MemoryQueue({ clock, random: random.fork(), visibilitySeconds, duplicateRate: 0 });
  const sender = new MemoryFunction({
    ...{ clock, random: random.fork(), timeoutMs },
    initialise:
      () =>
      async ({ Records }: { Records: { messageId: string; body: string }[] }) => {
        const sent = await Promise.all(Records.map(({ body }) => send(body)));
        const failed = Records.filter((_, at) => !sent[at]);
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      },
  });
  const mapping = new MemoryMapping({
    ...{ clock, random: random.fork(), queue, deleteFailureRate: 0, idleMs: 20, maximumConcurrency },
    invoke: event => sender.invoke(event),
  });
  return { queue, sender, mapping };
}
