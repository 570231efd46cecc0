/**
 * Expiry of one event: `expiresAt` only on terminal items, removed by replay and redrive; DynamoDB deletes an expired
 * item at any time after its expiry, perhaps never; an item that exists means duplicate, expired or not.
 * The dedup window is an assumption on time: nothing expires while the provider may still retry or a copy still lives.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

interface Rules {
  readonly expiresSetAt: 'terminal' | 'insert';
  readonly replayRemovesExpiry: boolean;
  readonly redriveRemovesExpiry: boolean;
  /** Ingest treats an expired item as absent and puts over it. */
  readonly expiredMeansAbsent: boolean;
  /** The window is longer than the provider's retries; the retention is longer than any copy lives. */
  readonly windowCoversRetries: boolean;
  readonly retentionCoversCopies: boolean;
  /** Every later write requires the item it read (its `gen`), so that none creates an item after a deletion. */
  readonly writesRequireTheItem: boolean;
}

const PROTOCOL: Rules = {
  expiresSetAt: 'terminal',
  replayRemovesExpiry: true,
  redriveRemovesExpiry: true,
  expiredMeansAbsent: false,
  windowCoversRetries: true,
  retentionCoversCopies: true,
  writesRequireTheItem: true,
};

interface Item {
  readonly status: 'pending' | 'processing' | 'parked' | 'completed' | 'dead';
  readonly gen: number;
  readonly expires: 'no' | 'ahead' | 'passed';
}

interface State {
  readonly item: Item | undefined;
  /** Copies in the main queue by generation, and whether one of them was redriven from the DLQ. */
  readonly copies: readonly number[];
  readonly redriven: boolean;
  readonly inDlq: boolean;
  /** The generation that a consumer runs; it holds its copy. */
  readonly running: number | undefined;
  readonly providerRetries: boolean;
  readonly duplicatesLeft: number;
  readonly operator: 'idle' | 'has read' | 'done';
  /** The generation that the operator read. */
  readonly genSeen: number;
  readonly crashesLeft: number;
  /** Ghosts: somebody was promised an end for this generation; effects per generation. */
  readonly owed: boolean;
  readonly effects: readonly number[];
}

const START: State = {
  item: undefined,
  copies: [0, 0],
  redriven: false,
  inDlq: false,
  running: undefined,
  providerRetries: true,
  duplicatesLeft: 2,
  operator: 'idle',
  genSeen: 1,
  crashesLeft: 1,
  owed: false,
  effects: [0, 0],
};

const at = (list: readonly number[], gen: number): number => list[gen - 1] ?? 0;
const add = (list: readonly number[], gen: number, count: number): readonly number[] =>
  list.map((n, index) => (index === gen - 1 ? Math.min(2, n + count) : n));

