/**
 * Random walks of the outbound model, each step carried out with the real writes, keys and decisions over DynamoDB in
 * memory, and compared with the model's state. Time is the code's: when a deadline passes, the model takes the steps
 * that it has for that.
 */
import { isDeepStrictEqual } from 'node:util';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { renewLease } from '#core/outbound/protocol/delivery-writes.ts';
import { Divergence } from '#test/proof/conformance/expect-call.ts';
import { overdueStep } from '#test/proof/conformance/overdue-step.ts';
import type { Step } from '#test/proof/model/explorer/model.ts';
import { outboundModel, type Shape } from '#test/proof/model/outbound/outbound-model.ts';
import { AS_BUILT } from '#test/proof/model/outbound/outbound-rules.ts';
import { type Budget, GONE, messageOf, NOBODY, type State } from '#test/proof/model/outbound/outbound-state.ts';
import { codeWaits, goesByTimes, putsAnOlderRow } from './outbound-session-step.ts';
import { outboundStep } from './outbound-step.ts';
import { EP, OutboundWorld, seenOf, type WriteBug } from './outbound-world.ts';

const FAIR_SHARE = 0.8;
/** Share of the turns in which time passes, if anything waits. */
const TIME_SHARE = 0.12;
const ROBBERY_SHARE = 0.4;
const SHAPES: readonly Partial<Shape>[] = [
  { publish: 2, fans: 2 },
  { publish: 1 },
  { wakeUps: 2 },
  { messages: 2 },
  { late: 1 },
  { messages: 2, fans: 2, wakeUps: 2 },
];

/** One walk of at most `maxSteps` steps; answers its actions. Throws Divergence, with the seed and the run so far. */
export async function outboundWalk(seed: number, maxSteps: number, bug?: WriteBug): Promise<readonly string[]> {
  const walk = new Walk(seed, bug);
  try {
    await walk.run(maxSteps);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const what = error instanceof Divergence ? error.message : (error.stack ?? error.message);
    throw new Divergence(
      `seed ${seed}, step ${walk.taken.length + 1}: ${what}\n  ${walk.log.join('\n  ')}\n${walk.describe()}`,
    );
  }
  return walk.taken;
}

class Walk {
  readonly taken: string[] = [];
  readonly log: string[];
  readonly #random: SeededRandom;
  readonly #world: OutboundWorld;
  readonly #model: ReturnType<typeof outboundModel>;
  readonly #goesByNotes: boolean;
  #state: State;

  constructor(seed: number, bug?: WriteBug) {
    const random = new SeededRandom(seed);
    const ordered = random.chance(0.2);
    const rules = {
      ...AS_BUILT,
      attempts: 2 + random.int(2),
      ordered,
      batch: !ordered && random.chance(0.25),
      disabledForGood: random.chance(0.2),
      people: seed % 4 === 3 ? 'two' : 'one',
      ...(seed % 5 === 4 ? { audit: false, noted: 'before the row' as const } : {}),
      lanes: random.chance(0.05) ? 'send, then delete' : 'none',
    } as const;
    this.#random = random;
    this.#goesByNotes = rules.noted !== 'no';
    this.#model = outboundModel(rules, budgetOf(random), random.pick(SHAPES));
    this.#state = this.#model.starts[0] as State;
    this.#world = new OutboundWorld(seed, rules, bug);
    this.log = [`start: ${this.#model.describe(this.#state)}`];
  }

  describe(): string {
    const items = [this.#world.runtimeItem(), this.#world.recordItem(0), this.#world.recordItem(1)];
    return `model: ${this.#model.describe(this.#state)}\nitems: ${JSON.stringify(items)}`;
  }

  async run(maxSteps: number): Promise<void> {
    await this.#begin();
    while (this.taken.length < maxSteps) {
      const share = this.#mayBeRobbed() ? ROBBERY_SHARE : TIME_SHARE;
      if (this.#random.chance(share) && (await this.#passTime())) continue;
      const step = this.#choose();
      if (step) await this.#take(step);
      else if (!(await this.#passTime())) break;
    }
  }

  async #begin(): Promise<void> {
    this.#world.noteRows();
    for (const [m, { stored, fanned }] of this.#state.messages.entries()) {
      if (stored) this.#world.publish(m);
      await this.#world.tick();
      if (fanned) this.#world.fanOut(m);
    }
    this.#compare();
  }

  /** A request is in the air, and its session may lose its lease: the rarest of what must be met. */
  #mayBeRobbed(): boolean {
    const { runtime, drainers, budget } = this.#state;
    return budget.zombie > 0 && runtime.leased && drainers[runtime.owner]?.step === 'sent';
  }

  #steps(): readonly Step<State>[] {
    return this.#model.actors.flatMap(actor => actor(this.#state));
  }

  #choose(): Step<State> | undefined {
    const steps = this.#steps().filter(step => this.#isDriven(step));
    const fair = steps.filter(step => step.fair || OFTEN.test(step.action));
    const from = fair.length > 0 && this.#random.chance(FAIR_SHARE) ? fair : steps;
    return from.length === 0 ? undefined : this.#random.pick(from);
  }

