import { MemoryQueue, type MemoryQueueOptions, type ReceivedMessage } from '#test/kit/memory/queue/memory-queue.ts';
import type { SendOptions } from '#test/kit/memory/queue/sqs-limits.ts';
import type { Meter } from './counters.ts';

const CHUNK_BYTES = 64 * 1024;

/** SQS bills each started 64 KB of a request's payload as one request, at least one. */
function requestsFor(payloadBytes: number): number {
  return Math.max(1, Math.ceil(payloadBytes / CHUNK_BYTES));
}

function payloadBytes(body: string, attributes: Readonly<Record<string, string>> = {}): number {
  const named = Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 'String'.length,
    0,
  );
  return Buffer.byteLength(body) + named;
}

/** A queue that counts the requests SQS would bill. */
export class CountingQueue extends MemoryQueue {
  readonly #meter: Meter;
  readonly #name: 'work' | 'dead';

  constructor(options: MemoryQueueOptions, meter: Meter, name: 'work' | 'dead') {
    super(options);
    this.#meter = meter;
    this.#name = name;
  }

  override send(body: string, options: SendOptions = {}): string {
    this.#count('SendMessage', payloadBytes(body, options.attributes));
    if (this.#name === 'work') this.#meter.counts.sends += 1;
    return super.send(body, options);
  }

  override receive(limit: number, visibilitySeconds?: number): ReceivedMessage[] {
    const messages = super.receive(limit, visibilitySeconds);
    const bytes = messages.reduce((sum, { body, attributes }) => sum + payloadBytes(body, attributes), 0);
    this.#count('ReceiveMessage', bytes);
    return messages;
  }

  override changeVisibility(receipt: string, seconds: number): void {
    this.#count('ChangeMessageVisibility', 0);
    super.changeVisibility(receipt, seconds);
  }

  override delete(receipt: string): void {
    this.#count('DeleteMessage', 0);
    super.delete(receipt);
  }

  /** What Lambda's poller does with a batch: one request for up to ten messages. */
  deleteBatch(receipts: readonly string[]): void {
    if (receipts.length === 0) return;
    this.#count('DeleteMessageBatch', 0);
    for (const receipt of receipts) super.delete(receipt);
  }

  #count(call: string, bytes: number): void {
    const units = requestsFor(bytes);
    this.#meter.counts.queueRequests += units;
    if (this.#name === 'work') this.#meter.counts.fairRequests += units;
    this.#meter.calls.push({ call, target: this.#name, units, indexUnits: 0, bytes });
  }
}
