import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Dependency } from '#core/errors.ts';
import type { EpochMs } from '#core/glossary.ts';

/**
 * What can go wrong in one call. `crash_before`, `crash_after`: the process dies before the service sees the call, or
 * after it applied it. `lost_reply_error`: applied, the answer lost, an error for the caller. `lost_reply_retried`:
 * applied, the answer lost, and the client's own retry runs the same call again. `unanswered`: applied, and no answer until
 * the limit of the work aborts it, or the client gives up. `error`: failed, not applied.
 * `throttled`: refused for load. `hang`: as `unanswered`, but not applied. `applied_late`: the same, but the
 * service applies it after the client has given up. `stall`: the process freezes before the call, longer than
 * every lease, and then goes on with it.
 */
export const FAULTS = [
  'crash_before',
  'crash_after',
  'lost_reply_error',
  'lost_reply_retried',
  'unanswered',
  'error',
  'throttled',
  'hang',
  'applied_late',
  'stall',
] as const;
export type Fault = (typeof FAULTS)[number];

const READS =
  /^(?:(?:store|payloads)\.(?:get|getMany|getBody|query|scan|noted|timeline|occupied|watchDue|listRefused)|control\.read|blobs\.(?:get|list)|secrets\.fetch|gauge\.\w+)$/;
/** Whether the service saw a read makes no difference, and a second try reads the same: these five stand for the others. */
export const SAME_AT_A_READ = {
  crash_after: 'crash_before',
  lost_reply_error: 'error',
  unanswered: 'hang',
  applied_late: 'hang',
  lost_reply_retried: undefined,
} as const satisfies Partial<Record<Fault, Fault | undefined>>;
const OF_A_READ = FAULTS.filter(fault => !(fault in SAME_AT_A_READ));

export function isRead(name: string): boolean {
  return READS.test(name);
}

/** The faults of a call that differ from each other. */
export function faultsOf(name: string): readonly Fault[] {
  return isRead(name) ? OF_A_READ : FAULTS;
}

interface FaultCall {
  /** Number of the call in its process, from 1. */
  readonly n: number;
  /** `<port>.<method>`. */
  readonly name: string;
  readonly dependency: Dependency;
  readonly at: EpochMs;
}

/** Chooses the fault of a call. The same calls must give the same faults. */
export type FaultPlan = (call: FaultCall) => Fault | undefined;

/** A fault at each of the given calls (numbered from 1), over all processes that share the plan. */
export function faultsAtCalls(faults: ReadonlyMap<number, Fault>): FaultPlan {
  let n = 0;
  return () => faults.get(++n);
}

/** No faults, but the name of every call in order, over all processes that share the plan. */
export function recordCalls(names: string[]): FaultPlan {
  return call => {
    names.push(call.name);
    return undefined;
  };
}

/** A time during which a dependency fails every call, or a share of them. */
export interface Outage {
  readonly dependency: Dependency;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly fault: Fault;
  /** Share of calls that fail. Default 1. */
  readonly share?: number;
}

/** Faults by time window. */
export function outages(windows: readonly Outage[], random: SeededRandom): FaultPlan {
  return call => {
    const window = windows.find(
      ({ dependency, from, to }) => dependency === call.dependency && call.at >= from && call.at < to,
    );
    return window && random.chance(window.share ?? 1) ? window.fault : undefined;
  };
}
