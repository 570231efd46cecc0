import { MemoryQueue, type ReceivedMessage } from './memory/queue/memory-queue.ts';
import type { SendOptions } from './memory/queue/sqs-limits.ts';

export type SentListener = (body: string, options: SendOptions) => void;

/** A queue that tells what was accepted into it and what was handed out: the history oracles need. */
export class RecordedQueue extends MemoryQueue {
  onSent: SentListener | undefined;
  onReceived: ((message: ReceivedMessage) => void) | undefined;

  override send(body: string, options: SendOptions = {}): string {
    const id = super.send(body, options);
    this.onSent?.(body, options);
    return id;
  }

  override receive(limit: number, visibilitySeconds?: number): ReceivedMessage[] {
    const messages = super.receive(limit, visibilitySeconds);
    for (const message of messages) this.onReceived?.(message);
    return messages;
  }
}
