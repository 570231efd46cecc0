/**
 * A route as a handler: the event is completed when each target has accepted it. What a target accepted is a finished
 * step, so that a retry asks only the others. An attempt that dies between the acceptance and its note asks that target
 * again, with the same key.
 */

import {
  busy,
  defer,
  done,
  type Handler,
  type HandlerContext,
  type Outcome,
  PermanentError,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import type { BlobStore, Clock, Codec, Crypto } from '#core/ports.ts';
import type { Breaker } from '#core/retry/breaker.ts';
import { toHex } from '#core/scan/bytes.ts';
import { type EnvelopeFacts, referenceEnvelope, TEXT_LIMITS, wholeEnvelope } from './envelope.ts';
import { applicationOf, nameOfTarget, type Route, type RouteTarget } from './target.ts';
import type { Delivered, Targets } from './targets.ts';

export interface RoutePorts {
  readonly targets: Targets;
  readonly blobs: Pick<BlobStore, 'put'>;
  /** Where others find a blob: the text before its key, e.g. `s3://bucket/`. */
  readonly blobAddress: string;
  readonly breaker: Breaker;
  readonly crypto: Pick<Crypto, 'hash'>;
  readonly codec: Pick<Codec, 'toBase64'>;
  readonly clock: Clock;
}

/** The longest time that one target gets. No target gets the whole attempt. */
const TARGET_LIMIT_MS = 10_000;
const MAX_GROUP = 128;

/** What became of one target in this attempt. `waiting`: not asked, because it kept failing. */
type TargetEnd =
  | Exclude<Delivered, { kind: 'too_large' }>
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly reason: string };

/** At least one target could not be reached or did not answer: tried again. */
class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly label = 'target_failed';
}

/** Thrown out of a step, so that nothing is stored for a target that has not accepted. */
class NotAccepted extends Error {
  readonly end: TargetEnd;

  constructor(end: TargetEnd) {
    super(end.kind);
    this.end = end;
  }
}

/** The handler behind a route. */
export function routeEvent(route: Route, ports: RoutePorts): Handler {
  return async (event, context) => {
    const attempt = new RouteAttempt(event, context, ports);
    const ends = await Promise.all(route.targets.map(async target => ({ target, end: await attempt.deliver(target) })));
    return conclude(ends, context);
  };
}

class RouteAttempt {
  readonly #event: WebhookEvent;
  readonly #context: HandlerContext;
  readonly #ports: RoutePorts;
  readonly #facts: EnvelopeFacts;
  readonly #keyHash: string;
  #whole: { readonly text: string; readonly bytes: number } | undefined;
  #stored: Promise<string> | undefined;

  constructor(event: WebhookEvent, context: HandlerContext, ports: RoutePorts) {
    const { generation, idempotencyKey } = context;
    this.#event = event;
    this.#context = context;
    this.#ports = ports;
    const traceparent = context.trace && { traceparent: context.trace.event };
    this.#facts = { event, generation, idempotencyKey, bodySha: this.#sha256(event.bytes), ...traceparent };
    this.#keyHash = this.#sha256(new TextEncoder().encode(idempotencyKey));
  }

