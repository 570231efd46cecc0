import type { EpochMs } from '#core/glossary.ts';
import type { RouteTarget } from '#core/inbound/routing/target.ts';
import { type Delivered, deliveredBy, type TargetMessage, type Targets } from '#core/inbound/routing/targets.ts';
import type { Clock } from '#core/ports.ts';
import type { CustomerMessage, Publisher } from '#core/publisher.ts';
import { DAY_MS } from '#core/time.ts';

/** One delivery a target took as new. */
export interface TakenDelivery {
  readonly address: string;
  /** The text an AWS target got; of a URL, its bytes as UTF-8. */
  readonly text: string;
  /** `keyHash`, or the `idempotency-key` header of a URL. */
  readonly key: string;
  readonly at: EpochMs;
  /** Headers that a URL got. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MemoryTargetsOptions {
  readonly clock: Clock;
  /** What a target answers instead of accepting; `call` counts from 1 per target. Default: all accept. */
  readonly answer?: (address: string, call: number) => Delivered | undefined;
  /** Largest text in bytes, by address. Default: none. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Default: there is no application. */
  readonly publisher?: Publisher;
}

/** How long a target knows a key: FIFO queues and topics five minutes, executions 90 days. The others know none. */
function keyMemoryMs({ kind, address }: RouteTarget): number {
  if (kind === 'state_machine') return 90 * DAY_MS;
  return address.endsWith('.fifo') ? 300_000 : 0;
}

/** `Targets` in memory. */
export class MemoryTargets implements Targets {
  /** In order, without what a target knew by its key. */
  readonly taken: TakenDelivery[] = [];
  readonly calls = new Map<string, number>();
  readonly #options: MemoryTargetsOptions;

  constructor(options: MemoryTargetsOptions) {
    this.#options = options;
  }

  async send(target: RouteTarget, message: TargetMessage): Promise<Delivered> {
    const { address } = target;
    const answer = this.#answerOf(address);
    if (answer) return answer;
    const limit = this.#options.limits?.[address] ?? Number.POSITIVE_INFINITY;
    if (new TextEncoder().encode(message.text).length > limit) {
      return { kind: 'too_large', reason: `more than ${limit} bytes` };
    }
    const now = this.#options.clock.now();
    const known = this.taken.some(
      it => it.address === address && it.key === message.keyHash && now - it.at < keyMemoryMs(target),
    );
    if (!known) this.taken.push({ address, text: message.text, key: message.keyHash, at: now });
    return { kind: 'accepted', receipt: `${message.keyHash.slice(0, 8)}-${this.taken.length}` };
  }

  async post(url: string, request: Parameters<Targets['post']>[1]): Promise<Delivered> {
    const answer = this.#answerOf(url);
    if (answer) return answer;
    const text = new TextDecoder().decode(request.bytes);
    const key = request.headers['idempotency-key'] ?? '';
    this.taken.push({ address: url, text, key, at: this.#options.clock.now(), headers: request.headers });
    return { kind: 'accepted', receipt: '200' };
  }

  async publish(message: CustomerMessage): Promise<Delivered> {
    const answer = this.#answerOf(`outbound:${message.application}`);
    if (answer) return answer;
    const { publisher } = this.#options;
    if (publisher) return deliveredBy(await publisher.publish(message));
    return { kind: 'refused', cause: 'not_found', reason: 'nothing is sent to customers here' };
  }

  #answerOf(address: string): Delivered | undefined {
    const call = (this.calls.get(address) ?? 0) + 1;
    this.calls.set(address, call);
    return this.#options.answer?.(address, call);
  }
}
