/**
 * A circuit breaker per handler, in the memory of one execution environment, advisory only: while a handler's dependency
 * is down, events are parked instead of spending their attempts. One probe a second; then a drain in growing steps.
 */
import type { EpochMs } from '#core/glossary.ts';

const WINDOW_MS = 30_000;
const MIN_ATTEMPTS = 20;
/** Older ones say no more than these. */
const MOST_ATTEMPTS = 500;
const PROBE_EVERY_MS = 1_000;
/** What is parked comes back after a tenth of the time that the breaker has been open, within these bounds. */
const PARK_MS = 15_000;
export const LONGEST_PARK_MS = 300_000;
const PARK_SHARE = 0.1;
/** Attempts let through per second after a good probe. */
const DRAIN_STEPS = [1, 2, 5, 10, 20, 50];

interface Circuit {
  /** Of the window, oldest first. */
  attempts: { at: EpochMs; ok: boolean }[];
  /** How many of them failed. */
  failed: number;
  state: 'closed' | 'open' | 'draining';
  lastProbeAt: EpochMs;
  /** Since when no attempt has succeeded. */
  openedAt: EpochMs;
  lastOkAt: EpochMs;
  step: number;
  stepAt: EpochMs;
  taken: number;
}

/** What the record of an event says: another environment's breaker held it back, last at, first at. */
export interface HeldElsewhere {
  readonly lastAt: EpochMs;
  readonly firstAt: EpochMs;
}

export type Permission = { readonly kind: 'run' } | { readonly kind: 'park'; readonly untilMs: EpochMs };

export class Breaker {
  readonly #circuits = new Map<string, Circuit>();

  /** May this handler run now? Otherwise the event is parked until `untilMs`. */
  ask(handler: string, now: EpochMs): Permission {
    const circuit = this.#circuits.get(handler);
    if (!circuit || circuit.state === 'closed') return { kind: 'run' };
    if (circuit.state === 'open') {
      if (now - circuit.lastProbeAt < PROBE_EVERY_MS)
        return { kind: 'park', untilMs: parkedUntil(circuit.openedAt, now) };
      circuit.lastProbeAt = now;
      return { kind: 'run' };
    }
    if (now - circuit.stepAt >= 1_000) {
      circuit.step += 1;
      circuit.stepAt = now;
      circuit.taken = 0;
      if (circuit.step >= DRAIN_STEPS.length) {
        Object.assign(circuit, { state: 'closed', attempts: [], failed: 0 });
        return { kind: 'run' };
      }
    }
    if (circuit.taken >= (DRAIN_STEPS[circuit.step] ?? 1)) return { kind: 'park', untilMs: now + 2_000 };
    circuit.taken += 1;
    return { kind: 'run' };
  }

  /** Tells the breaker how an attempt ended. Only failures that a retry could help count. */
  record(handler: string, ok: boolean, now: EpochMs): void {
    const circuit = this.#circuits.get(handler) ?? {
      attempts: [],
      failed: 0,
      state: 'closed',
      lastProbeAt: 0,
      openedAt: 0,
      lastOkAt: 0,
      step: 0,
      stepAt: 0,
      taken: 0,
    };
    this.#circuits.set(handler, circuit);
    if (ok) circuit.lastOkAt = now;
    if (circuit.state === 'open') {
      if (ok) Object.assign(circuit, { state: 'draining', step: 0, stepAt: now, taken: 0 });
      return;
    }
    if (circuit.state === 'draining' && !ok) {
      Object.assign(circuit, { state: 'open', lastProbeAt: now, openedAt: now });
      return;
    }
    forgetOld(circuit, now);
    circuit.attempts.push({ at: now, ok });
    if (!ok) circuit.failed += 1;
    if (circuit.attempts.length >= MIN_ATTEMPTS && circuit.failed * 2 > circuit.attempts.length) {
      Object.assign(circuit, { state: 'open', lastProbeAt: now, openedAt: now, attempts: [], failed: 0 });
    }
  }

  /**
   * When an event whose attempt has just failed should come back; undefined: the failure counts. That is so where no breaker
   * is open, neither here nor where the event was held back; a success seen here since then says that the handler works.
   */
  backAt(handler: string, now: EpochMs, held?: HeldElsewhere): EpochMs | undefined {
    const circuit = this.#circuits.get(handler);
    if (circuit?.state === 'open') return parkedUntil(circuit.openedAt, now);
    if (held === undefined || (circuit?.lastOkAt ?? 0) >= held.lastAt) return undefined;
    return parkedUntil(held.firstAt, now);
  }
}

/** Each attempt passes here: what is counted is never counted again. */
function forgetOld(circuit: Circuit, now: EpochMs): void {
  for (let [oldest] = circuit.attempts; oldest !== undefined; [oldest] = circuit.attempts) {
    if (circuit.attempts.length <= MOST_ATTEMPTS && now - oldest.at < WINDOW_MS) return;
    circuit.attempts.shift();
    if (!oldest.ok) circuit.failed -= 1;
  }
}

function parkedUntil(openedAt: EpochMs, now: EpochMs): EpochMs {
  return now + Math.min(LONGEST_PARK_MS, Math.max(PARK_MS, (now - openedAt) * PARK_SHARE));
}
