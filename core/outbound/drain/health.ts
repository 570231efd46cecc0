/**
 * What a session knows of its endpoint while it has the lease: breaker, pace, rate and counts together. It begins as the
 * runtime item, changes with each answer, and is written back when the lease is released.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { Verdict } from '#core/outbound/ports.ts';
import { SESSION_ATTRIBUTES, type SessionState } from '#core/outbound/protocol/delivery-writes.ts';
import { addToHours } from '#core/outbound/protocol/hours.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { afterAnswer, type Breaker, type BreakerRules, breakerSlots } from './breaker.ts';
import { laneOf, type Pace, paceAfter, paceOnOpening } from './pace.ts';

export type Health = SessionState & Breaker & Pace;

/** As the runtime item has it; of a hold that is over, only its end. */
export function healthOf(runtime: RuntimeItem): Health {
  const own = Object.fromEntries(SESSION_ATTRIBUTES.map(name => [name, runtime[name]])) as unknown as Health;
  const heldTo = runtime.holdUntil ?? runtime.heldTo;
  return { ...own, holdUntil: undefined, holdWhy: undefined, holdSince: undefined, heldTo };
}

export interface Learnt {
  readonly verdict: Verdict;
  readonly ms: number;
  readonly code?: number | undefined;
  readonly maxConcurrency: number;
  /** The message that was asked about. */
  readonly about: string;
}
/** After an answer. */
export function learn(health: Health, learnt: Learnt, rules: Omit<BreakerRules, 'cap' | 'about'>): Health {
  const { verdict, ms, code, maxConcurrency, about } = learnt;
  const { now } = rules;
  if (verdict.fault === 'ours') return health;
  const cap = Math.min(health.steadyCap ?? health.cap, maxConcurrency);
  const judged: Health = { ...health, ...afterAnswer(health, verdict, { ...rules, cap, about }) };
  const paced = paceAfter(judged, verdict, ms, maxConcurrency);
  const opened = judged.holdWhy === 'breaker' && health.holdUntil === undefined;
  const good = verdict.fault === 'none';
  return {
    ...(opened ? paceOnOpening(paced) : paced),
    hours: addToHours(health.hours, now, { ok: good ? 1 : 0, fail: good ? 0 : 1 }),
    ...(good
      ? { lastSuccessAt: now, oks: (health.oks ?? 0) + 1 }
      : { lastFailureAt: now, lastFailureClass: verdict.class, lastFailureCode: code }),
    lastClass: verdict.class,
    lastCode: code,
  };
}

/** Requests at once now; none while a hold is set. */
export function slotsOf(health: Health, maxConcurrency: number): number {
  return health.holdUntil === undefined ? breakerSlots(health, Math.min(health.cap, maxConcurrency)) : 0;
}

/** A hold that is no answer's doing: the rate limit. */
export function heldUntil(health: Health, until: EpochMs, now: EpochMs): Health {
  return health.holdUntil === undefined ? { ...health, holdUntil: until, holdWhy: 'rate', holdSince: now } : health;
}

/** As it is written when the lease is released. */
export function atRelease(health: Health, fullPages: number): SessionState {
  return { ...health, lane: laneOf(health, health.opens, fullPages) };
}
