import { describe, expect, it } from 'vitest';
import { certain, explore, type Model, possible, RuleBroken, type Step } from './explore.ts';

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

  it('takes one representative for states that no rule can tell apart', () => {
    const model = counter({ canonical: n => n % 4 }, n => [certain('it', 'adds 3', n + 3)]);
    expect(explore(model).states).toBe(4);
  });
});
