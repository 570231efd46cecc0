/** One run of a journey with faults at chosen calls, judged while it runs and at rest. */

import { LOCAL_RETRY, LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { ARRIVALS_CONTROL, SECOND_LOOK_CONTROL } from '#core/inbound/protocol/arrivals.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { Fault, FaultPlan } from '#test/kit/memory/faults.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import {
  type Answer,
  type Delivery,
  EVENTS,
  MemoryWorld,
  type Role,
  type WorldOptions,
} from '#test/kit/memory-world.ts';
import { complaintsAbout } from '../oracle.ts';
import { Witness } from './witness.ts';

export interface Journey {
  readonly name: string;
  /** Options of a fresh world. */
  readonly world?: () => WorldOptions;
  readonly play: (stage: Stage) => Promise<void>;
  /** What must be so at rest, beyond the invariants. */
  readonly expect?: (stage: Stage) => readonly string[];
  /** Runs (with a new idempotency key) each event may have. Default 1. */
  readonly runs?: Readonly<Record<string, number>>;
  /** Its sweeper has never run: its first looks at arrivals go a day back, hour by hour. */
  readonly newGateway?: true;
}

export interface Call {
  readonly n: number;
  readonly role: Role;
  readonly name: string;
  readonly at: number;
}

/** Longer than every lease, visibility and timeout of the short timings. */
const STALL_MS = 3 * MINUTE_MS;
const SETTLE_LIMIT_MS = 48 * 60 * MINUTE_MS;
/** A message of the DLQ that was received is hidden for longer than any short timing waits. */
const DEAD_HIDDEN_SECONDS = 180;
/** The longest wait, and the sweeper's minute: whatever is sent in error is sent again within it. */
const QUIET_MS = DEAD_HIDDEN_SECONDS * SECOND_MS + MINUTE_MS;
const RETRY_DELAYS_MS = [20_000, 5 * MINUTE_MS];

/** The world of one run, and the people and providers who act in it. */
export class Stage {
  readonly world: MemoryWorld;
  readonly witness = new Witness();
  readonly calls: Call[] = [];
  readonly answers: Answer[] = [];
  readonly retries: number;
  /** When the last process that froze somewhere goes on. */
  stalledUntil: number | undefined;

  constructor(journey: Journey, faults: ReadonlyMap<number, Fault>, retries: number) {
    this.retries = retries;
    const options = journey.world?.() ?? {};
    const planOf = (role: Role): FaultPlan => {
      const own = options.planOf?.(role) ?? options.plan;
      return call => {
        const n = this.calls.push({ n: this.calls.length + 1, role, name: call.name, at: call.at });
        const fault = faults.get(n) ?? own?.(call);
        if (fault === 'stall') this.stalledUntil = call.at + STALL_MS;
        return fault;
      };
    };
    this.world = new MemoryWorld(
      this.witness.options({
        hasRunForHours: true,
        timings: LOCAL_TIMINGS,
        retry: LOCAL_RETRY,
        idleMs: 5_000,
        ...options,
        planOf,
        queue: { visibilitySeconds: 60, duplicateRate: 0, ...options.queue },
        // A deleted message that comes back an hour later would outlast the journey.
        deadQueue: { visibilitySeconds: DEAD_HIDDEN_SECONDS, duplicateRate: 0, ...options.deadQueue },
        processOf: role => ({
          stallMs: STALL_MS,
          ...(role === 'sweep' ? {} : { latencyMs: () => ({ there: 2, back: 3 }) }),
        }),
      }),
    );
    this.witness.watch(this.world);
  }

  /** A provider's delivery, with its retries while it is not answered 200. */
  async deliver(delivery: Delivery): Promise<void> {
    const sent = { ...delivery, createdAt: delivery.createdAt ?? this.world.clock.now() };
    for (let retry = 0; ; retry++) {
      const answer = await this.world.deliver(sent);
      this.answers.push(answer);
      if (answer?.status === 200 || retry >= this.retries) return;
      await this.world.clock.sleep(RETRY_DELAYS_MS[retry] ?? MINUTE_MS);
    }
  }

  post(delivery: Delivery): Promise<void> {
    return this.world.clock.complete(this.deliver(delivery));
  }

  /** Repeats a person's command until it is answered. */
  async insist<T>(command: () => Promise<T | undefined | false>): Promise<T | undefined> {
    for (let tries = 0; tries < 20; tries++) {
      const answer = await this.world.clock.complete(command());
      if (answer) return answer;
      await this.world.clock.advanceBy(10_000);
    }
    return undefined;
  }

  item(id: string): EventItem | undefined {
    return this.world.item(id);
  }

  /** Lets time pass until something is so, for ten minutes at most. */
  async until(condition: () => boolean, limitMs = 10 * MINUTE_MS): Promise<boolean> {
    const end = this.world.clock.now() + limitMs;
    while (!condition() && this.world.clock.now() < end) await this.world.clock.advanceBy(1_000);
    return condition();
  }
}

