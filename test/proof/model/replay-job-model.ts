/**
 * Bulk replay: a job item with a cursor, executed page by page by a sweeper that may crash at any write, or by two at
 * once. Checks that one job replays each of its events exactly once, also when a person replays one of them meanwhile.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  /**
   * What the replay write of a job requires besides `gen` as read. last replayId: it is not this job's, as protocol.md
   * says. since the job: the item was not replayed since the job was created (`replayedAt` < its creation).
   */
  readonly once: 'not replayed since the job' | 'last replayId is another' | 'nothing';
  /** The cursor moves after a page, or before it. */
  readonly cursor: 'after the page' | 'before the page';
  /** A write that is refused because it is ours already: go on and send, or take it for a conflict. */
  readonly refusedAsOurs: 'sends' | 'skips';
  readonly sweepsUnsent: boolean;
}

const PROTOCOL: Rules = {
  once: 'not replayed since the job',
  cursor: 'after the page',
  refusedAsOurs: 'sends',
  sweepsUnsent: true,
};

interface Item {
  readonly status: 'pending' | 'completed';
  readonly gen: number;
  readonly replayId: 'none' | 'job' | 'person';
  readonly replayedSinceJob: boolean;
  readonly copies: number;
  /** Ghosts: replays by this job; effects in this generation. */
  readonly byJob: number;
  readonly effects: number;
}

/** A sweeper in the page: at which event, having read which gen. */
interface Worker {
  readonly event: number;
  readonly next: 'read' | 'write' | 'send' | 'advance';
  readonly genSeen: number;
}

interface State {
  readonly items: readonly Item[];
  readonly pageDone: boolean;
  readonly workers: readonly (Worker | null)[];
  readonly personGenSeen: number;
  readonly personReplays: number;
  readonly crashesLeft: number;
  readonly lostRepliesLeft: number;
}

type Scope = {
  readonly sweepers: 1 | 2;
  readonly crashes: number;
  readonly lostReplies: number;
  readonly person: number;
};

const ITEM: Item = {
  status: 'completed',
  gen: 1,
  replayId: 'none',
  replayedSinceJob: false,
  copies: 0,
  byJob: 0,
  effects: 1,
};

