/** Everything that goes wrong around the product in a run: single calls, outages, crashes, deploys, purges. All seeded. */

import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { Dependency } from '#core/errors.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { FAULTS, type Fault, type FaultPlan } from '#test/kit/memory/faults.ts';
import type { Region } from './region.ts';

/** Kinds of trouble, each of which can be left out of a run. */
export const TROUBLES = [
  'calls',
  'stalls',
  'kills',
  'outages',
  'deploys',
  'downstream',
  'skew',
  'queue',
  'index',
  'conflicts',
  'purge',
  'strays',
  'people',
  'duplicates',
  'bodies',
  'lost-answers',
  'handlers',
  'forgeries',
  'bursts',
] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Share of the calls on an event's way that go wrong: with ten of them, about one event in fifteen. */
const CALL_FAULT_RATE = 0.0065;
const STALL_RATE = 0.0004;
/** The sweeper looks around all day long, events or not: only what it does with an event goes wrong as often. */
const IDLE_FAULT_RATE = 0.0003;
const SWEEPER_WORK = new Set(['store.getMany', 'store.update', 'queue.send', 'dead.send', 'dead.delete']);
const CALL_FAULTS = FAULTS.filter(fault => fault !== 'stall');

interface Window {
  readonly dependency: Dependency;
  readonly fault: Fault;
  readonly share: number;
}

export class Weather {
  /** Faults so far, by name. */
  readonly counts = new Map<string, number>();
  /** No new faults from now on. */
  calm = false;
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;
  readonly #troubles: ReadonlySet<Trouble>;
  readonly #windows = new Set<Window>();
  readonly #downstream = new Set<string>();

  constructor(clock: VirtualClock, random: SeededRandom, troubles: ReadonlySet<Trouble>) {
    this.#clock = clock;
    this.#random = random;
    this.#troubles = troubles;
  }

  has(trouble: Trouble): boolean {
    return this.#troubles.has(trouble);
  }

  count(name: string, more = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + more);
  }

  /** Faults in all. */
  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  downstreamDown = (source: string): boolean => this.#downstream.has(source);

  /** The plan for the calls of a function, or of the sweeper. */
  plan(who: 'function' | 'sweeper'): FaultPlan {
    const random = this.#random.fork();
    const [calls, stalls] = [this.has('calls'), this.has('stalls')];
    return call => {
      if (this.calm) return undefined;
      const works = who === 'function' || SWEEPER_WORK.has(call.name);
      const rate = !calls ? 0 : works ? CALL_FAULT_RATE : IDLE_FAULT_RATE;
      // A sweeper that stands still between its look and its write is the one that could undo others.
      const stallRate = !stalls ? 0 : who === 'function' ? STALL_RATE : works ? 10 * STALL_RATE : 0;
      for (const { dependency, fault, share } of this.#windows) {
        if (dependency === call.dependency && random.chance(share)) return fault;
      }
      const draw = random.next();
      if (draw < rate) return this.#counted(random.pick(CALL_FAULTS));
      return draw < rate + stallRate ? this.#counted('stall') : undefined;
    };
  }

  #counted(fault: Fault): Fault {
    this.count(`call: ${fault}`);
    return fault;
  }

  /** Schedules the trouble of all days, and the end of all trouble after them. */
  start(region: Region, days: number): void {
    const random = this.#random.fork();
    const { process, ingest, sweeper, mapping, main } = region;
    const end = this.#clock.now() + days * DAY_MS;
    const often = (trouble: Trouble, perDay: number, work: () => void): void => {
      // Drawn in any case, so that leaving one trouble out does not change the others.
      const own = random.fork();
      if (!this.has(trouble)) return;
      const next = (): void => {
        const waitMs = Math.round((-Math.log(1 - own.next()) / perDay) * DAY_MS);
        if (this.#clock.now() + waitMs >= end) return;
        this.#clock.after(waitMs, () => {
          work();
          next();
        });
      };
      next();
    };

    often('kills', 24, () => this.count('kill -9', process.killBusy() + ingest.killBusy() + sweeper.killBusy()));
    often('deploys', 2, () => {
      for (const fn of [process, ingest, sweeper]) fn.replaceEnvironments();
    });
    often('deploys', 0.4, () => this.#badDeploy([process], (20 + random.int(60)) * MINUTE_MS));
    often('deploys', 0.2, () => this.#badDeploy([ingest], (2 + random.int(20)) * MINUTE_MS));
    often('deploys', 0.2, () => this.#badDeploy([sweeper], (20 + random.int(100)) * MINUTE_MS));
    often('outages', 0.6, () => this.#outage('dynamodb', random, () => {}));
    often('outages', 0.5, () => this.#outage('sqs', random, up => (up ? mapping.enable() : mapping.disable())));
    often('outages', 0.3, () => this.#outage('s3', random, () => {}));
    often('outages', 0.3, () => this.#outage('secrets', random, () => {}));
    often('downstream', 1.5, () => this.#downstreamOutage(random.pick(region.sources).id, random));
    often('outages', 0.15, () => {
      // A bad hour of the whole region.
      this.#outage('dynamodb', random, () => {});
      this.#outage('sqs', random, up => (up ? mapping.enable() : mapping.disable()));
    });
    often('purge', 0.5, () => {
      // Somebody stops the processor, sees a queue that grows, and purges it.
      mapping.disable();
      this.#clock.after((1 + random.int(30)) * MINUTE_MS, () => {
        this.count('purge');
        main.purge();
        mapping.enable();
      });
    });
    often('strays', 3, () => {
      this.count('stray message');
      main.stray(random.pick(['hello', '{"v":2,"pk":"a#b"}', '[]', '{"v":1}', `{"Records":[${random.int(1e6)}]}`]));
    });
    this.#clock.at(end, () => {
      this.calm = true;
      this.#downstream.clear();
      for (const fn of [process, ingest, sweeper]) fn.brokenDeploy = false;
      mapping.enable();
    });
  }

  #badDeploy(functions: readonly Region['process'][], forMs: number): void {
    this.count('bad deploy');
    for (const fn of functions) {
      fn.brokenDeploy = true;
      // The environments of the old version go away one after the other.
      for (const at of [0, MINUTE_MS, 3 * MINUTE_MS])
        this.#clock.after(at, () => fn.brokenDeploy && fn.replaceEnvironments());
      this.#clock.after(forMs, () => {
        fn.brokenDeploy = false;
      });
    }
  }

  #outage(dependency: Dependency, random: SeededRandom, reachable: (up: boolean) => void): void {
    this.count(`outage: ${dependency}`);
    const share = random.pick([1, 1, 0.5]);
    const window: Window = { dependency, fault: random.pick(['error', 'throttled', 'hang']), share };
    this.#windows.add(window);
    if (share === 1) reachable(false);
    this.#clock.after((2 + random.int(58)) * MINUTE_MS, () => {
      this.#windows.delete(window);
      reachable(true);
    });
  }

  #downstreamOutage(source: string, random: SeededRandom): void {
    this.count('outage: downstream');
    this.#downstream.add(source);
    this.#clock.after((5 + random.int(55)) * MINUTE_MS, () => this.#downstream.delete(source));
  }
}
