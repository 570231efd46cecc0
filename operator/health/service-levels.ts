/**
 * What can be promised, and how much of it was kept in the last 30 days. The numbers are those that alarms judge, so nothing
 * is measured twice. docs/operate/service-levels.md says why these.
 */
import { nameIn } from '#core/names.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';

type Parts = Readonly<Record<string, readonly number[]>>;
interface Kept {
  readonly bad: number;
  readonly all: number;
}
export interface Objective {
  readonly name: string;
  readonly means: string;
  /** Share that must be good; 1: no bad one is allowed. */
  readonly objective: number;
  /** Whose numbers they are: the longer the period, the fewer of them. */
  readonly alarms: readonly string[];
  readonly periodMs: number;
  /** Of the alarms' numbers, in their order. */
  readonly kept: (...parts: readonly Parts[]) => Kept;
}

const sum = (numbers: readonly number[] = []): number => numbers.reduce((all, one) => all + one, 0);
const only = (parts: Parts | undefined): readonly number[] => Object.values(parts ?? {})[0] ?? [];
/** CloudWatch keeps minutes for 15 days, and five of them for 63. */
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
const underLimit = (limit: number) => ({
  periodMs: FIVE_MINUTES_MS,
  kept: (parts?: Parts): Kept => ({ bad: only(parts).filter(it => it > limit).length, all: only(parts).length }),
});

export const OBJECTIVES: readonly Objective[] = [
  {
    name: 'acceptance',
    means: 'answers that are not 5xx and not 429',
    objective: 0.999,
    alarms: ['ingest-budget-burn'],
    periodMs: DAY_MS,
    kept: ({ errors, throttled, requests } = {}) => ({ bad: sum(errors) + sum(throttled), all: sum(requests) }),
  },
  {
    name: 'speed of the answer',
    means: 'five minutes with p99 under 1,500 ms',
    objective: 0.99,
    alarms: ['ingest-slow'],
    ...underLimit(1_500),
  },
  {
    name: 'freshness',
    means: 'five minutes in which the oldest event that is due waits under 600 s',
    objective: 0.999,
    alarms: ['sweep-oldest-unfinished'],
    ...underLimit(600),
  },
  {
    name: 'speed of processing',
    means: 'five minutes with p99 from accepted to done under 500 ms, first attempts',
    objective: 0.99,
    alarms: ['process-slow'],
    ...underLimit(500),
  },
  {
    name: 'outcome',
    means: 'events that did not die',
    objective: 0.999,
    alarms: ['process-new-dead-letters', 'process-retry-rate'],
    periodMs: DAY_MS,
    kept: (dead, { attempts, retries } = {}) => ({ bad: sum(only(dead)), all: sum(attempts) - sum(retries) }),
  },
  {
    name: 'durability',
    means: 'records that break a rule of the protocol: none',
    objective: 1,
    alarms: ['audit-ledger-mismatch'],
    periodMs: DAY_MS,
    kept: mismatches => ({ bad: sum(only(mismatches)), all: only(mismatches).length }),
  },
];

export interface ServiceLevel extends Pick<Objective, 'name' | 'means' | 'objective'> {
  /** Undefined: no number, or none of its alarms is there. */
  readonly good: number | undefined;
  readonly bad: number;
  readonly of: number;
  /** Share of the budget that is left; below 0: more than all is spent. Undefined: no number, or no budget. */
  readonly budgetLeft: number | undefined;
}
const DAYS = 30;

/** Undefined: no metrics are kept here. */
export async function readServiceLevels(operator: Operator): Promise<readonly ServiceLevel[] | undefined> {
  const gateway = await operator.gateway();
  if (gateway.alarmParts === undefined) return undefined;
  const to = operator.clock.now();
  return Promise.all(
    OBJECTIVES.map(async ({ name, means, objective, alarms, periodMs, kept }) => {
      const over = { from: to - DAYS * DAY_MS, to, periodMs };
      const parts = await Promise.all(
        alarms.map(alarm => gateway.alarmParts?.(nameIn(operator.deployment.config, alarm), over)),
      );
      const { bad, all } = kept(...parts.map(each => each ?? {}));
      const isKnown = all > 0 && parts.every(each => each !== undefined);
      const allowed = (1 - objective) * all;
      return {
        ...{ name, means, objective, bad, of: all },
        good: isKnown ? Math.max(0, 1 - bad / all) : undefined,
        budgetLeft: isKnown && allowed > 0 ? 1 - bad / allowed : undefined,
      };
    }),
  );
}

/** Whether more was bad than may be. */
export const isMissed = ({ bad, objective, budgetLeft }: ServiceLevel): boolean =>
  objective === 1 ? bad > 0 : (budgetLeft ?? 1) < 0;