function ttlModel(rules: Rules): Model<State> {
  return {
    starts: [START],
    actors: [provider(rules), processor(rules), sweeper, operator(rules), person, time(rules)],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: 'LOST', from: state => state.owed, goal: state => !state.owed }],
    brokenIn: state => {
      if (state.effects.some(count => count > 1)) return 'I5 EFFECT TWICE IN ONE GENERATION';
      return state.item && state.item.gen === 0 ? 'I14 A WRITE CREATED AN ITEM WITHOUT ITS EVENT' : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

/** A request: a first one, a retry, or one resent by hand as long as the event is still on record. */
function provider(rules: Rules): Actor<State> {
  return state => {
    const { item } = state;
    const steps: Step<State>[] = [];
    if (state.providerRetries)
      steps.push(certain('provider', 'will not retry any more', { ...state, providerRetries: false }));
    if (state.duplicatesLeft === 0 || !(state.providerRetries || item)) return steps;
    const arrived = { ...state, duplicatesLeft: state.duplicatesLeft - 1 };
    if (item && !(rules.expiredMeansAbsent && item.expires === 'passed')) {
      return [...steps, possible('provider', 'sends a duplicate: nothing happens', arrived)];
    }
    const created: Item = { status: 'pending', gen: 1, expires: rules.expiresSetAt === 'insert' ? 'ahead' : 'no' };
    const recorded: State = { ...arrived, item: created, owed: true };
    return [
      ...steps,
      possible('provider', 'sends the event: recorded and sent', { ...recorded, copies: add(state.copies, 1, 1) }),
      possible('provider', 'sends the event: recorded, the send fails', recorded),
      possible('provider', 'sends the event: recorded, sent twice', { ...recorded, copies: add(state.copies, 1, 2) }),
    ];
  };
}

function processor(rules: Rules): Actor<State> {
  return state => (state.running === undefined ? receive(rules, state) : finish(rules, state, state.running));
}

function receive(rules: Rules, state: State): readonly Step<State>[] {
  const { item } = state;
  return [1, 2]
    .filter(gen => at(state.copies, gen) > 0)
    .map(gen => {
      const taken: State = { ...state, copies: add(state.copies, gen, -1) };
      const step = (action: string, to: State): Step<State> => certain('consumer', `${action} (gen ${gen})`, to);
      const run = (from: Item, changes: Partial<Item>): State => ({
        ...taken,
        running: gen,
        redriven: false,
        item: { ...from, ...changes, status: 'processing' },
      });
      if (!item) return step('finds no item, creates it', run({ status: 'pending', gen, expires: 'no' }, {}));
      if (item.gen !== gen || item.status === 'completed') return step('deletes a stale copy', taken);
      if (item.status === 'dead') {
        if (!state.redriven) return step('deletes a copy of a dead event', taken);
        return step('revives', { ...run(item, rules.redriveRemovesExpiry ? { expires: 'no' } : {}), owed: true });
      }
      return step('claims', run(item, {}));
    });
}

function finish(rules: Rules, state: State, gen: number): readonly Step<State>[] {
  const { item } = state;
  const step = (action: string, to: State): Step<State> => certain('consumer', action, to);
  const back: State = { ...state, running: undefined, copies: add(state.copies, gen, 1) };
  const mine = item?.gen === gen && item.status === 'processing';
  if (!mine || !item) return [step('has lost its claim: reports failure', back)];
  const idle: State = { ...state, running: undefined };
  const expires = rules.expiresSetAt === 'terminal' ? ('ahead' as const) : item.expires;
  const effects = add(state.effects, gen, 1);
  const steps = [
    step('commits effect and completed', {
      ...idle,
      item: { ...item, status: 'completed', expires },
      owed: false,
      effects,
    }),
    step('parks until much later', { ...idle, item: { ...item, status: 'parked' } }),
    step('writes dead_letter, in the DLQ', {
      ...idle,
      item: { ...item, status: 'dead', expires },
      owed: false,
      inDlq: true,
    }),
  ];
  if (state.crashesLeft === 0) return steps;
  return [...steps, possible('consumer', 'crashes', { ...back, crashesLeft: state.crashesLeft - 1 })];
}

/** Sends what is owed and has no copy. */
const sweeper: Actor<State> = state => {
  const { item } = state;
  const owed = item && (item.status === 'pending' || item.status === 'parked');
  if (!owed || at(state.copies, item.gen) > 0) return [];
  return [certain('sweeper', 'sends', { ...state, copies: add(state.copies, item.gen, 1) })];
};

function operator(rules: Rules): Actor<State> {
  return state => {
    const { item } = state;
    const step = (action: string, to: State): Step<State> => possible('operator', action, to);
    if (state.operator === 'idle' && item && item.gen === 1) {
      return [step('reads the gen', { ...state, operator: 'has read' })];
    }
    if (state.operator !== 'has read') return [];
    const done: State = { ...state, operator: 'done' };
    if (!item) {
      if (rules.writesRequireTheItem) return [step('replays: the item is gone, 404', done)];
      return [step('replays an item that is gone', { ...done, item: { status: 'pending', gen: 0, expires: 'no' } })];
    }
    if (item.status === 'processing' || item.gen !== state.genSeen) return [step('replays: 409', done)];
    const expires = rules.replayRemovesExpiry ? ('no' as const) : item.expires;
    return [step('replays', { ...done, item: { status: 'pending', gen: 2, expires }, owed: true, inDlq: false })];
  };
}

const person: Actor<State> = state => {
  const { item } = state;
  if (!state.inDlq || item?.status !== 'dead' || at(state.copies, item.gen) > 1) return [];
  const copies = add(state.copies, item.gen, 1);
  return [possible('person', 'redrives the dead letter', { ...state, inDlq: false, redriven: true, copies })];
};

function time(rules: Rules): Actor<State> {
  return state => {
    const { item } = state;
    const steps: Step<State>[] = [];
    const copiesLive = state.inDlq || state.copies.some(count => count > 0) || state.running !== undefined;
    const tooEarly =
      (rules.windowCoversRetries && state.providerRetries) || (rules.retentionCoversCopies && copiesLive);
    if (item?.expires === 'ahead' && !tooEarly) {
      steps.push(certain('time', 'expiresAt passes', { ...state, item: { ...item, expires: 'passed' } }));
    }
    if (item?.expires === 'passed')
      steps.push(possible('DynamoDB', 'deletes the expired item', { ...state, item: undefined }));
    return steps;
  };
}

const LOST = 'LOST';
const TWICE = 'I5 EFFECT TWICE IN ONE GENERATION';
const HOLLOW = 'I14 A WRITE CREATED AN ITEM WITHOUT ITS EVENT';

export const ttlVariants: readonly Variant[] = [
  variant('GOOD', 'TTL: only terminal items expire', 710, [], () => ttlModel(PROTOCOL)),
  bad('TTL at insert', 1_134, LOST, { expiresSetAt: 'insert' }),
  bad('replay keeps the old TTL', 966, LOST, { replayRemovesExpiry: false }),
  bad('redrive keeps the old TTL', 1_096, LOST, { redriveRemovesExpiry: false }),
  bad('an expired item that is still there counts as absent', 394, TWICE, { expiredMeansAbsent: true }),
  bad("window shorter than the provider's retries", 452, TWICE, { windowCoversRetries: false }),
  bad('retention shorter than a copy lives', 511, TWICE, { retentionCoversCopies: false }),
  bad('replay does not require the item', 382, HOLLOW, { writesRequireTheItem: false }),
];

function bad(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('BAD', name, states, [breaks], () => ttlModel({ ...PROTOCOL, ...rules }));
}
