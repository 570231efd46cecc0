import type { EpochMs } from '#core/glossary.ts';
import type { DeadQueue, QueueGauge, QueueNumbers, ReceiptBox, WorkQueue } from '#core/ports.ts';
import type { MemoryQueue } from './memory-queue.ts';
import { checkVisibility } from './sqs-limits.ts';

/** `WorkQueue` over an in-memory queue. */
export class MemoryWorkQueue implements WorkQueue {
  readonly #queue: MemoryQueue;

  constructor(queue: MemoryQueue) {
    this.#queue = queue;
  }

  async send(body: string, options: { groupId: string; delaySeconds?: number }): Promise<void> {
    this.#queue.send(body, options);
  }
}

/**
 * `ReceiptBox` over an in-memory queue. What the queue refuses of a message is dropped, as the real one does. A time that
 * SQS never takes is a fault of the caller, which nobody would hear of there: it is thrown.
 */
export class MemoryReceiptBox implements ReceiptBox {
  readonly #queue: MemoryQueue;

  constructor(queue: MemoryQueue) {
    this.#queue = queue;
  }

  async hide(receipt: string, seconds: number): Promise<void> {
    checkVisibility(seconds);
    try {
      this.#queue.changeVisibility(receipt, seconds);
    } catch {
      // Best effort: the message comes back when its present visibility runs out.
    }
  }
}

/** `DeadQueue` over an in-memory queue. */
export class MemoryDeadQueue implements DeadQueue {
  readonly #queue: MemoryQueue;

  constructor(queue: MemoryQueue) {
    this.#queue = queue;
  }

  async send(body: string, cause: string): Promise<void> {
    this.#queue.send(body, { attributes: { cause } });
  }

  async receive(
    limit: number,
  ): Promise<readonly { body: string; receipt: string; sentAt: EpochMs; receiveCount: number }[]> {
    return this.#queue.receive(Math.min(limit, 10)).map(({ body, receipt, sentAt, receiveCount }) => ({
      body,
      receipt,
      sentAt,
      receiveCount,
    }));
  }

  async delete(receipt: string): Promise<void> {
    this.#queue.delete(receipt);
  }
}

/** `QueueGauge` over the two in-memory queues. */
export class MemoryQueueGauge implements QueueGauge {
  readonly #main: MemoryQueue;
  readonly #dead: MemoryQueue;

  constructor(main: MemoryQueue, dead: MemoryQueue) {
    this.#main = main;
    this.#dead = dead;
  }

  async main(): Promise<QueueNumbers> {
    return this.#main.numbers();
  }

  async dead(): Promise<QueueNumbers> {
    return this.#dead.numbers();
  }
}