  /** Asks the target unless it has accepted this run of the event before. */
  async deliver(target: RouteTarget): Promise<TargetEnd> {
    // By address, so that a changed list of targets changes nothing for those that stay.
    const step = `to:${this.#sha256(new TextEncoder().encode(target.address)).slice(0, 32)}`;
    try {
      return await this.#context.step(step, async () => {
        const end = await this.#ask(target);
        if (end.kind !== 'accepted') throw new NotAccepted(end);
        return end;
      });
    } catch (error) {
      if (error instanceof NotAccepted) return error.end;
      if (error instanceof PermanentError) throw error;
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async #ask(target: RouteTarget): Promise<TargetEnd> {
    const { breaker, clock } = this.#ports;
    const permission = breaker.ask(target.address, clock.now());
    if (permission.kind === 'park') {
      return { kind: 'waiting', untilMs: permission.untilMs, reason: 'it kept failing, and is asked again later' };
    }
    const end = await this.#inTime(target);
    breaker.record(target.address, end.kind === 'accepted' || end.kind === 'refused', clock.now());
    return end;
  }

  async #inTime(target: RouteTarget): Promise<TargetEnd> {
    const limitMs = Math.min(TARGET_LIMIT_MS, this.#context.timeLimitMs / 2);
    try {
      const run = await this.#context.limit(limitMs, signal => this.#handOver(target, signal));
      const end = run.kind === 'finished' ? run.value : undefined;
      if (end === undefined) return { kind: 'failed', reason: `no answer within ${limitMs} ms` };
      return end.kind === 'too_large' ? { kind: 'refused', cause: 'invalid', reason: end.reason } : end;
    } catch (error) {
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  #handOver(target: RouteTarget, signal: AbortSignal): Promise<Delivered> {
    const { kind, address } = target;
    if (kind === 'outbound') return this.#publish(address);
    return kind === 'http' ? this.#post(address, signal) : this.#send(target, kind, signal);
  }

  /** The body alone, once: every attempt of this run has the same key. */
  #publish(address: string): Promise<Delivered> {
    const { type, bytes, headers } = this.#event;
    const contentType = headers['content-type'] ?? 'application/json';
    const message = { application: applicationOf(address), key: this.#keyHash, type, contentType, bytes };
    return this.#ports.targets.publish(message);
  }

  #post(url: string, signal: AbortSignal): Promise<Delivered> {
    const event = this.#event;
    const context = this.#context;
    const headers = {
      'content-type': event.headers['content-type'] ?? 'application/octet-stream',
      'holdfast-event-id': event.id,
      'holdfast-event-type': printable(event.type),
      'holdfast-source': event.source,
      'holdfast-attempt': String(context.attempt),
      'idempotency-key': printable(context.idempotencyKey),
      ...(context.trace && { traceparent: context.trace.attempt }),
    };
    return this.#ports.targets.post(url, { headers, bytes: event.bytes }, signal);
  }

  /** With its body where that fits, else (by our reckoning or by the target's own word) with a reference to it. */
  async #send(target: RouteTarget, kind: keyof typeof TEXT_LIMITS, signal: AbortSignal): Promise<Delivered> {
    const { source, type, subject, id } = this.#event;
    const group = (subject ?? id).replace(/[^\x21-\x7e]/g, '_').slice(0, MAX_GROUP);
    const message = { source, eventType: type, keyHash: this.#keyHash, group };
    const whole = this.#wholeText();
    if (whole.bytes <= TEXT_LIMITS[kind]) {
      const delivered = await this.#ports.targets.send(target, { ...message, text: whole.text }, signal);
      if (delivered.kind !== 'too_large') return delivered;
    }
    const text = referenceEnvelope(this.#facts, await this.#storeBody());
    return this.#ports.targets.send(target, { ...message, text }, signal);
  }

  #wholeText(): { readonly text: string; readonly bytes: number } {
    if (this.#whole === undefined) {
      const text = wholeEnvelope(this.#facts, bytes => this.#ports.codec.toBase64(bytes));
      this.#whole = { text, bytes: new TextEncoder().encode(text).length };
    }
    return this.#whole;
  }

  /** Puts the exact bytes where a target can fetch them. Under their hash: the same body is the same object. */
  #storeBody(): Promise<string> {
    const key = `routed/${this.#event.source}/${this.#facts.bodySha}`;
    this.#stored ??= this.#ports.blobs.put(key, this.#event.bytes).then(() => `${this.#ports.blobAddress}${key}`);
    return this.#stored;
  }

  #sha256(bytes: Uint8Array): string {
    return toHex(this.#ports.crypto.hash('sha256', bytes));
  }
}

interface TargetResult {
  readonly target: RouteTarget;
  readonly end: TargetEnd;
}

/** Completed when all have accepted. While one may still accept, it is tried again; then a refusal is final. */
function conclude(results: readonly TargetResult[], context: HandlerContext): Outcome {
  const open = results.filter(it => it.end.kind !== 'accepted');
  if (open.length === 0) {
    const targets = results.map(({ target, end }) => ({
      target: nameOfTarget(target),
      ...(end.kind === 'accepted' && end.receipt !== undefined ? { receipt: end.receipt } : {}),
    }));
    return done({ actionTaken: `routed to ${count(results.length, 'target')}`, data: { targets } });
  }
  const reason = describe(open, results.length);
  context.log.warn('not every target has accepted', { targets: open.map(describeOne) });
  const ends = open.map(it => it.end);
  const refusal = ends.find(end => end.kind === 'refused');
  const retriable = ends.filter(end => end.kind !== 'refused');
  if (refusal && retriable.length === 0) throw new PermanentError(reason, { label: `target_${refusal.cause}` });
  const waits = retriable.flatMap(end => (end.kind === 'waiting' ? [end.untilMs] : []));
  if (waits.length === retriable.length) return defer(Math.min(...waits), reason);
  const asked = retriable.flatMap(end =>
    end.kind === 'busy' && end.afterSeconds !== undefined ? [end.afterSeconds] : [],
  );
  if (asked.length > 0) return busy(Math.max(...asked), reason);
  throw new DeliveryError(reason);
}

function describe(open: readonly TargetResult[], all: number): string {
  return `${open.map(describeOne).join('; ')} (${all - open.length} of ${count(all, 'target')} accepted)`;
}

function describeOne({ target, end }: TargetResult): string {
  const detail = end.kind === 'accepted' ? '' : `: ${end.reason}`;
  const cause = end.kind === 'refused' ? ` (${end.cause})` : '';
  return `${nameOfTarget(target)} ${end.kind}${cause}${detail}`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** A header takes printable ASCII. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
