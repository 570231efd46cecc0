import type { SeededRandom } from '#adapters/memory/seeded-random.ts';

const WINDOW = 64;

interface Waiting {
  readonly groupId: string | undefined;
  readonly receiveCount: number;
  readonly state: string;
}
interface Group<Message> {
  readonly messages: Message[];
  head: number;
  inFlight: number;
}

/**
 * The messages a receive may return, and in which order: roughly the oldest first, shuffled; messages received three
 * times or more go to the back; groups with fewer messages in flight go first, mostly (SQS fair queues).
 */
export class VisibleMessages<Message extends Waiting> {
  readonly #random: SeededRandom;
  readonly #groups = new Map<string, Group<Message>>();
  #size = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get size(): number {
    return this.#size;
  }

  add(message: Message): void {
    const { messages, head } = this.#group(message);
    messages.push(message);
    this.#size += 1;
    if (message.receiveCount === 0 || message.receiveCount >= 3) return;
    const at = head + this.#random.int(Math.min(WINDOW, messages.length - head));
    messages[messages.length - 1] = messages[at] as Message;
    messages[at] = message;
  }

  /** A message that was visible has gone. (Its place is skipped later.) */
  remove(): void {
    this.#size -= 1;
  }

  take(): Message | undefined {
    for (;;) {
      const group = this.#chooseGroup();
      if (group === undefined) return undefined;
      const message = this.#takeFrom(group);
      if (message === undefined || message.state !== 'visible') continue;
      this.#size -= 1;
      return message;
    }
  }

  /** Counts the messages of a group that are in flight: +1 when one is hidden, -1 when it no longer is. */
  countInFlight(message: Message, change: 1 | -1): void {
    this.#group(message).inFlight += change;
  }

  #group(message: Message): Group<Message> {
    const id = message.groupId ?? '';
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = { messages: [], head: 0, inFlight: 0 };
      this.#groups.set(id, group);
    }
    return group;
  }

  #chooseGroup(): Group<Message> | undefined {
    const waiting: Group<Message>[] = [];
    for (const group of this.#groups.values()) if (group.head < group.messages.length) waiting.push(group);
    if (waiting.length < 2) return waiting[0];
    if (this.#random.chance(0.25)) return this.#random.pick(waiting);
    const least = Math.min(...waiting.map(group => group.inFlight));
    return this.#random.pick(waiting.filter(group => group.inFlight === least));
  }

  #takeFrom(group: Group<Message>): Message | undefined {
    const { messages } = group;
    const waiting = messages.length - group.head;
    const span = this.#random.chance(0.02) ? waiting : Math.min(WINDOW, waiting);
    const at = group.head + this.#random.int(span);
    const message = messages[at];
    messages[at] = messages[group.head] as Message;
    group.head += 1;
    if (group.head > 4_096 && group.head * 2 > messages.length) {
      messages.splice(0, group.head);
      group.head = 0;
    } else if (group.head === messages.length) {
      messages.length = 0;
      group.head = 0;
    }
    return message;
  }
}
