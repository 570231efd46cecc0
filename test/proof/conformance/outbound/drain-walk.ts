/**
 * Random walks of the real session. The walk lets one call go, or takes one step of the model that is not a session's
 * (people, publish, fan-out, tend, SQS, time), in any order. After each, the items and the place of each session must be
 * those of a state that the model reaches from the last one by the step that this call is. The model may be in several
 * states at once: a page has no order. Not walked: batches, ordered endpoints, and the renewal of a lease.
 */
import { isDeepStrictEqual } from 'node:util';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { isOnTrial } from '#core/outbound/drain/breaker.ts';
import { Divergence } from '#test/proof/conformance/expect-call.ts';
import type { Way } from '#test/proof/conformance/stepped-process.ts';
import type { Step } from '#test/proof/model/explorer/model.ts';
import { outboundModel, type Shape } from '#test/proof/model/outbound/outbound-model.ts';
import { AS_READ } from '#test/proof/model/outbound/outbound-rules.ts';
import { addRow, deleteRow, isShut, type Pointer, type State } from '#test/proof/model/outbound/outbound-state.ts';
import { ANSWERS, answerWith, FAILURES } from './drain-answers.ts';
import { FAILS_AT, failForGood } from './drain-failures.ts';
import { isOthers, OFTEN } from './drain-others.ts';
import { type Call, DrainSession, type StoreBug } from './drain-session.ts';
import { budgetOf, dropsAtGate, givesBack, isAbout, STEPS, startsAgain, turned } from './drain-states.ts';
import { DrainView } from './drain-view.ts';
import { outboundStep } from './outbound-step.ts';
import { OutboundWorld } from './outbound-world.ts';

const SESSION_SHARE = 0.6;
const TIME_SHARE = 0.25;
const FAIR_SHARE = 0.8;
const LOST_REPLIES = 0.15;
const CRASHES = 0.04;
const LEASES_LOST = 0.25;
const FAILURES_FOR_GOOD = 0.06;
const SHAPES: readonly Partial<Shape>[] = [
  { publish: 2, fans: 2 },
  { wakeUps: 2 },
  { messages: 2 },
  { late: 1 },
  { messages: 2, fans: 2, wakeUps: 2 },
];

/** The code repeats these after an error; what they wrote may have been written. */
const REPEATED: readonly Call[] = ['success', 'put', 'delete'];
const READS: readonly Call[] = ['query', 'look', 'records', 'again'];
const WRITES: readonly Call[] = ['success', 'failure', 'end', 'put', 'delete', 'disable', 'release'];

export async function drainWalk(seed: number, maxSteps: number, bug?: StoreBug): Promise<readonly string[]> {
  const walk = new DrainWalk(seed, bug);
  try {
    await walk.run(maxSteps);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const what = error instanceof Divergence ? error.message : (error.stack ?? error.message);
    throw new Divergence(`seed ${seed}: ${what}\n  ${walk.log.join('\n  ')}`);
  }
  return walk.taken;
}

class DrainWalk {
  readonly taken: string[] = [];
  readonly log: string[] = [];
  readonly #random: SeededRandom;
  readonly #world: OutboundWorld;
  readonly #view: DrainView;
  readonly #sessions: (DrainSession | undefined)[] = [undefined, undefined];
  /** What was just written is written once more. */
  readonly #repeating = new Set<DrainSession>();
  readonly #unlucky = new Set<DrainSession>();
  readonly #bug: StoreBug | undefined;
  #states: readonly State[];

