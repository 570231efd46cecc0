/** What is compared: a way to receive webhooks, from the request to the effect. */

/** How often an event's effect happened, and when it was there first (epoch ms; absent: not recorded). */
export interface Effect {
  readonly times: number;
  readonly at?: number;
}

export interface RunningSystem {
  /** Takes signed POST requests. */
  readonly url: string;
  /** The programs that can be killed: the effect of everything acknowledged must still happen. */
  readonly roles: readonly string[];
  /** SIGKILL, then starts the program again. */
  kill(role: string): Promise<void>;
  /** The programs that receive and process, and what they store in. */
  pids(): { readonly programs: readonly number[]; readonly stores: readonly number[] };
  /** Effects so far, by event id. */
  effects(): Promise<ReadonlyMap<string, Effect>>;
  stop(): Promise<void>;
}

export interface System {
  readonly name: string;
  /** What is on disk when it answers 200. */
  readonly synced: string;
  /** Does an event it answered 200 survive a crash, by design? */
  readonly durable: boolean;
  /** Data goes into `folder`. Throws when something is missing, saying what to install. */
  start(folder: string): Promise<RunningSystem>;
}
