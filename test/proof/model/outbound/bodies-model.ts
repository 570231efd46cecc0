/**
 * Whose body is it? A customer A with a message and a copy of it, a broadcast that another customer B waits for, and A's
 * copy of that; a publish that is refused, and one that repeats the original. Bodies lie in a bucket. A's bodies are erased one by one, and A as a whole,
 * while copies are made, requests wait for their turn, and processes die. Sending itself is the outbound model's.
 */

import { keyOfValues } from '#test/proof/model/explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from '#test/proof/model/explorer/model.ts';
import { slow, type Variant, variant } from '#test/proof/model/variants.ts';

interface Rules {
  readonly copy: 'has a body of its own' | 'names the body of its original';
  /** What the write of a copy requires of its original. */
  readonly copyPut: 'the body was not removed' | 'nothing';
  readonly copies: 'are erased with the original' | 'stay';
  /** A request that waited for more than a second. */
  readonly waited: 'is read again' | 'is sent as it was read';
  /** The answer to a person who erased a body. */
  readonly answer: 'after two seconds' | 'at once';
  readonly refusedBody: 'is emptied' | 'stays';
  /** A repeated publish builds its body anew, with a later time in it. */
  readonly repeatedBody: 'is named by its bytes' | 'takes the place of the first';
  /** A person erases a body: also what a publish left there that died before its message was written. */
  readonly emptied: 'is all below the message' | 'is what the message names';
  readonly erasure: 'ends with a list of the prefix' | 'goes by messages';
}
const PROTOCOL: Rules = {
  copy: 'has a body of its own',
  copyPut: 'the body was not removed',
  copies: 'are erased with the original',
  waited: 'is read again',
  answer: 'after two seconds',
  refusedBody: 'is emptied',
  repeatedBody: 'is named by its bytes',
  emptied: 'is all below the message',
  erasure: 'ends with a list of the prefix',
};

/** original, its copy, broadcast, A's copy of the broadcast. All but the broadcast are A's. */
const MESSAGES = ['original', 'copy', 'broadcast', 'copyOfBroadcast'] as const;
type Name = (typeof MESSAGES)[number];
const OF: Partial<Record<Name, Name>> = { copy: 'original', copyOfBroadcast: 'broadcast' };
const MINE = ['original', 'copy', 'copyOfBroadcast'] as const;

interface Message {
  /** The object that it names; absent: there is no message. */
  readonly names?: Name;
  readonly removed: boolean;
  /** Beside its original. */
  readonly named: boolean;
  /** `fresh`: a session read it less than a second ago; `old`: it waits with what it read. */
  readonly delivery: 'none' | 'waiting' | 'fresh' | 'old' | 'sent' | 'ended';
  /** Who makes this copy: has read the original, has stored the body. */
  readonly copier: 'idle' | 'read' | 'stored' | 'over';
}
type Bodies = Readonly<Record<Name | 'refused' | 'repeated', boolean>>;
interface State {
  readonly messages: Readonly<Record<Name, Message>>;
  /** Whether the object holds bytes. */
  readonly full: Bodies;
  readonly publisher: 'idle' | 'stored' | 'answered' | 'dead';
  /** Publishes the original once more. */
  readonly repeater: 'idle' | 'stored' | 'over';
  /** Ghost: its body was stored before anybody asked to erase the original. */
  readonly repeatedBefore: boolean;
  /** Ghost: the object of the original holds other bytes than those that were accepted. */
  readonly changed: boolean;
  /** A person erases the body of one message: which, and how far. */
  readonly person: {
    readonly of?: 'original' | 'copy';
    readonly at: 'idle' | 'emptied' | 'removed' | 'copies' | 'answered';
  };
  readonly erasure: 'idle' | 'closed' | 'messages' | 'done';
  readonly crashesLeft: number;
  /** Ghost: a body was sent though its customer had heard that it is erased. */
  readonly sentAfter: boolean;
}

const TWO_NAMES = 'ONE OBJECT IS NAMED BY TWO MESSAGES';
const LOST = 'THE BODY OF ANOTHER CUSTOMER OR MESSAGE IS GONE';
const SENT = 'A REQUEST WITH AN ERASED BODY BEGAN AFTER THE ANSWER';
const LEFT = 'BYTES ARE LEFT AFTER THE ERASURE';
const LEFT_BY_REFUSED = 'A REFUSED PUBLISH LEFT ITS BODY';
const LEFT_BY_DEAD = 'BYTES OF AN ERASED MESSAGE ARE LEFT BY A PUBLISH THAT DIED';
const CHANGED = 'OTHER BYTES ARE SENT UNDER THE SAME WEBHOOK-ID';
const BACK = 'AN ERASED BODY IS BACK';
const UNSENT = 'THE BROADCAST IS NEVER SENT';

