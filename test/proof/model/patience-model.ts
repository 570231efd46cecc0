/**
 * What spends an attempt while a dependency is away. An event fails in four ways: by itself (`fails`), because its handler
 * asks to be called again (`asks`), as the probe of an open breaker (`probes`), in a processor whose breaker is closed while
 * that of the processor before it is open (`strays`). The last three are free until the schedule's own time is over, counted
 * in steps of time since the first free wait; after that they count. A processor knows of the other's breaker by the record.
 * A pause is no such time: the wait begins anew after it, whoever held the event back. A processor parks what it gets; what
 * waited parked already is set aside by the sweeper.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import type { Actor, Model, Step } from './explorer/model.ts';

const ATTEMPTS = 2;
/** The schedule's own time. */
const SPAN = 4;

export interface PatienceRules {
  /** What a wait that the handler asked for costs: nothing within the span, always an attempt, never one. */
  readonly askedWait: 'free within the span' | 'attempt' | 'free';
  readonly probeOfOpenBreaker: 'free within the span' | 'attempt' | 'free';
  readonly heldElsewhere: 'free within the span' | 'attempt' | 'free';
  /** A claim that gave its attempt back starts the time anew. */
  readonly restartsClock: boolean;
  /** Who starts the time anew in a pause. */
  readonly pauseRestarts: 'processor and sweeper' | 'processor';
}
export const PATIENCE: PatienceRules = {
  askedWait: 'free within the span',
  probeOfOpenBreaker: 'free within the span',
  heldElsewhere: 'free within the span',
  restartsClock: false,
  pauseRestarts: 'processor and sweeper',
};

interface State {
  readonly status: 'waits' | 'runs' | 'completed' | 'dead';
  readonly attempts: number;
  /** Steps of time since the first free wait; undefined: there was none. */
  readonly waited: number | undefined;
  /** Every failure so far was a free one by its kind. */
  readonly blameless: boolean;
  /** Ghost: the same steps, since the last pause. */
  readonly patience: number | undefined;
  /** Long pauses that may still come. */
  readonly pauses: number;
}

type Failure = 'fails' | 'asks' | 'probes' | 'strays';

const START: State = {
  status: 'waits',
  attempts: 0,
  waited: undefined,
  blameless: true,
  patience: undefined,
  pauses: 0,
};

/** `failures`: how its attempts may fail. `comesBack`: whether the dependency ever does. */
export function patienceModel(
  rules: PatienceRules,
  failures: readonly Failure[],
  comesBack: boolean,
  pauses = 0,
): Model<State> {
  const isEnded = ({ status }: State): boolean => status === 'completed' || status === 'dead';
  return {
    starts: [{ ...START, pauses }],
    actors: [eventActor(rules, failures, comesBack)],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: 'I2 AN EVENT NEVER ENDS', from: () => true, goal: isEnded }],
    brokenIn: ({ status, patience, blameless }) =>
      status === 'dead' && blameless && (patience ?? 0) < SPAN ? 'DEAD BEFORE THE SCHEDULE WAS OVER' : undefined,
    describe: state => JSON.stringify(state),
  };
}

function eventActor(rules: PatienceRules, failures: readonly Failure[], comesBack: boolean): Actor<State> {
  return state => {
    const step = (action: string, to: State): Step<State> => ({ actor: 'event', action, fair: true, to });
    switch (state.status) {
      case 'waits': {
        const waited = after(state.waited);
        const claimed = { ...state, status: 'runs', attempts: state.attempts + 1, waited } as const;
        return [
          step('is due and claimed', { ...claimed, patience: after(state.patience) }),
          ...(state.pauses === 0 ? [] : (['processor', 'sweeper'] as const)).map(who => ({
            ...step(`a long pause, in which the ${who} holds it back`, afterPause(rules, state, who)),
            fair: false,
          })),
        ];
      }
      case 'runs':
        return [
          ...failures.map(how => step(how, afterFailure(rules, state, how))),
          ...(comesBack ? [step('completes', { ...state, status: 'completed' })] : []),
        ];
      case 'completed':
      case 'dead':
        return [];
    }
  };
}

const after = (steps: number | undefined): number | undefined =>
  steps === undefined ? undefined : Math.min(SPAN, steps + 1);

function afterPause({ pauseRestarts }: PatienceRules, state: State, who: 'processor' | 'sweeper'): State {
  const restarts = who === 'processor' || pauseRestarts === 'processor and sweeper';
  const waited = restarts || state.waited === undefined ? undefined : SPAN;
  return { ...state, waited, patience: undefined, pauses: state.pauses - 1 };
}

function afterFailure(rules: PatienceRules, state: State, how: Failure): State {
  const rule = ruleFor(how, rules);
  const isFree = rule === 'free' || (rule === 'free within the span' && (state.waited ?? 0) < SPAN);
  const blameless = state.blameless && how !== 'fails';
  if (isFree) {
    const waited = rules.restartsClock ? 0 : (state.waited ?? 0);
    const patience = rules.restartsClock ? 0 : (state.patience ?? 0);
    return { ...state, status: 'waits', attempts: state.attempts - 1, waited, blameless, patience };
  }
  return { ...state, status: state.attempts >= ATTEMPTS ? 'dead' : 'waits', blameless };
}

function ruleFor(how: Failure, rules: PatienceRules): PatienceRules['askedWait'] {
  switch (how) {
    case 'fails':
      return 'attempt';
    case 'asks':
      return rules.askedWait;
    case 'probes':
      return rules.probeOfOpenBreaker;
    case 'strays':
      return rules.heldElsewhere;
  }
}
