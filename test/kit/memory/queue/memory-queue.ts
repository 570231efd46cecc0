import { Heap } from '#adapters/memory/heap.ts';
import { SeededIds, type SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { EpochMs } from '#core/glossary.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import {
  checkLimit,
  checkSend,
  checkVisibility,
  MAX_VISIBILITY_SECONDS,
  refuse,
  type SendOptions,
} from './sqs-limits.ts';
import { VisibleMessages } from './visible-messages.ts';

export interface MemoryQueueOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  /** Default 4 days. */
  readonly retentionSeconds?: number;
  /** Default 180 s. */
  readonly visibilitySeconds?: number;
  /** Received messages not yet deleted, beyond which receive returns nothing. Default 120,000. */
  readonly inFlightLimit?: number;
  /** Default 1 MiB. */
  readonly maximumMessageBytes?: number;
  /** Native redrive: a message received more often than this goes to the other queue instead. */
  readonly redrive?: { readonly deadLetterQueue: MemoryQueue; readonly maxReceiveCount: number };
  /** Share of receives after which another copy of the message turns up, one at most. Default 0.005. */
  readonly duplicateRate?: number;
  /** How old the numbers of the queue's attributes are. Default 0. */
  readonly numbersLagMs?: number;
  /** Told of every message that leaves the queue; for oracles. */
  readonly onGone?: (message: StoredMessage, by: 'delete' | 'retention' | 'purge' | 'redrive' | 'move') => void;
}

/** One stored copy of a message. A message can have several (at-least-once delivery). */
export interface StoredMessage {
  readonly id: string;
  /** Tells the copies of one message apart. */
  readonly copy: number;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  sentAt: EpochMs;
  receiveCount: number;
  firstReceivedAt: EpochMs | undefined;
  /** A spare copy exists or is one: copies do not breed, however often a message is received. */
  spared: boolean;
  /** Set by the native redrive only: where the message came from. */
  deadLetterSource: MemoryQueue | undefined;
  /** `lurking`: a spare copy nobody has seen yet. */
  state: 'visible' | 'hidden' | 'delayed' | 'lurking' | 'gone';
  /** When a hidden or delayed message becomes visible. */
  wakeAt: EpochMs;
}

export interface ReceivedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly receipt: string;
  readonly groupId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  readonly sentAt: EpochMs;
  readonly firstReceivedAt: EpochMs;
  readonly receiveCount: number;
}

const PURGE_MS = MINUTE_MS;
/**
 * A standard SQS queue in memory, the region's side of the wire: at least once, in no order, with the limits of the
 * Developer Guide. It outlives the simulated processes that use it.
 */
export class MemoryQueue {
  readonly #options: MemoryQueueOptions;
  readonly #ids: SeededIds;
  readonly #visible: VisibleMessages<StoredMessage>;
  readonly #waiting = new Heap<{ at: EpochMs; message: StoredMessage }>((a, b) => a.at < b.at);
  readonly #expiries = new Heap<{ at: EpochMs; message: StoredMessage }>((a, b) => a.at < b.at);
  readonly #stored = new Map<number, StoredMessage>();
  #hidden = 0;
  #delayed = 0;
  #purgedAt = -PURGE_MS;
  #sent = 0;
  #copies = 0;
  #numbers = { at: -1, visible: 0, hidden: 0, delayed: 0 };

  constructor(options: MemoryQueueOptions) {
    this.#options = options;
    this.#ids = new SeededIds(options.random);
    this.#visible = new VisibleMessages(options.random);
  }

  /** Messages ever accepted. */
  get sent(): number {
    return this.#sent;
  }

  /** One request for up to ten messages. */
  sendBatch(bodies: readonly string[], options: SendOptions = {}): void {
    for (const body of bodies) this.send(body, options);
  }

