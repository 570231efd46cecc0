/** What one simulated run shows: quotas that were broken, backlogs, how long it took to drain. Times in seconds. */

export const MINUTE = 60;
/** Five calm minutes, a minute of burst, nine calm ones, fifteen without the downstream, then until it drained. */
export const BURST = { from: 5 * MINUTE, to: 6 * MINUTE };
export const OUTAGE = { from: 15 * MINUTE, to: 30 * MINUTE };

interface Breach {
  readonly quota: string;
  /** Seconds into the run. */
  readonly at: number;
}

export interface Result {
  readonly refused: number;
  /** Accepted without a record: the message held the event until the processor wrote one. */
  readonly spilled: number;
  readonly breaches: readonly Breach[];
  readonly backlog: number;
  readonly inFlight: number;
  /** Seconds from the end of the outage until nothing is left over; undefined: not within the run. */
  readonly drainSeconds: number | undefined;
  readonly deadLettered: number;
}

export class Observations {
  refused = 0;
  spilled = 0;
  deadLettered = 0;
  /** Accepted, and neither processed nor dead. */
  open = 0;
  readonly #perSecond: number;
  readonly #breaches = new Map<string, number>();
  #backlog = 0;
  #inFlight = 0;
  #drainedAt: number | undefined;

  /** `perSecond`: arrivals in calm times. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** How many wait, and how many are in flight, at this moment. */
  note(waiting: number, inFlight: number): void {
    this.#backlog = Math.max(this.#backlog, waiting);
    this.#inFlight = Math.max(this.#inFlight, inFlight);
  }

  /** Drained: what is open is no more than a second's arrivals. */
  noteDrain(now: number): void {
    if (this.#drainedAt !== undefined || now < OUTAGE.to) return;
    if (this.open <= Math.max(3, this.#perSecond)) this.#drainedAt = now;
  }

  /** The first time counts. */
  breach(quota: string, now: number): void {
    if (!this.#breaches.has(quota)) this.#breaches.set(quota, now);
  }

  /** In events of the whole load: one of `thin` was simulated. */
  result(thin: number): Result {
    return {
      refused: this.refused * thin,
      spilled: this.spilled * thin,
      breaches: [...this.#breaches].map(([quota, at]) => ({ quota, at })).sort((a, b) => a.at - b.at),
      backlog: this.#backlog * thin,
      inFlight: this.#inFlight * thin,
      drainSeconds: this.#drainedAt === undefined ? undefined : this.#drainedAt - OUTAGE.to,
      deadLettered: this.deadLettered * thin,
    };
  }
}
