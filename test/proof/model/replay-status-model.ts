/**
 * A replay job of what has one status, here of two deliveries that wait for their retry, while their endpoint answers again:
 * a page is read, then each record, then W17. Sessions deliver at any moment between. Checks that a job of what waits sends
 * nothing again that was delivered meanwhile, and that what still waits is replayed, through crashes, lost replies and
 * transactions that meet another one.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from '#test/proof/model/explorer/model.ts';
import { type Variant, variant } from '#test/proof/model/variants.ts';

interface Rules {
  /** When the status of a delivery is compared with that of the job. */
  readonly asked: 'in the write' | 'of its record, before the write' | 'of its page';
  /** A transaction that met another one, each time it was tried: nobody knows of a reason to leave the delivery out. */
  readonly conflict: 'the page again' | 'passed by';
}

const PROTOCOL: Rules = { asked: 'in the write', conflict: 'the page again' };

interface Delivery {
  readonly status: 'retrying' | 'pending' | 'delivered';
  readonly gen: number;
  readonly byJob: boolean;
  /** Ghost: the job replayed what was delivered. */
  readonly again: boolean;
}
interface Worker {
  readonly at: number;
  readonly next: 'record' | 'write' | 'advance';
  /** By the page, those that wait; of the record, its generation. */
  readonly page: readonly boolean[];
  readonly gen: number;
}
interface State {
  readonly deliveries: readonly Delivery[];
  readonly worker: Worker | null;
  readonly pageDone: boolean;
  readonly crashes: number;
  readonly lostReplies: number;
  readonly conflicts: number;
}

const AGAIN = 'O5 A JOB OF WHAT WAITS SENT AGAIN WHAT WAS DELIVERED';
const PASSED = 'O2 A JOB PASSED BY WHAT STILL WAITS';
const NEVER = 'O2 STUCK FOR EVER';
const WAITS: Delivery = { status: 'retrying', gen: 1, byJob: false, again: false };

function replayStatusModel(rules: Rules): Model<State> {
  const budgets = { crashes: 1, lostReplies: 1, conflicts: 1 };
  const start: State = { deliveries: [WAITS, WAITS], worker: null, pageDone: false, ...budgets };
  return {
    starts: [start],
    actors: [job(rules), sessions],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      {
        rule: NEVER,
        from: () => true,
        goal: ({ pageDone, deliveries }) => pageDone && deliveries.every(({ status }) => status === 'delivered'),
      },
    ],
    brokenIn: ({ deliveries, pageDone }) => {
      if (deliveries.some(({ again }) => again)) return AGAIN;
      return pageDone && deliveries.some(({ status }) => status === 'retrying') ? PASSED : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

function job(rules: Rules): Actor<State> {
  return state => {
    const { worker, deliveries } = state;
    if (worker === null) {
      if (state.pageDone) return [];
      // A page that is run again knows its own replays by their id.
      const page = deliveries.map(({ status, byJob }) => status === 'retrying' || byJob);
      return [certain('job', 'reads a page', { ...state, worker: { at: 0, next: 'record', page, gen: 0 } })];
    }
    const steps: Step<State>[] = [];
    if (state.crashes > 0) {
      const dead = { ...state, worker: null, crashes: state.crashes - 1 };
      steps.push(possible('job', `CRASHES at ${worker.next}`, dead));
    }
    if (worker.next === 'advance')
      return [...steps, certain('job', 'moves its place', { ...state, worker: null, pageDone: true })];
    const { at } = worker;
    const seen = deliveries[at] as Delivery;
    const on = (from: State): State => ({
      ...from,
      worker: {
        ...worker,
        gen: 0,
        ...(at + 1 < deliveries.length ? { at: at + 1, next: 'record' } : { next: 'advance' }),
      },
    });
    if (worker.next === 'record') {
      const leaves = !worker.page[at] || seen.byJob || (rules.asked !== 'of its page' && seen.status !== 'retrying');
      const to = leaves ? on(state) : { ...state, worker: { ...worker, next: 'write', gen: seen.gen } as const };
      return [...steps, certain('job', `reads record ${at}`, to)];
    }
    const refused = seen.gen !== worker.gen || (rules.asked === 'in the write' && seen.status !== 'retrying');
    if (refused) return [...steps, certain('job', `is refused for ${at}`, on(state))];
    if (state.conflicts > 0) {
      const met = { ...state, conflicts: state.conflicts - 1 };
      const to = rules.conflict === 'passed by' ? on(met) : { ...met, worker: null };
      steps.push(possible('job', `meets another transaction at ${at}`, to));
    }
    const again = seen.status === 'delivered';
    const replayed: Delivery = { ...seen, status: 'pending', gen: seen.gen + 1, byJob: true, again };
    const written = { ...state, deliveries: replaceAt(deliveries, at, replayed) };
    steps.push(certain('job', `replays ${at}`, on(written)));
    if (state.lostReplies > 0) {
      // It reads the record once more, and finds itself.
      const lost: State = { ...written, lostReplies: state.lostReplies - 1, worker: { ...worker, next: 'record' } };
      steps.push(possible('job', `replays ${at}, the reply is lost`, lost));
    }
    return steps;
  };
}

/** Of a retry, or of the replay: the endpoint answers, W5. */
const sessions: Actor<State> = state =>
  state.deliveries.flatMap((delivery, at) => {
    if (delivery.status === 'delivered') return [];
    const done: Delivery = { ...delivery, status: 'delivered' };
    return [certain('session', `delivers ${at}`, { ...state, deliveries: replaceAt(state.deliveries, at, done) })];
  });

export const replayStatusVariants: readonly Variant[] = [
  variant('GOOD', 'a job of what waits', 564, [], () => replayStatusModel(PROTOCOL)),
  variant('BAD', 'the status is asked before the write', 44, [AGAIN], () =>
    replayStatusModel({ ...PROTOCOL, asked: 'of its record, before the write' }),
  ),
  variant('BAD', 'the status is asked when the page is read', 43, [AGAIN], () =>
    replayStatusModel({ ...PROTOCOL, asked: 'of its page' }),
  ),
  variant('BAD', 'a conflict passes the delivery by', 139, [PASSED], () =>
    replayStatusModel({ ...PROTOCOL, conflict: 'passed by' }),
  ),
];