const there = (names: Name): Message => ({ names, removed: false, named: false, delivery: 'waiting', copier: 'over' });
const none: Message = { removed: false, named: false, delivery: 'none', copier: 'idle' };

function start(crashes: number, repeats: boolean): State {
  return {
    messages: { original: there('original'), copy: none, broadcast: there('broadcast'), copyOfBroadcast: none },
    full: { original: true, copy: false, broadcast: true, copyOfBroadcast: false, refused: false, repeated: false },
    publisher: 'idle',
    repeater: repeats ? 'idle' : 'over',
    repeatedBefore: false,
    changed: false,
    person: { at: 'idle' },
    erasure: 'idle',
    crashesLeft: crashes,
    sentAfter: false,
  };
}

const withMessage = (state: State, name: Name, change: Partial<Message>): State => ({
  ...state,
  messages: { ...state.messages, [name]: { ...state.messages[name], ...change } },
});
const withBody = (state: State, name: keyof Bodies, full: boolean): State => ({
  ...state,
  full: { ...state.full, [name]: full },
});
const hasBody = ({ messages, full }: State, name: Name): boolean => {
  const { names, removed } = messages[name];
  return names !== undefined && !removed && full[names];
};
const isErased = ({ person, erasure }: State, name: Name): boolean =>
  (name !== 'broadcast' && erasure === 'done') ||
  (person.at === 'answered' && (person.of === name || (person.of === 'original' && name === 'copy')));

/** A session: reads message and body, waits, sends. B's for the broadcast, A's for the others. */
function session(rules: Rules, name: Name): Actor<State> {
  return state => {
    const { delivery } = state.messages[name];
    const to = (change: Message['delivery']): State => withMessage(state, name, { delivery: change });
    const look = (): State => to(hasBody(state, name) ? 'fresh' : 'ended');
    const send = (): State => ({ ...to('sent'), sentAfter: state.sentAfter || isErased(state, name) });
    const who = `session of ${name}`;
    if (delivery === 'waiting') return [certain(who, 'reads', look())];
    if (delivery === 'fresh') return [certain(who, 'sends', send()), possible(who, 'waits for a second', to('old'))];
    if (delivery !== 'old') return [];
    return rules.waited === 'is read again' ? [certain(who, 'reads again', look())] : [certain(who, 'sends', send())];
  };
}

/** `as_new`: reads the original, stores a body, puts the copy with its name beside the original. */
function copier(rules: Rules, name: 'copy' | 'copyOfBroadcast'): Actor<State> {
  const of = OF[name] as Name;
  return state => {
    const me = state.messages[name];
    const who = `copier of ${of}`;
    const to = (at: Message['copier']): State => withMessage(state, name, { copier: at });
    const open = state.erasure === 'idle' || state.erasure === 'closed';
    const own = rules.copy === 'has a body of its own';
    const steps: Step<State>[] = [];
    if (me.copier === 'idle' && state.erasure === 'idle' && hasBody(state, of))
      steps.push(possible(who, 'reads', to('read')));
    // The erasure of an application waits until whoever had begun is over.
    if (!open) return steps;
    if (me.copier === 'read')
      steps.push(certain(who, 'stores the body', own ? withBody(to('stored'), name, true) : to('stored')));
    if (me.copier === 'stored') {
      const removed = state.messages[of].removed || state.messages[of].names === undefined;
      const refused = rules.copyPut === 'the body was not removed' && removed;
      const put = withMessage(to('over'), name, { names: own ? name : of, named: true, delivery: 'waiting' });
      steps.push(
        certain(who, refused ? 'is refused' : 'puts the copy', refused ? withBody(to('over'), name, false) : put),
      );
    }
    const busy = me.copier === 'read' || me.copier === 'stored';
    if (busy && state.crashesLeft > 0)
      steps.push(possible(who, 'dies', { ...to('over'), crashesLeft: state.crashesLeft - 1 }));
    return steps;
  };
}

