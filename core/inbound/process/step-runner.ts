/**
 * Steps of a handler: each result is stored once under the event's run, and the first stored one counts for every later
 * attempt and for every other owner. The stored text is what is answered, also the first time, so that a retry sees the
 * same value.
 */

import { given } from '#core/given.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import type { StepStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { expiryAfter } from '#core/inbound/protocol/event-writes.ts';
import type { Clock } from '#core/ports.ts';

/** Bytes of one result as JSON. */
export const MAX_STEP_BYTES = 32_768;
/** Steps of one attempt. */
export const MAX_STEPS = 50;
const NAME = /^[A-Za-z0-9._:/-]{1,100}$/;

export interface StepPlace {
  readonly item: Pick<EventItem, 'pk' | 'run'>;
  /** Aborted when the attempt is over: no step begins after that. */
  readonly signal: AbortSignal;
  /** How long results are kept. */
  readonly days: number;
}

export interface StepPorts {
  readonly payloads: StepStore;
  readonly clock: Clock;
}

/**
 * The steps of one attempt. Each answers the stored result, or runs the work and stores it. Throws PermanentError for a
 * misuse, naming the step.
 */
export function stepRunner({ item, signal, days }: StepPlace, { payloads, clock }: StepPorts) {
  const names = new Set<string>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    admit(name, names);
    const sk = `S#${item.run}#${name}`;
    const known = await payloads.getStep(item.pk, sk);
    if (known) return fromText<T>(known.result);
    if (signal.aborted) throw new Error(`the time of the attempt was over before step "${name}" began`);
    const result = toText(name, await work());
    const now = clock.now();
    const kept = await payloads.keepStep({
      pk: item.pk,
      sk,
      ...given({ result }),
      finishedAt: now,
      expiresAt: expiryAfter(now, days),
    });
    return fromText<T>(kept.result);
  };
}

function admit(name: string, names: Set<string>): void {
  if (!NAME.test(name)) {
    throw new PermanentError(
      `step "${name.slice(0, 40)}": give a name of 1 to 100 letters, digits and . _ : / -, the same in every attempt`,
    );
  }
  if (names.has(name)) {
    throw new PermanentError(`step "${name}" was begun twice in one attempt; give each step its own name`);
  }
  if (names.size >= MAX_STEPS) {
    throw new PermanentError(
      `step "${name}" is one too many: an attempt may have ${MAX_STEPS}; put several calls into one step`,
    );
  }
  names.add(name);
}

function toText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  if (text === undefined)
    throw new PermanentError(`step "${name}" returned something that JSON cannot write: return plain data, e.g. an id`);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_STEP_BYTES) {
    throw new PermanentError(
      `step "${name}" returned ${bytes} bytes; at most ${MAX_STEP_BYTES} are stored: return an id, and read the rest again`,
    );
  }
  return text;
}

function fromText<T>(text: string | undefined): T {
  return (text === undefined ? undefined : JSON.parse(text)) as T;
}