export interface Verdict {
  readonly complaints: readonly string[];
  readonly stage: Stage;
}

/** As in a gateway that is in service: the sweeper was here a moment ago. */
async function lookedUntilNow({ database, sources, clock }: MemoryWorld): Promise<void> {
  const cursors = JSON.stringify(Object.fromEntries(sources.map(({ id }) => [id, clock.now()])));
  const control = new MemoryControlStore(database, EVENTS);
  for (const name of [ARRIVALS_CONTROL, SECOND_LOOK_CONTROL]) await control.write(name, cursors, 0);
}

export async function runJourney(
  journey: Journey,
  faults: ReadonlyMap<number, Fault> = new Map(),
  retries = 0,
): Promise<Verdict> {
  const stage = new Stage(journey, faults, retries);
  const { world, witness } = stage;
  if (!journey.newGateway) await lookedUntilNow(world);
  world.start();
  await journey.play(stage);
  const complaints: string[] = [];
  if (!(await comesToRest(world))) complaints.push('I2 the world never comes to rest');
  if (stage.stalledUntil !== undefined) {
    // A process that froze goes on now, long after everybody else is done.
    await world.clock.advanceTo(stage.stalledUntil);
    if (!(await comesToRest(world))) complaints.push('I2 the world is disturbed again and never comes to rest');
  }
  const sent = world.main.sent + world.dead.sent;
  await world.clock.advanceBy(QUIET_MS);
  if (world.main.sent + world.dead.sent > sent) complaints.push('I12 messages are still sent when nothing is owed');
  world.stop();
  complaints.push(...complaintsAbout(world, { ids: [], runs: new Map(Object.entries(journey.runs ?? {})) }));
  complaints.push(...missingAfterAck(stage), ...missingDeaths(stage), ...unboundedCopies(stage, faults.size));
  complaints.push(...(journey.expect?.(stage) ?? []), ...witness.complaints);
  return { complaints: [...new Set(complaints)], stage };
}

/** Every record is final, and no message is left: an event without a record may live in one that is hidden. */
async function comesToRest(world: MemoryWorld): Promise<boolean> {
  const until = world.clock.now() + SETTLE_LIMIT_MS;
  while (world.clock.now() < until && (await world.settle(SETTLE_LIMIT_MS, MINUTE_MS))) {
    const { hidden, delayed } = world.main.numbers();
    if (hidden + delayed === 0) return true;
  }
  return false;
}

/** Every acknowledged body is a record, or kept beside the record of the same event. */
function missingAfterAck({ witness, world }: Stage): string[] {
  const items = world.items();
  return [...witness.acknowledged].flatMap(([sha, id]) => {
    const own = items.some(it => it.bodySha === sha);
    const beside = [...witness.history.payloads.keys()].some(it => it === `default#${id} B#${sha}`);
    return own || (beside && world.item(id)) ? [] : [`I2 a body acknowledged for ${id} is nowhere`];
  });
}

/** A dead letter's message was really put into the DLQ. */
function missingDeaths({ witness, world }: Stage): string[] {
  const sent = new Set(witness.history.toDead.map(it => it.reading?.deadId));
  return world
    .items()
    .filter(it => it.status === 'dead_letter' && !sent.has(it.deadId))
    .map(it => `I2 ${it.pk} is dead and its message was never put into the DLQ`);
}

/** Copies of one generation: its attempts, its re-sends, and a few more for each fault. */
function unboundedCopies({ witness, world, answers }: Stage, faults: number): string[] {
  return world.items().flatMap(item => {
    const copies = witness.history.toMain.filter(it => it.reading?.pk === item.pk && it.reading.gen === item.gen);
    // Each delivery that is answered may have sent one: it met a record that was not marked as sent yet.
    const bound = 6 + answers.length + 2 * item.attempts + 8 * faults;
    return copies.length <= bound ? [] : [`I12 ${item.pk} was sent ${copies.length} times, more than ${bound}`];
  });
}

/** The calls worth a fault: all but those of sweeps that found nothing to do. */
export function interestingCalls(calls: readonly Call[], idleSweeps = 0): readonly Call[] {
  const minuteOf = (call: Call): number => Math.floor(call.at / MINUTE_MS);
  const sweeps = calls.filter(it => it.role === 'sweep');
  const busy = new Set(sweeps.filter(it => /^(?:store\.update|queue\.send|dead\.)/.test(it.name)).map(minuteOf));
  const idle = [...new Set(sweeps.map(minuteOf))].filter(it => !busy.has(it)).slice(0, idleSweeps);
  const wanted = new Set([...busy, ...idle]);
  return calls.filter(it => it.role !== 'sweep' || wanted.has(minuteOf(it)));
}
