/** What the handlers are told to do with an event: a plan that travels in its body, and how it must end. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Expectation } from './ledger-account.ts';

export interface HandlerPlan {
  readonly kind: EventKind;
  /** Attempts that go wrong before the first good one, where the kind has such. */
  readonly times: number;
  readonly ms: number;
}

interface KindRule {
  /** Share among all events, and among those of a run whose handlers never fail. */
  readonly weight: number;
  readonly healthy?: boolean;
  readonly finals: readonly string[];
  readonly effect?: boolean;
}

const COMPLETES = { finals: ['completed'], effect: true } as const;
/** Dies; when a person replays it, the handler has been fixed meanwhile. */
const FIXED = { finals: ['dead_letter', 'completed'], effect: true } as const;

const KINDS = {
  /** A transactional effect. */
  commits: { ...COMPLETES, weight: 500, healthy: true },
  /** Calls the outside with its key, then commits. */
  calls: { ...COMPLETES, weight: 200, healthy: true },
  /** Nothing to commit. */
  plain: { finals: ['completed'], weight: 60, healthy: true },
  /** A result too large for the record. */
  verbose: { ...COMPLETES, weight: 20, healthy: true },
  slow: { ...COMPLETES, weight: 40, healthy: true },
  /** Longer than the time an attempt has, this number of times; goes on after it was given up. */
  overtime: { ...COMPLETES, weight: 10 },
  fails: { ...COMPLETES, weight: 60 },
  /** Throws what is not an Error, after changing its input. */
  spoils: { ...COMPLETES, weight: 10 },
  /** Its own dependency fails. */
  depends: { ...COMPLETES, weight: 10 },
  /** Asks for a time of its own. */
  later: { ...COMPLETES, weight: 10 },
  defers: { ...COMPLETES, weight: 15 },
  /** Waits for an event that never comes. */
  waits: { ...FIXED, weight: 1 },
  /** Kills its process, this number of times. */
  kills: { ...COMPLETES, weight: 3 },
  /** Kills its process every time. */
  poison: { ...FIXED, weight: 1 },
  permanent: { ...FIXED, weight: 3 },
  /** The condition of its own write never holds. */
  refused: { ...FIXED, weight: 1 },
  declares: { finals: ['rejected'], weight: 2 },
  rejects: { finals: ['rejected'], weight: 20, healthy: true },
  outdated: { finals: ['skipped_stale'], weight: 10, healthy: true },
  speechless: { ...FIXED, weight: 1 },
  /** No handler is registered. */
  unheard: { finals: ['ignored', 'dead_letter'], weight: 13, healthy: true },
} as const satisfies Record<string, KindRule>;

export type EventKind = keyof typeof KINDS;

const NAMES = Object.keys(KINDS) as EventKind[];
const rule = (kind: EventKind): KindRule => KINDS[kind];

export function pickPlan(random: SeededRandom, healthyOnly: boolean): HandlerPlan {
  const names = healthyOnly ? NAMES.filter(name => rule(name).healthy) : NAMES;
  let left = random.int(names.reduce((sum, name) => sum + rule(name).weight, 0));
  const kind = names.find(name => {
    left -= rule(name).weight;
    return left < 0;
  });
  return { kind: kind ?? 'commits', times: 1 + random.int(3), ms: 1_000 + random.int(14_000) };
}

export function expectationOf(kind: EventKind, budget: number): Expectation {
  const { finals, effect = false } = rule(kind);
  return { finals, effect, budget };
}

/**
 * Event types have the kind as their second part; `noise` has no handler. Another body under a known id is of another
 * type, with a handler of its own.
 */
export function typeOf(kind: EventKind, variant = 0): string {
  if (kind === 'unheard') return 'noise.heard';
  return `${familyOf(variant)}.${kind}`;
}

export type Family = 'order' | 'again';
export const familyOf = (variant: number): Family => (variant > 0 ? 'again' : 'order');