  send(body: string, options: SendOptions = {}): string {
    const { clock, random } = this.#options;
    this.#catchUp();
    checkSend(body, options, this.#options.maximumMessageBytes);
    this.#sent += 1;
    const message = this.#accept(body, options);
    // A purge takes up to a minute, and may take messages with it that were sent after it began.
    if (clock.now() - this.#purgedAt < PURGE_MS && random.chance(0.5)) this.#remove(message, 'purge');
    return message.id;
  }

  /** At most `limit` (up to 10) messages, in no order; each is hidden until it is deleted or its visibility runs out. */
  receive(limit: number, visibilitySeconds = this.#options.visibilitySeconds ?? 180): ReceivedMessage[] {
    const { clock, random, inFlightLimit = 120_000, duplicateRate = 0.005 } = this.#options;
    checkLimit(limit);
    checkVisibility(visibilitySeconds);
    this.#catchUp();
    const received: ReceivedMessage[] = [];
    while (received.length < limit && this.#hidden < inFlightLimit) {
      const message = this.#visible.take();
      if (message === undefined) break;
      if (this.#redriven(message)) continue;
      message.receiveCount += 1;
      message.firstReceivedAt ??= clock.now();
      this.#hide(message, visibilitySeconds);
      received.push(this.#hand(message));
      if (random.chance(duplicateRate) && !message.spared) this.#duplicate(message);
    }
    return received;
  }

  /** Deletes by handle. A handle that a later receive has replaced deletes, or does not; a gone message is no error. */
  delete(receipt: string): void {
    this.#catchUp();
    const found = this.#find(receipt);
    if (found === undefined) return;
    if (found.current || this.#options.random.chance(0.5)) this.#remove(found.message, 'delete');
  }

  /** Hides a received message for this number of seconds from now; refused when it is not in flight or 12 h would be exceeded. */
  changeVisibility(receipt: string, seconds: number): void {
    this.#catchUp();
    checkVisibility(seconds);
    const { clock, random } = this.#options;
    const found = this.#find(receipt);
    if (found === undefined || found.message.state !== 'hidden') throw refuse('MessageNotInflight');
    if (!found.current && random.chance(0.5)) throw refuse('the receipt handle is not the latest one');
    const { message } = found;
    if (clock.now() + seconds * 1000 - (message.firstReceivedAt ?? clock.now()) > MAX_VISIBILITY_SECONDS * 1000) {
      throw refuse('Total VisibilityTimeout for the message is beyond the limit of 43200 seconds');
    }
    this.#leave(message);
    this.#hide(message, seconds);
  }

  /** Deletes everything, and for a minute some of what is sent after it. */
  purge(): void {
    this.#catchUp();
    this.#purgedAt = this.#options.clock.now();
    for (const message of [...this.#stored.values()]) this.#remove(message, 'purge');
  }

  numbers(): { visible: number; hidden: number; delayed: number } {
    const { clock, numbersLagMs = 0 } = this.#options;
    this.#catchUp();
    if (this.#numbers.at < 0 || clock.now() - this.#numbers.at >= numbersLagMs) {
      this.#numbers = { at: clock.now(), visible: this.#visible.size, hidden: this.#hidden, delayed: this.#delayed };
    }
    const { visible, hidden, delayed } = this.#numbers;
    return { visible, hidden, delayed };
  }

  /**
   * The console's redrive. Without a destination each message goes back to the queue the native redrive took it from;
   * one that came by SendMessage has none, and the task fails.
   */
  startMessageMoveTask(destination?: MemoryQueue): { moved: number; failure?: 'CouldNotDetermineMessageSource' } {
    this.#catchUp();
    let moved = 0;
    for (const message of [...this.#stored.values()].filter(candidate => candidate.state === 'visible')) {
      const target = destination ?? message.deadLetterSource;
      if (target === undefined) return { moved, failure: 'CouldNotDetermineMessageSource' };
      this.#remove(message, 'move');
      const { body, groupId, attributes } = message;
      target.#accept(body, groupId === undefined ? { attributes } : { attributes, groupId });
      moved += 1;
    }
    return { moved };
  }

  /** What is in the queue now, in any state; for oracles and tests. */
  dump(): readonly Readonly<StoredMessage>[] {
    this.#catchUp();
    return [...this.#stored.values()];
  }

  #accept(body: string, options: SendOptions): StoredMessage {
    const { groupId, delaySeconds = 0, attributes = {} } = options;
    const { clock, retentionSeconds = 4 * 86_400 } = this.#options;
    const now = clock.now();
    const message: StoredMessage = {
      id: this.#ids.uuid(),
      copy: this.#copies++,
      body,
      groupId,
      attributes,
      sentAt: now,
      receiveCount: 0,
      firstReceivedAt: undefined,
      spared: false,
      deadLetterSource: undefined,
      state: delaySeconds > 0 ? 'delayed' : 'visible',
      wakeAt: now + delaySeconds * 1000,
    };
    this.#stored.set(message.copy, message);
    this.#expiries.push({ at: now + retentionSeconds * 1000, message });
    if (delaySeconds > 0) {
      this.#delayed += 1;
      this.#waiting.push({ at: message.wakeAt, message });
    } else this.#visible.add(message);
    return message;
  }

  /** Lets everything happen that time has brought: retention, delays and visibility running out. */
  #catchUp(): void {
    const now = this.#options.clock.now();
    for (let due = this.#expiries.peek(); due && due.at <= now; due = this.#expiries.peek()) {
      this.#expiries.pop();
      if (due.message.state !== 'gone') this.#remove(due.message, 'retention');
    }
    for (let due = this.#waiting.peek(); due && due.at <= now; due = this.#waiting.peek()) {
      this.#waiting.pop();
      const { message } = due;
      if (message.wakeAt !== due.at || message.state === 'visible' || message.state === 'gone') continue;
      this.#leave(message);
      message.state = 'visible';
      this.#visible.add(message);
    }
  }

  #hide(message: StoredMessage, seconds: number): void {
    const now = this.#options.clock.now();
    this.#hidden += 1;
    this.#visible.countInFlight(message, 1);
    message.state = 'hidden';
    message.wakeAt = now + seconds * 1000;
    this.#waiting.push({ at: message.wakeAt, message });
  }

  #redriven(message: StoredMessage): boolean {
    const { redrive } = this.#options;
    if (redrive === undefined || message.receiveCount < redrive.maxReceiveCount) return false;
    message.state = 'gone';
    this.#stored.delete(message.copy);
    this.#options.onGone?.(message, 'redrive');
    redrive.deadLetterQueue.#takeOver(message, this);
    return true;
  }

  /** A natively redriven message keeps its id and the time it was first sent (standard queues), and knows its source. */
  #takeOver(from: StoredMessage, source: MemoryQueue): void {
    const { retentionSeconds = 4 * 86_400 } = this.#options;
    const message: StoredMessage = { ...from, copy: this.#copies++, deadLetterSource: source, state: 'visible' };
    this.#stored.set(message.copy, message);
    this.#expiries.push({ at: message.sentAt + retentionSeconds * 1000, message });
    this.#visible.add(message);
  }

  /** Another copy of the same message, which deleting the first does not remove. */
  #duplicate(original: StoredMessage): void {
    const { clock, random, retentionSeconds = 4 * 86_400 } = this.#options;
    original.spared = true;
    const wakeAt = clock.now() + random.pick([0, 50, 1_000, 60_000, HOUR_MS]);
    const message: StoredMessage = { ...original, copy: this.#copies++, state: 'lurking', wakeAt };
    this.#stored.set(message.copy, message);
    this.#expiries.push({ at: message.sentAt + retentionSeconds * 1000, message });
    this.#waiting.push({ at: wakeAt, message });
  }

  #hand(message: StoredMessage): ReceivedMessage {
    const { id, body, groupId, attributes, sentAt, receiveCount } = message;
    const receipt = `${message.copy}:${receiveCount}:${this.#options.random.int(2 ** 32).toString(36)}`;
    const firstReceivedAt = message.firstReceivedAt ?? sentAt;
    return { messageId: id, body, receipt, groupId, attributes, sentAt, firstReceivedAt, receiveCount };
  }

  /** The copy behind a receipt handle, and whether no later receive has replaced the handle. */
  #find(receipt: string): { message: StoredMessage; current: boolean } | undefined {
    const match = /^(\d+):(\d+):/.exec(receipt);
    if (!match) throw refuse('ReceiptHandleIsInvalid');
    const message = this.#stored.get(Number(match[1]));
    return message && { message, current: message.receiveCount === Number(match[2]) };
  }

  #remove(message: StoredMessage, by: 'delete' | 'retention' | 'purge' | 'redrive' | 'move'): void {
    if (message.state === 'gone') return;
    this.#leave(message);
    message.state = 'gone';
    this.#stored.delete(message.copy);
    this.#options.onGone?.(message, by);
  }

  /** Takes a message out of the count of its state. */
  #leave(message: StoredMessage): void {
    if (message.state === 'visible') this.#visible.remove();
    else if (message.state === 'delayed') this.#delayed -= 1;
    else if (message.state === 'hidden') {
      this.#hidden -= 1;
      this.#visible.countInFlight(message, -1);
    }
  }
}
