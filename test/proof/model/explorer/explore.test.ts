import { describe, expect, it } from 'vitest';
import { explore, inFull } from './explore.ts';
import { certain, type Model, possible, RuleBroken, type Step } from './model.ts';

/** A counter from 0; each test says where it may go and what is wrong. */
function counter(changes: Partial<Model<number>>, next: (n: number) => readonly Step<number>[]): Model<number> {
  return {
    starts: [0],
    actors: [next],
    key: (n, key) => key.add(n),
    stopAtFirst: false,
    mustReach: [],
    describe: n => `at ${n}`,
    ...changes,
  };
}

interface Fall {
  readonly at: number;
  readonly budget: { readonly slips: number; readonly pushes: number };
}

/** It climbs to 9 and begins again; it may slip by 2, and be pushed to 5. */
function falls(budget: Fall['budget'], acts: (state: Fall) => void = () => undefined): Model<Fall> {
  return {
    starts: [{ at: 0, budget }],
    actors: [
      state => {
        acts(state);
        const { at, budget: left } = state;
        const steps = [certain('it', 'climbs', { ...state, at: (at + 1) % 10 })];
        const slipped = { at: Math.max(0, at - 2), budget: { ...left, slips: left.slips - 1 } };
        if (left.slips > 0) steps.push(possible('it', 'slips', slipped));
        if (left.pushes > 0)
          steps.push(possible('it', 'is pushed', { at: 5, budget: { ...left, pushes: left.pushes - 1 } }));
        return steps;
      },
    ],
    key: (state, key) => key.add(state.at),
    budget: 'budget',
    stopAtFirst: false,
    mustReach: [{ rule: 'NEVER 9', from: () => true, goal: ({ at }) => at === 9 }],
    describe: ({ at, budget: left }) => `${at} ${JSON.stringify(left)}`,
  };
}

describe('the explorer', () => {
  const upTo = (limit: number) => (n: number) => (n < limit ? [certain('it', 'adds 1', n + 1)] : []);
  const reach = (goal: number) => [{ rule: `NEVER ${goal}`, from: () => true, goal: (n: number) => n === goal }];

  it('visits every reachable state once', () => {
    const plusOneOrTwo = (n: number) => [certain('it', 'adds 1', (n + 1) % 10), certain('it', 'adds 2', (n + 2) % 10)];
    expect(explore(counter({}, plusOneOrTwo))).toEqual({ states: 10, transitions: 20, violations: [] });
  });

  it('reports a shortest run to a broken state', () => {
    const detourOrDirect = (n: number) => {
      if (n === 0) return [certain('it', 'takes the detour', 1), certain('it', 'goes straight', 2)];
      return n === 1 ? [certain('it', 'comes back', 2)] : [certain('it', 'arrives', 3)];
    };
    const found = explore(counter({ brokenIn: n => (n === 3 ? 'THREE' : undefined) }, detourOrDirect));
    expect(found.violations).toEqual([
      { rule: 'THREE', run: ['start: at 0', 'it: goes straight', 'it: arrives'], endsIn: 'at 3' },
    ]);
  });

  it('reports a broken step, also between states that are known already', () => {
    const loop = (n: number) => [certain('it', 'goes round', (n + 1) % 3)];
    const found = explore(counter({ brokenBy: (from, to) => (to < from ? 'BACKWARD' : undefined) }, loop));
    expect(found.violations.map(violation => violation.run.length)).toEqual([4]);
  });

  it('reports a rule that an actor breaks by acting', () => {
    const throwsAtTwo = (n: number) => {
      if (n === 2) throw new RuleBroken('TWO');
      return upTo(5)(n);
    };
    expect(explore(counter({}, throwsAtTwo)).violations).toMatchObject([{ rule: 'TWO', endsIn: 'at 2' }]);
  });

  it('passes on other errors of an actor', () => {
    const fails = (): never => {
      throw new TypeError('a mistake in the model');
    };
    expect(() => explore(counter({}, fails))).toThrow('a mistake in the model');
  });

  it('finds the first state from which the goal cannot be reached any more', () => {
    const forks = (n: number) => (n === 0 ? [certain('it', 'goes right', 1), certain('it', 'goes wrong', 7)] : []);
    expect(explore(counter({ mustReach: reach(1) }, forks)).violations).toMatchObject([{ endsIn: 'at 7' }]);
  });

  it('does not count on faults and people to reach a goal', () => {
    const onlyByChance = (n: number) => (n === 0 ? [possible('somebody', 'helps', 1)] : []);
    expect(explore(counter({ mustReach: reach(1) }, onlyByChance)).violations).toMatchObject([{ rule: 'NEVER 1' }]);
  });

  it('asks only the states a liveness rule is about', () => {
    const rule = { rule: 'NEVER 3', from: (n: number) => n >= 2, goal: (n: number) => n === 3 };
    const stopsAtOne = (n: number) => (n === 0 ? [certain('it', 'stops', 1), certain('it', 'goes on', 2)] : upTo(3)(n));
    const strayOne = (n: number) => (n === 1 ? [] : stopsAtOne(n));
    expect(explore(counter({ mustReach: [rule] }, strayOne)).violations).toEqual([]);
  });

  it('stops at the first broken rule when asked to', () => {
    const model = counter({ stopAtFirst: true, brokenIn: n => (n > 1 ? `OVER ${n - 1}` : undefined) }, upTo(9));
    expect(explore(model)).toMatchObject({ states: 3, violations: [{ rule: 'OVER 1' }] });
  });

  it('works out once what is possible whatever is left of the budget', () => {
    const worked = new Map<number, number>();
    const model = falls({ slips: 2, pushes: 1 }, ({ at }) => worked.set(at, (worked.get(at) ?? 0) + 1));
    const found = explore(model);
    expect([...worked.values()].every(times => times <= 2)).toBe(true);
    worked.clear();
    expect(explore(inFull(model))).toEqual(found);
    expect(worked.get(9)).toBe(6);
  });

  it('breaks no rule by a fault that is not left', () => {
    const model = falls({ slips: 1, pushes: 1 }, ({ at, budget }) => {
      if (at === 5 && budget.slips > 0) throw new RuleBroken('SLIPS AT 5');
    });
    const found = explore(model);
    expect(found).toEqual(explore(inFull(model)));
    expect(found.violations).toMatchObject([
      { rule: 'SLIPS AT 5', endsIn: '5 {"slips":1,"pushes":0}' },
      { rule: 'NEVER 9' },
    ]);
    expect(found.states).toBeGreaterThan(explore(falls({ slips: 0, pushes: 1 })).states);
  });

  it('does not let a fault be spent twice at once', () => {
    const twice = falls({ slips: 2, pushes: 0 });
    const to = { at: 1, budget: { slips: 0, pushes: 0 } };
    expect(() => explore({ ...twice, actors: [() => [possible('it', 'slips', to)]] })).toThrow('spends more than one');
  });

  it('takes one representative for states that no rule can tell apart', () => {
    const model = counter({ canonical: n => n % 4 }, n => [certain('it', 'adds 3', n + 3)]);
    expect(explore(model).states).toBe(4);
  });
});
