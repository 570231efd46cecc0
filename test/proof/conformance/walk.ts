/** Random walks of the lifecycle model, each step carried out by the real code and compared with the model's state. */
import { isDeepStrictEqual } from 'node:util';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Step } from '#test/proof/model/explorer/model.ts';
import { lifecycleModel } from '#test/proof/model/lifecycle/lifecycle-model.ts';
import { PROTOCOL } from '#test/proof/model/lifecycle/lifecycle-rules.ts';
import type { Budget, Consumer, State } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import { Divergence } from './expect-call.ts';
import { fitsFirstRun, hasReadTheClock, WITHOUT_A_CLAIM } from './first-run.ts';
import { type Bug, RealLifecycle } from './real-lifecycle.ts';
import { replayStep } from './replay-step.ts';
import { beginAs } from './start-states.ts';

/** Copies of one kind the model tells apart; it drops further ones. */
const QUEUE_CAPS = { current: 2, redriven: 2, older: 1, afterDeath: 0 } as const;
const DEAD_CAPS = { current: 2, earlierDeath: 2, older: 1 } as const;
/** Share of the choices that leave faults and people out, so that they come at any time and not all at once. */
const FAIR_SHARE = 0.8;
/** Share of the choices that go on with a run without a claim, where one is possible. */
const FIRST_RUN_SHARE = 0.3;
const FIRST_CLOSING_SEED = 100;

/**
 * One walk of at most `maxSteps` steps; answers its actions. Throws Divergence, with the seed and the run so far, when the
 * code is not as the model says. `onlyTransacts`: of a handler whose first delivery may run without a claim, and beside
 * processors that have no handler.
 */
export async function walk(
  seed: number,
  maxSteps: number,
  bug?: Bug,
  { onlyTransacts = false } = {},
): Promise<readonly string[]> {
  const random = new SeededRandom(seed);
  const unclaimed = onlyTransacts ? 'pending, of its generation' : 'never';
  const rules = { ...PROTOCOL, sweepers: 2, leftoverWatch: true, unclaimed, ignoresUnclaimed: unclaimed } as const;
  const model = lifecycleModel(rules, budgetOf(random, seed), true);
  const start = random.int(model.starts.length);
  let state = model.starts[start] as State;
  const real = new RealLifecycle(seed, bug, onlyTransacts);
  const run: string[] = [`start: ${model.describe(state)}`];
  const actions: string[] = [];
  try {
    await beginAs(state, real);
    compare(state, real);
    while (actions.length < maxSteps) {
      const step = choose(
        model.actors.flatMap(actor => actor(state)).filter(step => isDriven(state, step, real)),
        random,
        onlyTransacts,
      );
      if (!step) break;
      run.push(`${step.actor}: ${step.action}`);
      await replayStep(real, state, step);
      actions.push(`${step.actor.replace(/ \d$/, '')}: ${step.action}`);
      state = step.to;
      compare(state, real);
    }
  } catch (error) {
    const what =
      error instanceof Divergence ? error.message : error instanceof Error ? (error.stack ?? '') : String(error);
    const item = JSON.stringify(real.item());
    throw new Divergence(
      `seed ${seed}, step ${actions.length + 1}: ${what}\n  ${run.join('\n  ')}\nmodel: ${model.describe(state)}\nitem: ${item}`,
    );
  }
  return actions;
}

function budgetOf(random: SeededRandom, seed: number): Budget {
  const some = (): number => random.int(3);
  return {
    crash: some(),
    lostReply: some(),
    zombie: some(),
    replay: some(),
    redrive: some(),
    pause: some(),
    duplicate: some(),
    breaker: some(),
    // The code finds a missing body after its claim, the model before: not the same steps.
    payloadMissing: 0,
    // The first seeds are named in condition-notices.ts: they stay the walks that they are.
    close: seed > FIRST_CLOSING_SEED ? 1 + (seed % 2) : 0,
  };
}

/** Steps that the model and the code take apart by design wait until they are the same again. */
function isDriven(state: State, step: Step<State>, real: RealLifecycle): boolean {
  // The code reads the clock once per claim; the model has no such moment. An older clock makes the code only more
  // careful, so time stands still between that and the write.
  if (step.actor === 'time')
    return !state.consumers.some((it, me) => it && (READ_THE_CLOCK.includes(it.step) || hasReadTheClock(real, me)));
  if (step.actor.startsWith('consumer') && !fitsFirstRun(real, Number(step.actor.at(-1)), step.action)) return false;
  // A first copy's claim leaves the watch as ingest set it, so also the FAR of a pause meanwhile; the model moves it near.
  if (step.action === 'claims' && state.record?.watch === 'far' && real.holdsFirstCopy(Number(step.actor.at(-1)))) {
    return false;
  }
  // The code refuses a second mark; the model writes the same once more, and the other sweeper's read counts as old.
  const marksAgain = step.actor.startsWith('sweeper') && step.action === 'marks enqueued' && state.record?.enqueued;
  return !(marksAgain && state.sweeps.some(it => it?.fresh && it.step !== 'unsent-mark'));
}

const READ_THE_CLOCK: readonly Consumer['step'][] = ['park', 'park-breaker', 'upsert', 'revive'];

function choose(steps: readonly Step<State>[], random: SeededRandom, onlyTransacts: boolean): Step<State> | undefined {
  // That a first delivery needs no claim is an ordinary step of the code; in the model it is one that need not come.
  const first = onlyTransacts ? steps.filter(({ action }) => WITHOUT_A_CLAIM.includes(action)) : [];
  if (first.length > 0 && random.chance(FIRST_RUN_SHARE)) return random.pick(first);
  const fair = steps.filter(step => step.fair);
  const from = fair.length > 0 && random.chance(FAIR_SHARE) ? fair : steps;
  return from.length === 0 ? undefined : random.pick(from);
}

function compare(state: State, real: RealLifecycle): void {
  const item = real.item();
  const tagOf = (body: string) => real.tagOf(body, item);
  const deadTagOf = (body: string) => real.deadTagOf(body, item);
  real.queue = capped(real.queue, QUEUE_CAPS, tagOf);
  real.dead = capped(real.dead, DEAD_CAPS, deadTagOf);
  const expected = {
    record: state.record && withoutGhost(state.record),
    queue: state.queue,
    dlq: state.dlq,
    held: state.consumers.map(it => it && { tag: it.tag, holds: it.holds }),
  };
  const seen = {
    record: real.record(item),
    queue: counts(real.queue, QUEUE_CAPS, tagOf),
    dlq: counts(real.dead, DEAD_CAPS, deadTagOf),
    held: real.consumers.map(it => it && { tag: tagOf(it.body), holds: it.holds }),
  };
  if (isDeepStrictEqual(expected, seen)) return;
  throw new Divergence(`the states differ\nexpected ${JSON.stringify(expected)}\nseen     ${JSON.stringify(seen)}`);
}

function withoutGhost({ successorSent: _ghost, ...record }: NonNullable<State['record']>) {
  return record;
}

function capped<T extends string>(
  bodies: readonly string[],
  caps: Record<T, number>,
  tagOf: (body: string) => T,
): string[] {
  const left = { ...caps };
  return bodies.filter(body => {
    left[tagOf(body)] -= 1;
    return left[tagOf(body)] >= 0;
  });
}

function counts<T extends string>(bodies: readonly string[], tags: Record<T, number>, tagOf: (body: string) => T) {
  const count = Object.fromEntries(Object.keys(tags).map(tag => [tag, 0])) as Record<T, number>;
  for (const body of bodies) count[tagOf(body)] += 1;
  return count;
}