function replayJobModel(rules: Rules, scope: Scope): Model<State> {
  const start: State = {
    items: [ITEM, ITEM],
    pageDone: false,
    workers: Array.from({ length: scope.sweepers }, () => null),
    personGenSeen: 0,
    personReplays: scope.person,
    crashesLeft: scope.crashes,
    lostRepliesLeft: scope.lostReplies,
  };
  const ran = (item: Item): boolean => item.status === 'completed';
  return {
    starts: [start],
    actors: [...start.workers.map((_, me) => worker(rules, me)), consumer, unsentSweeper(rules), person],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      { rule: SKIPPED, from: () => true, goal: s => s.pageDone && s.items.every(i => ran(i) && i.replayedSinceJob) },
    ],
    brokenIn: state => {
      if (state.items.some(item => item.byJob > 1)) return TWICE_BY_JOB;
      return state.items.some(item => item.effects > 1) ? TWICE : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

const SKIPPED = 'AN EVENT OF THE JOB IS NEVER REPLAYED';
const TWICE_BY_JOB = 'ONE JOB REPLAYED AN EVENT TWICE';
const TWICE = 'I5 EFFECT TWICE IN ONE GENERATION';

function replayed(item: Item, by: 'job' | 'person'): Item {
  return {
    status: 'pending',
    gen: item.gen + 1,
    replayId: by,
    replayedSinceJob: true,
    copies: 0,
    byJob: item.byJob + (by === 'job' ? 1 : 0),
    effects: 0,
  };
}

function worker(rules: Rules, me: number): Actor<State> {
  const name = `sweeper ${me}`;
  return state => {
    const self = state.workers[me];
    const put = (from: State, next: Worker | null): State => ({ ...from, workers: replaceAt(from.workers, me, next) });
    if (!self) {
      if (state.pageDone) return [];
      const early = rules.cursor === 'before the page';
      const begun: State = { ...state, pageDone: early };
      return [certain(name, 'begins the page', put(begun, { event: 0, next: 'read', genSeen: 0 }))];
    }
    const steps: Step<State>[] = [];
    if (state.crashesLeft > 0) {
      const crashed = put({ ...state, crashesLeft: state.crashesLeft - 1 }, null);
      steps.push(possible(name, `crashes before ${self.next}`, crashed));
    }
    if (self.next === 'advance')
      return [...steps, certain(name, 'moves the cursor', put({ ...state, pageDone: true }, null))];
    const item = state.items[self.event];
    if (!item) throw new Error(`There is no event ${self.event} in the page.`);
    const withItem = (changed: Item): State => ({ ...state, items: replaceAt(state.items, self.event, changed) });
    const nextEvent: Worker =
      self.event + 1 < state.items.length
        ? { event: self.event + 1, next: 'read', genSeen: 0 }
        : { event: self.event, next: 'advance', genSeen: 0 };
    if (self.next === 'read') {
      return [
        ...steps,
        certain(name, `reads event ${self.event}`, put(state, { ...self, next: 'write', genSeen: item.gen })),
      ];
    }
    if (self.next === 'send') {
      const sent = withItem({ ...item, copies: Math.min(2, item.copies + 1) });
      return [...steps, certain(name, `sends event ${self.event}`, put(sent, nextEvent))];
    }
    const ours = item.replayId === 'job';
    const done =
      (rules.once === 'not replayed since the job' && item.replayedSinceJob) ||
      (rules.once === 'last replayId is another' && ours);
    if (item.gen !== self.genSeen || done) {
      const sends = ours && rules.refusedAsOurs === 'sends';
      const action = `is refused for event ${self.event}${ours ? ' (ours already)' : ''}`;
      return [...steps, certain(name, action, put(state, sends ? { ...self, next: 'send' } : nextEvent))];
    }
    const written = withItem(replayed(item, 'job'));
    steps.push(certain(name, `replays event ${self.event}`, put(written, { ...self, next: 'send' })));
    if (state.lostRepliesLeft > 0) {
      const lost: State = { ...written, lostRepliesLeft: state.lostRepliesLeft - 1 };
      const next: Worker = rules.refusedAsOurs === 'sends' ? { ...self, next: 'send' } : nextEvent;
      steps.push(possible(name, `replays event ${self.event}, reply lost, own retry refused`, put(lost, next)));
    }
    return steps;
  };
}

/** Claim, effect and completion in one step; a copy of a finished event is deleted. Generations are told by `gen`. */
const consumer: Actor<State> = state =>
  state.items.flatMap((item, i) => {
    if (item.copies === 0) return [];
    const copies = item.copies - 1;
    const run = item.status === 'pending';
    const after: Item = run ? { ...item, copies, status: 'completed', effects: item.effects + 1 } : { ...item, copies };
    const action = run ? `runs event ${i}` : `deletes a stale copy of event ${i}`;
    return [certain('consumer', action, { ...state, items: replaceAt(state.items, i, after) })];
  });

function unsentSweeper(rules: Rules): Actor<State> {
  return state =>
    state.items.flatMap((item, i) => {
      if (!rules.sweepsUnsent || item.status !== 'pending' || item.copies > 0) return [];
      const sent: Item = { ...item, copies: 1 };
      return [certain('unsent row', `sends event ${i}`, { ...state, items: replaceAt(state.items, i, sent) })];
    });
}

/** Somebody replays the first event alone: reads the gen, then writes if it is still the same. */
const person: Actor<State> = state => {
  const item = state.items[0];
  if (!item || state.personReplays === 0) return [];
  if (state.personGenSeen === 0) return [possible('person', 'reads event 0', { ...state, personGenSeen: item.gen })];
  const done: State = { ...state, personGenSeen: 0, personReplays: state.personReplays - 1 };
  if (item.gen !== state.personGenSeen) return [possible('person', 'gets 409', done)];
  return [
    possible('person', 'replays event 0', { ...done, items: replaceAt(state.items, 0, replayed(item, 'person')) }),
  ];
};

const ONE: Scope = { sweepers: 1, crashes: 2, lostReplies: 1, person: 0 };
const WITH_PERSON: Scope = { ...ONE, crashes: 1, person: 1 };
const TWO: Scope = { ...WITH_PERSON, sweepers: 2 };

export const replayJobVariants: readonly Variant[] = [
  good('bulk replay: two crashes, lost reply', 1_167, ONE, {}),
  good('bulk replay: a person replays meanwhile', 3_394, WITH_PERSON, {}),
  good('bulk replay: two sweepers, a person', 55_882, TWO, {}),
  good('bulk replay by the last replayId, nobody replays meanwhile', 1_167, ONE, { once: 'last replayId is another' }),
  bad('a crashed page replays again', 68, TWICE_BY_JOB, ONE, { once: 'nothing' }),
  variant('TEXT', 'a job knows only the last replayId, a person replays meanwhile', 511, [TWICE_BY_JOB], () =>
    replayJobModel({ ...PROTOCOL, once: 'last replayId is another' }, WITH_PERSON),
  ),
  bad('cursor moved before the page', 164, SKIPPED, ONE, { cursor: 'before the page' }),
  bad('own retry taken for a conflict, unsent events not swept', 264, SKIPPED, ONE, {
    refusedAsOurs: 'skips',
    sweepsUnsent: false,
  }),
  variant('SPARE', 'own retry taken for a conflict (the unsent row covers)', 870, [], () =>
    replayJobModel({ ...PROTOCOL, refusedAsOurs: 'skips' }, ONE),
  ),
];

function good(name: string, states: number, scope: Scope, rules: Partial<Rules>): Variant {
  return variant('GOOD', name, states, [], () => replayJobModel({ ...PROTOCOL, ...rules }, scope));
}

function bad(name: string, states: number, breaks: string, scope: Scope, rules: Partial<Rules>): Variant {
  return variant('BAD', name, states, [breaks], () => replayJobModel({ ...PROTOCOL, ...rules }, scope));
}
