import type { Job, JobQueue, WakeQueue, WakeUp } from '#core/outbound/ports.ts';
import type { MemoryQueue } from './memory-queue.ts';

const BATCH = 10;

/** `WakeQueue` over an in-memory queue. */
export class MemoryWakeQueue implements WakeQueue {
  readonly #queue: MemoryQueue;

  constructor(queue: MemoryQueue) {
    this.#queue = queue;
  }

  async send(wakeUps: readonly WakeUp[], delaySeconds: number | readonly number[] = 0): Promise<void> {
    const bodies = wakeUps.map(wakeUp => JSON.stringify(wakeUp));
    if (typeof delaySeconds !== 'number')
      return bodies.forEach((body, at) => void this.#queue.send(body, { delaySeconds: delaySeconds[at] ?? 0 }));
    for (let at = 0; at < bodies.length; at += BATCH)
      this.#queue.sendBatch(bodies.slice(at, at + BATCH), { delaySeconds });
  }
}

/** `JobQueue` over an in-memory queue. */
export class MemoryJobQueue implements JobQueue {
  readonly #queue: MemoryQueue;

  constructor(queue: MemoryQueue) {
    this.#queue = queue;
  }

  async send(jobs: readonly Job[], group: string): Promise<void> {
    for (const job of jobs) this.#queue.send(JSON.stringify(job), { groupId: group });
  }
}
