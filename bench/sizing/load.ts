/** What is sent in a run, and what Little's law says of it before it runs: at once = a second × seconds of each. */
import { resolveOutbound } from '#core/config/outbound-config.ts';
import { CALL_MS, MEAN_ANSWER_MS } from '../isolation/virtual.ts';

export interface Load {
  readonly name: string;
  /** Deliveries of all endpoints together. */
  readonly perSecond: number;
  /** Endpoints that each message goes to; they are all of its application. */
  readonly fanOut: number;
  readonly endpoints: number;
  /** What every tenth endpoint does from the first measured second on. */
  readonly unhealthy?: 'hang' | 'fail';
  /** One message more, to so many endpoints of an application of its own, in the middle of the run. */
  readonly wide?: number;
  /** `outbound.slots`, where it is not the default. */
  readonly slots?: number;
  /** Measured. */
  readonly seconds: number;
}

const UNHEALTHY_SHARE = 0.1;
export const isUnhealthy = (endpoint: number): boolean => endpoint % Math.round(1 / UNHEALTHY_SHARE) === 3;

/** The settings of a load: the defaults, but for its slots. */
export const settingsOf = ({ slots }: Pick<Load, 'slots'>) =>
  resolveOutbound(slots === undefined ? {} : { slots }, { emulated: false, retentionDays: 30 });

/** One after the other while an endpoint's lease is held, beside the request: configuration, message, record, outcome, row, look, release. */
const CALLS_WITH_LEASE = 6;
/** Before the lease and after it: runtime item, rows, lease; look again. */
const CALLS_BESIDE = 4;
const CALL = CALL_MS.there + CALL_MS.back;

export interface Predicted {
  /** Milliseconds of a delivery: from its lease to the end of it. */
  readonly sessionMs: number;
  /** Sessions at once, and what those of unhealthy endpoints add at the worst moment. */
  readonly sessions: number;
  readonly hanging: number;
  /** Runs of drain at once where each has one wake-up only: more are never needed. */
  readonly runs: number;
}

/** By Little's law, from the rate and the time of a delivery alone. */
export function predict({ perSecond, endpoints, unhealthy, wide = 0, seconds }: Load): Predicted {
  const sessionMs = MEAN_ANSWER_MS + CALLS_WITH_LEASE * CALL;
  const hangs = unhealthy === 'hang';
  const rate = (hangs ? perSecond * (1 - UNHEALTHY_SHARE) : perSecond) + wide / seconds;
  const beginIn = perSecond * UNHEALTHY_SHARE * settingsOf({}).timeoutSeconds;
  const hanging = hangs ? Math.min(endpoints * UNHEALTHY_SHARE, beginIn) : 0;
  return {
    sessionMs,
    hanging,
    sessions: (rate * sessionMs) / 1_000,
    runs: (rate * (sessionMs + CALLS_BESIDE * CALL)) / 1_000 + hanging,
  };
}
