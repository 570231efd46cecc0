/** A queue whose every arrival and departure is told to the ledger. */
import { MemoryQueue, type MemoryQueueOptions, type ReceivedMessage } from '#test/kit/memory/queue/memory-queue.ts';
import type { SendOptions } from '#test/kit/memory/queue/sqs-limits.ts';
import type { Ledger } from './ledger.ts';

export class WatchedQueue extends MemoryQueue {
  readonly #ledger: Ledger;
  readonly #name: 'main' | 'dead';
  readonly #now: () => number;
  readonly #receivedAt = new Map<string, number>();
  /** When the reader of the delete that is being carried out received the message. */
  readonly #deleting: { receivedAt: number };

  constructor(name: 'main' | 'dead', ledger: Ledger, options: MemoryQueueOptions) {
    const deleting = { receivedAt: Number.NEGATIVE_INFINITY };
    super({ ...options, onGone: (message, by) => ledger.gone(name, message.body, by, deleting.receivedAt) });
    this.#ledger = ledger;
    this.#name = name;
    this.#now = () => options.clock.now();
    this.#deleting = deleting;
  }

  override send(body: string, options?: SendOptions): string {
    const id = super.send(body, options);
    this.#ledger.sent(this.#name, body);
    return id;
  }

  override receive(limit: number, visibilitySeconds?: number): ReceivedMessage[] {
    const received = super.receive(limit, visibilitySeconds);
    // Nobody is asked when a message was received from the other queue, which is read all day.
    if (this.#name === 'main') for (const { receipt } of received) this.#receivedAt.set(receipt, this.#now());
    return received;
  }

  override delete(receipt: string): void {
    this.#deleting.receivedAt = this.#receivedAt.get(receipt) ?? Number.NEGATIVE_INFINITY;
    this.#receivedAt.delete(receipt);
    super.delete(receipt);
  }

  /** Puts in a message that is none of the product's, as a person's test or another system would. */
  stray(body: string): void {
    this.#ledger.strayed(body);
    super.send(body);
  }

  /** A person looks through the queue and deletes what is none of the product's. */
  tidy(isStray: (body: string) => boolean): number {
    let removed = 0;
    for (let found = this.receive(10); found.length > 0; found = this.receive(10)) {
      for (const { body, receipt } of found) {
        if (!isStray(body)) continue;
        this.#ledger.tidying = true;
        this.delete(receipt);
        this.#ledger.tidying = false;
        removed += 1;
      }
    }
    return removed;
  }
}
