/** What both systems get: the same endpoints, the same traffic, the same endpoints that hang, judged alike. */
import { quantile } from '../measure/statistics.ts';

export interface Scenario {
  readonly name: string;
  readonly endpoints: number;
  /** Of them, those that stop to answer. */
  readonly dead: number;
  /** Of the traffic, what goes to those. */
  readonly deadShare: number;
  /** Deliveries a second. */
  readonly perSecond: number;
  /** Seconds before, while they hang, and after. */
  readonly seconds: { readonly before: number; readonly during: number; readonly after: number };
  /** Of one request. */
  readonly deadlineMs: number;
  /** Parallel runs of what sends: ours has two functions, the plain queue one with as many as both. */
  readonly slots: { readonly fast: number; readonly slow: number };
}

type Phase = 'before' | 'during' | 'after';

/** Milliseconds from the 202 (the plain queue: from SendMessage's answer) to the first byte at a healthy endpoint. */
interface PhaseResult {
  readonly deliveries: number;
  readonly p99: number;
}
export interface SystemResult {
  readonly phases: Readonly<Record<Phase, PhaseResult>>;
  /** Deliveries of healthy endpoints that never began. */
  readonly missing: number;
  /** Requests that reached an endpoint while it hung. */
  readonly requestsToDead: number;
  /** The most runs of what sends at one moment. */
  readonly slotsUsed: number;
}

/** Who gets the next delivery: the ones that hang (later) have the first numbers. */
export function endpointFor({ endpoints, dead, deadShare }: Scenario, random: () => number): number {
  if (random() < deadShare) return Math.floor(random() * dead);
  return dead + Math.floor(random() * (endpoints - dead));
}

/** Collects when each delivery was accepted and when it began. */
export class Stopwatch {
  readonly #scenario: Scenario;
  readonly #startedAt: number;
  readonly #accepted = new Map<string, { readonly at: number; readonly endpoint: number; begunAt?: number }>();
  requestsToDead = 0;

  constructor(scenario: Scenario, startedAt: number) {
    this.#scenario = scenario;
    this.#startedAt = startedAt;
  }

  phaseAt(at: number): Phase {
    const { before, during } = this.#scenario.seconds;
    const seconds = (at - this.#startedAt) / 1_000;
    return seconds < before ? 'before' : seconds < before + during ? 'during' : 'after';
  }

  hangs(endpoint: number, at: number): boolean {
    return endpoint < this.#scenario.dead && this.phaseAt(at) === 'during';
  }

  accepted(id: string, endpoint: number, at: number): void {
    this.#accepted.set(id, { ...this.#accepted.get(id), at, endpoint });
  }

  /** The first byte of a request. It may come before the 202 was heard. */
  begun(id: string, endpoint: number, at: number): void {
    if (this.hangs(endpoint, at)) this.requestsToDead += 1;
    const known = this.#accepted.get(id);
    if (known?.begunAt === undefined) this.#accepted.set(id, { at, endpoint, ...known, begunAt: at });
  }

  result(slotsUsed: number): SystemResult {
    const healthy = [...this.#accepted.values()].filter(({ endpoint }) => endpoint >= this.#scenario.dead);
    const of = (phase: Phase): PhaseResult => {
      const delays = healthy
        .filter(it => it.begunAt !== undefined && this.phaseAt(it.at) === phase)
        .map(it => Math.max(0, (it.begunAt ?? 0) - it.at));
      const at = (share: number): number => (delays.length === 0 ? Number.NaN : quantile(delays, share));
      return { deliveries: delays.length, p99: at(0.99) };
    };
    return {
      phases: { before: of('before'), during: of('during'), after: of('after') },
      missing: healthy.filter(it => it.begunAt === undefined).length,
      requestsToDead: this.requestsToDead,
      slotsUsed,
    };
  }
}
