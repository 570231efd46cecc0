/**
 * The sweeper's lease: a schedule and people start runs at any time; a run may crash, end without its note, or go on past
 * its lease. A run that noted its end frees the lease of its own version, and no other. Checks that two runs are never at
 * work while both are within their time, and that a run which is asked for behind one that ended begins before the lease
 * is over. (That two at work undo nothing is the business of the other models: here it is the pace of replays.)
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /** What the note of an end frees: the lease that this run took, or whatever lease there is. */
  readonly frees: 'its own lease' | 'any lease' | 'nothing';
  /** The lease is written if it is as it was read. */
  readonly conditional: boolean;
}

const PROTOCOL: Rules = { frees: 'its own lease', conditional: true };

type Place = 'waits' | 'has read' | 'works' | 'over';

interface Run {
  readonly place: Place;
  /** Version of the lease it read, and then of the one it holds. */
  readonly version: number;
  /** Its own time is over: whatever it still does is late. */
  readonly late: boolean;
}

interface State {
  readonly version: number;
  readonly timeIsOver: boolean;
  readonly ended: number;
  readonly runs: readonly Run[];
  readonly crashesLeft: number;
  /** Ghost: a run that ended well left the lease, and no time went by. */
  readonly endedInTime: boolean;
}

const TWO_AT_WORK = 'TWO RUNS AT WORK WITHIN THEIR TIME';
const WAITS = 'A RUN THAT WAS ASKED FOR WAITS FOR A LEASE NOBODY USES';

function leaseModel(rules: Rules): Model<State> {
  const run: Run = { place: 'waits', version: 0, late: false };
  const start: State = {
    ...{ version: 0, timeIsOver: true, ended: 0, runs: [run, run, run], crashesLeft: 1, endedInTime: false },
  };
  const atWork = (state: State): number => state.runs.filter(it => it.place === 'works' && !it.late).length;
  return {
    starts: [start],
    actors: [...start.runs.map((_, me) => runner(rules, me)), time],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      {
        rule: WAITS,
        from: state => state.endedInTime && state.runs.some(it => it.place === 'waits') && atWork(state) === 0,
        goal: state => atWork(state) > 0 || state.runs.every(it => it.place === 'over'),
      },
    ],
    brokenIn: state => (atWork(state) > 1 ? TWO_AT_WORK : undefined),
    describe: state => JSON.stringify(state),
  };
}

function runner(rules: Rules, me: number): Actor<State> {
  const name = `run ${me}`;
  return state => {
    const self = state.runs[me] as Run;
    const put = (from: State, next: Partial<Run>): State => ({
      ...from,
      runs: replaceAt(from.runs, me, { ...self, ...next }),
    });
    const isFree = state.timeIsOver || (rules.frees === 'any lease' ? state.ended > 0 : state.ended === state.version);
    switch (self.place) {
      case 'waits':
        return isFree
          ? [certain(name, 'finds the lease free', put(state, { place: 'has read', version: state.version }))]
          : [];
      case 'has read': {
        if (rules.conditional && state.version !== self.version)
          return [certain(name, 'is refused the lease', put(state, { place: 'waits' }))];
        const version = state.version + 1;
        const taken: State = { ...state, version, timeIsOver: false, endedInTime: false };
        return [certain(name, 'takes the lease', put(taken, { place: 'works', version }))];
      }
      case 'works': {
        const noted = rules.frees === 'nothing' ? state.ended : self.version;
        const ended: State = { ...state, ended: noted, endedInTime: !self.late };
        const steps: Step<State>[] = [
          certain(name, 'notes its end', put(ended, { place: 'over' })),
          possible(name, 'ends, and its note is refused', put(state, { place: 'over' })),
        ];
        if (state.crashesLeft > 0)
          steps.push(
            possible(name, 'is killed', put({ ...state, crashesLeft: state.crashesLeft - 1 }, { place: 'over' })),
          );
        return steps;
      }
      case 'over':
        return [];
    }
  };
}

/** The time of the lease, and with it that of the run that holds it. Not fair: nobody may have to wait for it. */
const time: Actor<State> = state => {
  if (state.timeIsOver) return [];
  const runs = state.runs.map(it => (it.place === 'works' ? { ...it, late: true } : it));
  return [possible('time', 'ends the lease', { ...state, timeIsOver: true, runs })];
};

export const sweeperLeaseVariants: readonly Variant[] = [
  variant('GOOD', 'an end frees the lease of that run', 3_440, [], () => leaseModel(PROTOCOL)),
  variant('BAD', 'an end frees whatever lease there is', 387, [TWO_AT_WORK], () =>
    leaseModel({ ...PROTOCOL, frees: 'any lease' }),
  ),
  variant('BAD', 'a lease is written whoever wrote it meanwhile', 43, [TWO_AT_WORK], () =>
    leaseModel({ ...PROTOCOL, conditional: false }),
  ),
  variant('BAD', 'an end frees nothing', 1_994, [WAITS], () => leaseModel({ ...PROTOCOL, frees: 'nothing' })),
];