/** The body is stored before the message is refused. */
function publisher(rules: Rules): Actor<State> {
  return state => {
    if (state.publisher === 'idle' && state.erasure === 'idle')
      return [possible('publisher', 'stores the body', withBody({ ...state, publisher: 'stored' }, 'refused', true))];
    if (state.publisher !== 'stored') return [];
    const left = rules.refusedBody === 'stays';
    const answered = withBody({ ...state, publisher: 'answered' }, 'refused', left);
    const dead: State = { ...state, publisher: 'dead', crashesLeft: state.crashesLeft - 1 };
    return [
      certain('publisher', 'is refused', answered),
      ...(state.crashesLeft > 0 ? [possible('publisher', 'dies', dead)] : []),
    ];
  };
}

/** The producer did not hear the answer: it stores a body, and its message is refused by the one that is there. */
function repeater(rules: Rules): Actor<State> {
  return state => {
    const { names } = state.messages.original;
    const apart = rules.repeatedBody === 'is named by its bytes';
    if (state.repeater === 'idle' && state.erasure === 'idle' && names !== undefined) {
      const repeatedBefore = state.person.at === 'idle';
      const stored: State = { ...state, repeater: 'stored', changed: !apart, repeatedBefore };
      return [possible('repeater', 'stores the body', withBody(stored, apart ? 'repeated' : 'original', true))];
    }
    if (state.repeater !== 'stored') return [];
    const over: State = { ...state, repeater: 'over' };
    return [
      certain('repeater', 'is answered', apart ? withBody(over, 'repeated', false) : over),
      ...(state.crashesLeft > 0 ? [possible('repeater', 'dies', { ...over, crashesLeft: state.crashesLeft - 1 })] : []),
    ];
  };
}

const emptied = (state: State, name: Name): State => {
  const { names } = state.messages[name];
  return names === undefined ? state : withBody(state, names, false);
};

/** DELETE …/body: bytes, W20, the copies, the answer. */
function person(rules: Rules): Actor<State> {
  const below = (state: State, name: Name): State =>
    name === 'original' && rules.emptied === 'is all below the message'
      ? withBody(emptied(state, name), 'repeated', false)
      : emptied(state, name);
  return state => {
    const { of, at } = state.person;
    const to = (from: State, next: State['person']['at'], name = of): State => ({
      ...from,
      person: name === undefined ? { at: next } : { of: name, at: next },
    });
    if (at === 'idle')
      return state.erasure !== 'idle'
        ? []
        : (['original', 'copy'] as const)
            .filter(name => state.messages[name].names !== undefined)
            .map(name => possible('person', `empties the body of ${name}`, to(below(state, name), 'emptied', name)));
    if (of === undefined || at === 'answered') return [];
    if (at === 'emptied') return [certain('person', 'W20', to(withMessage(state, of, { removed: true }), 'removed'))];
    if (at === 'removed') {
      const found = of === 'original' && rules.copies === 'are erased with the original' && state.messages.copy.named;
      const without = found ? withMessage(emptied(state, 'copy'), 'copy', { removed: true }) : state;
      return [certain('person', 'erases the copies', to(without, 'copies'))];
    }
    // In two seconds whatever was read before has been sent, or is read again.
    const fresh = (['original', 'copy'] as const).some(name => state.messages[name].delivery === 'fresh');
    return rules.answer === 'after two seconds' && fresh
      ? []
      : [certain('person', 'is answered', to(state, 'answered'))];
  };
}

/** DELETE …/apps/A: closes it, waits for what had begun, removes its messages with their bodies, lists what is left. */
function eraser(rules: Rules): Actor<State> {
  return state => {
    const busy =
      MESSAGES.some(name => ['read', 'stored'].includes(state.messages[name].copier)) ||
      MINE.some(name => ['waiting', 'fresh', 'old'].includes(state.messages[name].delivery)) ||
      state.publisher === 'stored' ||
      state.repeater === 'stored' ||
      !['idle', 'answered'].includes(state.person.at);
    if (state.erasure === 'idle') return [possible('eraser', 'closes A', { ...state, erasure: 'closed' })];
    if (state.erasure === 'closed') {
      if (busy) return [];
      const removed = MINE.reduce((all, name) => {
        const { names: _, ...rest } = all.messages[name];
        const without = emptied(all, name);
        return { ...without, messages: { ...without.messages, [name]: rest } };
      }, state);
      return [certain('eraser', 'removes the messages', { ...removed, erasure: 'messages' })];
    }
    if (state.erasure !== 'messages') return [];
    const below = [...MINE, 'refused', 'repeated'] as const;
    const listed = below.reduce((all, name) => withBody(all, name, false), state);
    const end = rules.erasure === 'goes by messages' ? state : listed;
    return [certain('eraser', 'is done', { ...end, erasure: 'done' })];
  };
}