  constructor(seed: number, bug?: StoreBug) {
    this.#random = new SeededRandom(seed);
    const rules = { ...AS_READ, attempts: 2 + this.#random.int(2) };
    const model = outboundModel(rules, budgetOf(this.#random), this.#random.pick(SHAPES));
    this.#states = [model.starts[0] as State];
    this.#world = new OutboundWorld(seed, rules);
    this.#view = new DrainView(model, this.#world, this.#sessions, this.#repeating);
    this.#bug = bug;
  }

  get #state(): State {
    return this.#states[0] as State;
  }

  async run(maxSteps: number): Promise<void> {
    for (const [m, { stored, fanned }] of this.#state.messages.entries()) {
      if (stored) this.#world.publish(m);
      await this.#world.tick();
      if (fanned) this.#world.fanOut(m);
    }
    this.#settle('the start', this.#states);
    while (this.taken.length < maxSteps) {
      // What ends within this millisecond has ended before the next step, for the model as for the code.
      await this.#world.tick();
      this.#settle('a millisecond', this.#states);
      const me = this.#random.pick([0, 1]);
      if (this.#sessions[me]?.before && this.#random.chance(SESSION_SHARE)) await this.#letGo(me);
      else if (this.#random.chance(TIME_SHARE)) await this.#passTime();
      else if (!(await this.#stepOfOthers()) && !this.#sessions.some(it => it?.before) && !(await this.#passTime()))
        return;
    }
  }

  // ---- a session

  async #letGo(me: number): Promise<void> {
    const session = this.#sessions[me] as DrainSession;
    const call = session.before as Call;
    if (this.#random.chance(CRASHES) && this.#state.budget.crash > 0) return this.#crash(me, call);
    if (this.#mayFailForGood(session, call)) return this.#failForGood(me, call);
    const repeats = this.#repeating.delete(session);
    // The code tries a call three times: one reply in a row is lost.
    const way = this.#unlucky.delete(session) ? 'once' : this.#wayOf(call);
    if (way === 'reply lost') this.#unlucky.add(session);
    const { about } = session;
    const row = this.#world.rowAt(about ?? '');
    if (call === 'lease') {
      session.answer = undefined;
      session.succeeded = !this.#world.runtimeItem().recent?.endsWith('0000');
    }
    if (call === 'answer') {
      // The session knows more than the item, once something succeeded.
      const isTrial = isOnTrial(this.#world.runtimeItem()) && session.answer === undefined;
      // One failure at a time: the model's budget is spent as it is recorded.
      const mayFail = !this.#sessions.some(it => it?.before === 'failure');
      session.said = mayFail ? answerWith(this.#state.budget, isTrial, this.#random) : 'well';
      session.answer = ANSWERS[session.said];
      if (session.said === 'well') session.succeeded = true;
    }
    session.claimsTwice = call === 'lease' && this.#state.budget.lost > 0 && this.#random.chance(LOST_REPLIES);
    this.log.push(`session ${me}: ${call} ${about ?? ''} ${way}${call === 'answer' ? ` ${session.said}` : ''}`);
    const open = this.#world.runtime().gate === 'open';
    await session.process.release(way);
    if (call === 'disable') {
      const told = open && this.#world.runtime().gate === 'disabled';
      if (told !== session.told.includes('endpoint.disabled'))
        throw new Divergence('who disables it must tell, and nobody else');
    }
    if (way === 'reply lost' && REPEATED.includes(call)) this.#repeating.add(session);
    this.#world.sessions[me] = { me: session.me } as never;
    if (session.end === 'give_back') this.#forget(me);
    if (repeats) return this.#settle(`${call} once more`, this.#onceMore(call, about, row));
    const stays = (way === 'reply lost' && READS.includes(call)) || this.#isNoStep(session, call);
    this.#settle(call, stays ? this.#states : this.#after(me, session, call, about));
  }

  /** A row that somebody put or deleted meanwhile is deleted or put again. Nothing may be lost by that. */
  #onceMore(call: Call, about: string | undefined, before: Pointer | undefined): readonly State[] {
    const after = this.#world.rowAt(about ?? '');
    if (call === 'delete' && before) return this.#states.map(state => deleteRow(state, before.message, before.row));
    if (call !== 'put' || before || !after) return this.#states;
    return this.#states.map(state => addRow(state, after.message, { ...after.row, due: 'ahead' }));
  }

  /** The answer is one with the write that records it; records that end a row, with that write. */
  #isNoStep({ before }: DrainSession, call: Call): boolean {
    if (call === 'answer') return before !== 'release';
    return call === 'records' && before === 'end';
  }

  /** The states after the model's step that this call was. */
  #after(me: number, session: DrainSession, call: Call, about: string | undefined): readonly State[] {
    const claims = session.claimsTwice && session.isLeased;
    const wanted = claims ? /own retry/ : call === 'failure' ? FAILURES[session.said] : STEPS[call];
    if ((call === 'wake' || call === 'lease') && session.end === 'ack' && isShut(this.#state.runtime.gate)) {
      this.#note(`drainer: ${call === 'lease' ? 'is refused the lease: ' : ''}gate shut: drops the wake-up`);
      return this.#states.map(state => dropsAtGate(state, me));
    }
    const ahead = this.#states
      .filter(state => isAbout(state.drainers[me], call, about, this.#world))
      .flatMap(state => this.#stepsOf(state, `drainer ${me}`, wanted));
    // Four failures went before: the first one opens the breaker, unless a request went well.
    const opens = ahead.find(({ action }) => action.startsWith('fails, breaker opens') && !session.succeeded);
    for (const { action } of opens ? [opens] : ahead.slice(0, 1)) this.#note(`drainer: ${action}`);
    const to = ahead.map(step => step.to);
    // The code compares the next row with a `wakeAt` that somebody else set, and starts again sooner.
    if (call === 'again' && session.before === 'wake')
      return [...to, ...this.#states.map(state => startsAgain(state, me))];
    // The model has one name for all who are dead, and for all who were session 0: this one read another's.
    if (call === 'lease' && session.before === 'lease' && session.readAnother) return [...to, ...this.#states];
    if (call === 'lease' && session.end === 'give_back') return this.#states.map(state => givesBack(state, me));
    if (call === 'query' || (call === 'lease' && session.isLeased)) return to.flatMap(state => turned(state, me));
    // Without a look: the release said that nothing may be done.
    if (call === 'release' && session.before === undefined) {
      return to.flatMap(state =>
        state.drainers[me]?.step === 'recheck'
          ? this.#stepsOf(state, `drainer ${me}`, /^queries again: nothing/).map(step => step.to)
          : [state],
      );
    }
    return to;
  }

  #wayOf(call: Call): Way {
    if (!this.#random.chance(LOST_REPLIES)) return 'once';
    if (READS.includes(call)) return 'reply lost';
    if (REPEATED.includes(call) && this.#random.chance(0.5)) return 'reply lost';
    return WRITES.includes(call) ? 'twice' : 'once';
  }

  #crash(me: number, call: Call): void {
    this.log.push(`session ${me}: dies before ${call}`);
    this.#repeating.delete(this.#sessions[me] as DrainSession);
    this.#forget(me);
    this.#follow('a crash', me, /^CRASHES/, this.#states);
  }

  #mayFailForGood(session: DrainSession, call: Call): boolean {
    const isFirst = !this.#repeating.has(session) && !this.#unlucky.has(session);
    // Without the lease a release changes nothing, whether it fails or not.
    const changes = call !== 'release' || this.#world.runtimeItem().owner === session.me;
    const may = isFirst && changes && FAILS_AT[call] !== undefined && this.#state.budget.error > 0;
    return may && this.#random.chance(FAILURES_FOR_GOOD);
  }

  async #failForGood(me: number, call: Call): Promise<void> {
    const session = this.#sessions[me] as DrainSession;
    const { about } = session;
    this.log.push(`session ${me}: ${call} ${about ?? ''} fails for good`);
    await failForGood(session, call);
    if (session.end === 'give_back') this.#forget(me);
    const states = this.#states.filter(state => isAbout(state.drainers[me], call, about, this.#world));
    this.#follow(`${call}, which failed`, me, FAILS_AT[call] as RegExp, states);
  }

  /** It is over, and its wake-up comes back by itself. */
  #forget(me: number): void {
    this.#sessions[me] = undefined;
    this.#world.sessions[me] = undefined;
  }

  #follow(what: string, me: number, action: RegExp, states: readonly State[]): void {
    const ahead = states.flatMap(state => this.#stepsOf(state, `drainer ${me}`, action));
    for (const step of ahead.slice(0, 1)) this.#note(`drainer: ${step.action}`);
    this.#settle(
      what,
      ahead.map(step => step.to),
    );
  }

  // ---- everybody else

  async #stepOfOthers(): Promise<boolean> {
    const steps = this.#stepsOf(this.#state).filter(step => isOthers(step, this.#state, this.#sessions));
    const fair = steps.filter(step => step.fair || OFTEN.test(step.action));
    const from = fair.length > 0 && this.#random.chance(FAIR_SHARE) ? fair : steps;
    if (from.length === 0) return false;
    const step = this.#random.pick(from);
    const { actor, action } = step;
    if (action.startsWith('the lease ends while') && !this.#random.chance(LEASES_LOST)) return true;
    this.log.push(`${actor}: ${action}`);
    await this.#carryOut(step);
    this.#note(`${actor.replace(/ \d$/, '')}: ${action}`);
    // Two people may do the same.
    const at = this.#stepsOf(this.#state, actor, action).findIndex(({ to }) => isDeepStrictEqual(to, step.to));
    const ahead = this.#states.flatMap(state => this.#stepsOf(state, actor, action).slice(at, at + 1));
    this.#settle(
      action,
      ahead.map(it => it.to),
    );
    return true;
  }

  async #carryOut(step: Step<State>): Promise<void> {
    const { actor, action } = step;
    const me = Number(actor.at(-1));
    if (action.startsWith('the lease')) this.#world.endLease();
    else if (!actor.startsWith('drainer')) outboundStep(this.#world, this.#state, step);
    else if (action === 'receives a wake-up') {
      const session = new DrainSession(this.#world, this.#bug);
      this.#sessions[me] = session;
      this.#world.sessions[me] = {} as never;
      await session.start();
    } else if (action.startsWith('deletes')) this.#forget(me);
  }

  /** A session goes by the time it read: none passes between that and what it does about it. */
  async #passTime(): Promise<boolean> {
    const calm = this.#sessions.every(it => !it?.before || it.before === 'answer' || it.before === 'wake');
    const at = this.#world.nextDeadline();
    if (!calm || at === undefined || at > this.#world.clock.now() + 10 ** 11) return false;
    await this.#world.clock.advanceBy(at + 1 - this.#world.clock.now());
    this.log.push(`time: ${at - 1_767_571_200_000} ms`);
    this.#settle('time', this.#states);
    return true;
  }

  #note(action: string): void {
    this.taken.push(action);
    this.log.push(`  ${action}`);
  }

  #stepsOf(state: State, actor?: string, action?: RegExp | string): readonly Step<State>[] {
    return this.#view.stepsOf(state, actor, action);
  }

  #settle(what: string, states: readonly State[]): void {
    this.#states = this.#view.settled(what, states, this.#states);
  }
}
