import type { SQSRecord } from 'aws-lambda';
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { FunctionOutcome } from '../memory-function.ts';
import type { MemoryQueue, ReceivedMessage } from './memory-queue.ts';

export interface MemoryMappingOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly queue: MemoryQueue;
  /** Invokes the function with `{ Records }`. */
  readonly invoke: (sqsEvent: { Records: SQSRecord[] }) => Promise<FunctionOutcome>;
  /** Default 10. */
  readonly batchSize?: number;
  /** Default 20. */
  readonly maximumConcurrency?: number;
  /** Default true. */
  readonly reportBatchItemFailures?: boolean;
  /** Wait between polls of an empty queue. Default 1 s. */
  readonly idleMs?: number;
  /** Share of deletes after a success that fail (the message comes back). Default 0.001. */
  readonly deleteFailureRate?: number;
  /** Told of every finished batch. */
  readonly onBatch?: (batch: { at: EpochMs; size: number; failed: number; outcome: FunctionOutcome['kind'] }) => void;
}

/**
 * The event source mapping between a queue and a function: polls, invokes, and deletes what succeeded. Messages that
 * are not deleted come back when their visibility runs out.
 */
export class MemoryMapping {
  readonly #options: MemoryMappingOptions;
  #running = 0;
  #enabled = false;
  #cancelPoll: () => void = () => {};

  constructor(options: MemoryMappingOptions) {
    this.#options = options;
  }

  /** Batches being processed now. */
  get running(): number {
    return this.#running;
  }

  enable(): void {
    if (this.#enabled) return;
    this.#enabled = true;
    this.#pollAfter(0);
  }

  /** Stops polling; batches under way go on. */
  disable(): void {
    this.#enabled = false;
    this.#cancelPoll();
  }

  #pollAfter(delayMs: number): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#options.clock.after(delayMs, () => this.#poll());
  }

  #poll(): void {
    if (!this.#enabled) return;
    const { idleMs = 1_000, maximumConcurrency = 20 } = this.#options;
    let found = true;
    while (found && this.#running < maximumConcurrency) found = this.#takeBatch();
    // With all invokers busy the next poll follows the first batch that ends.
    if (!found) this.#pollAfter(idleMs);
  }

  #takeBatch(): boolean {
    const { queue, batchSize = 10 } = this.#options;
    const batch = queue.receive(Math.min(10, batchSize));
    if (batch.length === 0) return false;
    this.#running += 1;
    void this.#process(batch).finally(() => {
      this.#running -= 1;
      if (this.#enabled) this.#pollAfter(0);
    });
    return true;
  }

  async #process(batch: readonly ReceivedMessage[]): Promise<void> {
    const { invoke, queue, random, clock, reportBatchItemFailures = true, deleteFailureRate = 0.001 } = this.#options;
    const outcome = await invoke({ Records: batch.map(toRecord) });
    const failed = failedOf(outcome, batch, reportBatchItemFailures);
    for (const message of batch) {
      if (!failed.has(message.messageId) && !random.chance(deleteFailureRate)) queue.delete(message.receipt);
    }
    this.#options.onBatch?.({ at: clock.now(), size: batch.length, failed: failed.size, outcome: outcome.kind });
  }
}

/**
 * Which messages of a batch failed (Lambda Developer Guide, "Success and failure conditions"): all of them when the
 * function failed, when its answer is not JSON, or when an identifier is empty, null, misnamed or not of this batch;
 * none when the answer or its list is empty or null.
 */
export function failedOf(
  outcome: FunctionOutcome,
  batch: readonly { readonly messageId: string }[],
  reportBatchItemFailures: boolean,
): ReadonlySet<string> {
  const everything = new Set(batch.map(message => message.messageId));
  if (outcome.kind !== 'returned') return everything;
  if (!reportBatchItemFailures) return new Set();
  let answer: unknown;
  try {
    answer = outcome.payload === undefined ? null : JSON.parse(outcome.payload);
  } catch {
    return everything;
  }
  if (answer === null) return new Set();
  if (typeof answer !== 'object' || Array.isArray(answer)) return everything;
  const list = (answer as { batchItemFailures?: unknown }).batchItemFailures;
  if (list === undefined || list === null) return new Set();
  if (!Array.isArray(list)) return everything;
  const failed = new Set<string>();
  for (const entry of list as readonly unknown[]) {
    const id = typeof entry === 'object' && entry !== null && 'itemIdentifier' in entry ? entry.itemIdentifier : null;
    if (typeof id !== 'string' || !everything.has(id)) return everything;
    failed.add(id);
  }
  return failed;
}

/** A message as Lambda hands it to a function. */
export function toRecord(message: ReceivedMessage): SQSRecord {
  const messageAttributes: Record<string, { stringValue: string; dataType: 'String' }> = {};
  for (const [name, value] of Object.entries(message.attributes)) {
    messageAttributes[name] = { stringValue: value, dataType: 'String' };
  }
  return {
    messageId: message.messageId,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAt),
      SenderId: 'AROAEXAMPLE:ingest',
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      ...given({ MessageGroupId: message.groupId }),
    },
    messageAttributes,
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:work',
    awsRegion: 'eu-central-1',
  };
}