function brokenIn(state: State): string | undefined {
  const { messages, full, publisher: at, person, erasure, sentAfter, changed, repeatedBefore } = state;
  const { of } = person;
  const named = MESSAGES.flatMap(name => messages[name].names ?? []);
  if (new Set(named).size < named.length) return TWO_NAMES;
  if (sentAfter) return SENT;
  if (messages.broadcast.delivery === 'ended') return LOST;
  const asked = erasure !== 'idle' || of === 'original';
  if (messages.original.delivery === 'ended' && !asked) return LOST;
  if (at === 'answered' && full.refused) return LEFT_BY_REFUSED;
  // The first bytes may be on their way, or be sent again.
  if (changed && hasBody(state, 'original')) return CHANGED;
  if (person.at === 'answered' && of === 'original' && full.original) return BACK;
  if (person.at === 'answered' && of === 'original' && full.repeated && repeatedBefore) return LEFT_BY_DEAD;
  const left = full.repeated || full.original || full.copy || full.copyOfBroadcast || full.refused;
  return erasure === 'done' && left ? LEFT : undefined;
}

/** `repeats`: the original is published again, and nobody copies. */
function bodiesModel(rules: Rules, crashes: number, ignored: readonly string[] = [], repeats = false): Model<State> {
  const ofOriginal = [session(rules, 'original'), session(rules, 'broadcast'), repeater(rules)];
  return {
    starts: [start(crashes, repeats)],
    actors: repeats
      ? [...ofOriginal, person(rules), eraser(rules)]
      : [
          ...MESSAGES.map(name => session(rules, name)),
          copier(rules, 'copy'),
          copier(rules, 'copyOfBroadcast'),
          publisher(rules),
          person(rules),
          eraser(rules),
        ],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: UNSENT, from: () => true, goal: ({ messages }) => messages.broadcast.delivery === 'sent' }],
    brokenIn: state => {
      const broken = brokenIn(state);
      return broken !== undefined && ignored.includes(broken) ? undefined : broken;
    },
    describe: state => JSON.stringify(state),
  };
}

const good = (name: string, states: number, crashes: number): Variant =>
  variant('GOOD', name, states, [], () => bodiesModel(PROTOCOL, crashes));
const bad = (
  name: string,
  states: number,
  breaks: string,
  rules: Partial<Rules>,
  ignored: readonly string[] = [],
): Variant => variant('BAD', name, states, [breaks], () => bodiesModel({ ...PROTOCOL, ...rules }, 1, ignored));

const ANEW: Partial<Rules> = { repeatedBody: 'takes the place of the first' };
const SHARED: Partial<Rules> = { copy: 'names the body of its original' };

/** The bad ones are what was built before. */
export const bodiesVariants: readonly Variant[] = [
  good('bodies with owners: no crash', 43_392, 0),
  slow(good('bodies with owners: two crashes', 87_584, 2)),
  bad('a copy names the body of its original', 106, TWO_NAMES, SHARED),
  bad('the same: what comes of it', 14_069, LOST, SHARED, [TWO_NAMES]),
  bad('copies stay when their original is erased', 13_551, SENT, { copies: 'stay' }),
  bad('a copy is put whatever became of its original', 13_637, SENT, { copyPut: 'nothing' }),
  bad('what waited for its turn is sent as it was read', 3_173, SENT, { waited: 'is sent as it was read' }),
  bad('the answer comes at once', 1_809, SENT, { answer: 'at once' }),
  bad('a refused publish leaves its body', 35, LEFT_BY_REFUSED, { refusedBody: 'stays' }),
  variant('GOOD', 'a publish is repeated', 1_296, [], () => bodiesModel(PROTOCOL, 1, [], true)),
  variant('BAD', 'a repeated body takes the place of the first', 4, [CHANGED], () =>
    bodiesModel({ ...PROTOCOL, ...ANEW }, 1, [], true),
  ),
  variant('BAD', 'the same, of an erased body', 353, [BACK], () =>
    bodiesModel({ ...PROTOCOL, ...ANEW }, 1, [CHANGED], true),
  ),
  variant('BAD', 'a person erases what the message names', 339, [LEFT_BY_DEAD], () =>
    bodiesModel({ ...PROTOCOL, emptied: 'is what the message names' }, 1, [], true),
  ),
  bad('the erasure goes by messages', 2_849, LEFT, { erasure: 'goes by messages' }),
];
