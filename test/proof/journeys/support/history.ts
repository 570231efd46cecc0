/**
 * What happened in a world, in order: every state a record was in, every payload, every message sent and received. It
 * keeps facts; the judgement is in witness.ts.
 */
import type { DatabaseChange } from '#adapters/memory/memory-database.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { StoredMessage } from '#test/kit/memory/queue/memory-queue.ts';
import { EVENTS, type MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';

/** A queue message as far as an oracle reads it; it does not use the product's decoder. */
export interface Reading {
  readonly pk: string;
  readonly gen: number;
  readonly bodySha: string;
  readonly payload?: string;
  readonly ref?: string;
  readonly deadId?: string;
}

export interface State {
  readonly seq: number;
  /** Undefined: deleted. */
  readonly item: EventItem | undefined;
}
interface Sent {
  readonly seq: number;
  readonly body: string;
  readonly reading: Reading | undefined;
}

export function readMessage(body: string): Reading | undefined {
  try {
    const value = JSON.parse(body) as Partial<Reading>;
    return typeof value.pk === 'string' && typeof value.gen === 'number' ? (value as Reading) : undefined;
  } catch {
    return undefined;
  }
}

export class History {
  readonly states = new Map<string, State[]>();
  /** `<pk> <sk>` of every stored payload, with the key of its blob if it has one. */
  readonly payloads = new Map<string, { ref: string | undefined; bytes: Uint8Array | undefined }>();
  readonly toMain: Sent[] = [];
  readonly toDead: Sent[] = [];
  readonly #received = new Map<string, number>();
  #seq = 0;

  attach(world: MemoryWorld): void {
    world.main.onSent = body => this.toMain.push({ seq: ++this.#seq, body, reading: readMessage(body) });
    world.dead.onSent = body => this.toDead.push({ seq: ++this.#seq, body, reading: readMessage(body) });
    world.main.onReceived = message => {
      if (!this.#received.has(message.messageId)) this.#received.set(message.messageId, ++this.#seq);
    };
  }

  note(change: DatabaseChange): void {
    const key = change.after ?? change.before ?? {};
    if (change.table === EVENTS && (key['status'] !== undefined || change.before?.['status'] !== undefined)) {
      const pk = String(key['pk']);
      const states = this.states.get(pk) ?? [];
      states.push({ seq: ++this.#seq, item: change.after && ({ ...change.after } as unknown as EventItem) });
      this.states.set(pk, states);
    }
    if (change.table === PAYLOADS) {
      const place = `${key['pk']} ${key['sk']}`;
      if (change.after === undefined) this.payloads.delete(place);
      else
        this.payloads.set(place, {
          ref: change.after['ref'] as string | undefined,
          bytes: change.after['bytes'] as Uint8Array | undefined,
        });
    }
  }

  record(pk: string): EventItem | undefined {
    return this.states.get(pk)?.at(-1)?.item;
  }

  /** The record as it was when the message was first received, and every state since. */
  statesSinceReceived(pk: string, message: StoredMessage): readonly (EventItem | undefined)[] {
    const from = this.#received.get(message.id) ?? 0;
    const states = this.states.get(pk) ?? [];
    const before = states.filter(it => it.seq < from).at(-1);
    return [before?.item, ...states.filter(it => it.seq > from).map(it => it.item)];
  }

  /** Messages accepted into a queue since this one was first received. */
  sentSinceReceived(queue: 'main' | 'dead', message: StoredMessage): readonly Sent[] {
    const from = this.#received.get(message.id) ?? 0;
    return (queue === 'main' ? this.toMain : this.toDead).filter(it => it.seq > from);
  }
}