  /** Time is the code's, and a few steps are not the same by design. */
  #isDriven({ actor, action }: Step<State>): boolean {
    if (OF_THE_CLOCK.test(action)) return false;
    const { record } = messageOf(this.#state, 0);
    // The model replays a pending delivery once more; the code refuses: that replay is on its way.
    if (action === 'asks for a replay') return record?.status !== 'pending';
    if (!actor.startsWith('drainer')) return true;
    const me = Number(actor.at(-1));
    if (action.startsWith('sends') && codeWaits(this.#world, this.#state, me)) return false;
    if (!goesByTimes(this.#world, this.#state, me, action)) return false;
    return !putsAnOlderRow(this.#world, this.#state, me);
  }

  async #take(step: Step<State>): Promise<void> {
    this.log.push(`${step.actor}: ${step.action}`);
    await this.#world.tick();
    outboundStep(this.#world, this.#state, step);
    this.taken.push(`${step.actor.replace(/ \d$/, '')}: ${step.action}`);
    this.#state = step.to;
    this.#catchUp();
    this.#compare();
  }

  /** On to the next deadline. A session that lives renews its lease before that, unless it may lose it. */
  async #passTime(): Promise<boolean> {
    const at = this.#world.nextDeadline();
    if (at === undefined) return false;
    const { owner, leaseUntil } = this.#world.runtimeItem();
    const alive = this.#state.runtime.owner !== NOBODY && this.#state.runtime.owner !== GONE;
    if (alive && leaseUntil === at && (this.#state.budget.zombie === 0 || this.#random.chance(0.5))) {
      const { kind } = this.#world.apply(renewLease(EP, owner ?? '', this.#world.deadline()));
      if (kind === 'refused') throw new Divergence('the owner could not renew its lease');
    } else await this.#world.clock.advanceBy(at + 1 - this.#world.clock.now());
    this.log.push(`time: ${at - 1_767_571_200_000} ms`);
    this.#catchUp();
    this.#compare();
    return true;
  }

  /** The model takes its steps of time for whatever has ended by the clock. */
  #catchUp(): void {
    for (let step = this.#overdue(); step; step = this.#overdue()) {
      this.log.push(`${step.actor}: ${step.action}`);
      this.taken.push(`${step.actor}: ${step.action}`);
      this.#state = step.to;
    }
  }

  #overdue(): Step<State> | undefined {
    return overdueStep(this.#steps(), this.#world);
  }

  #compare(): void {
    const runtime = seenOf(this.#state.runtime);
    const expected = {
      runtime,
      messages: this.#state.messages.map(({ stored, record, rows }) => ({ stored, record, rows })),
    };
    const seen = {
      runtime: this.#world.runtime(),
      messages: this.#state.messages.map((_, m) => this.#world.message(m)),
    };
    const broken = this.#model.brokenIn?.(this.#state);
    if (broken) throw new Divergence(broken);
    if (this.#goesByNotes && this.#state.fresh !== this.#world.isFresh())
      throw new Divergence(`the model ${this.#state.fresh ? 'has' : 'has no'} note or session that counts`);
    if (isDeepStrictEqual(expected, seen)) return;
    throw new Divergence(`the states differ\nexpected ${JSON.stringify(expected)}\nseen     ${JSON.stringify(seen)}`);
  }
}

/** Not certain, and most of what the protocol is about. */
const OFTEN = /^fails|^429|^enables|^asks|^the answer is lost/;
const OF_THE_CLOCK = /^the lease|becomes due$|^the hold ends$|^wakeAt is reached$/;

function budgetOf(random: SeededRandom): Partial<Budget> {
  const some = (): number => random.int(3);
  return {
    crash: some(),
    lost: some(),
    zombie: some(),
    error: some(),
    fail: 1 + some(),
    throttled: some(),
    breaker: some(),
    gone: random.int(2),
    pause: some(),
    delete: Number(random.chance(0.1)),
    drop: random.int(2),
    expire: random.int(2),
    replay: some(),
    duplicate: some(),
    purge: random.int(2),
  };
}
