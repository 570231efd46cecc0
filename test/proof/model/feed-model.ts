/**
 * The feed that a customer polls, in ticks of ten seconds: two messages, each stamped by the clock of whoever publishes it
 * and in the index up to twenty seconds later; a client that is answered by machines with other clocks, in pages of one, and
 * may die before it keeps its place. Clocks are up to 90 s apart. Checks that no message appears behind a place that was
 * given out, and that each is given.
 */
import { SETTLED_MS } from '#core/outbound/api/deliveries/feed-api.ts';
import { SECOND_MS } from '#core/time.ts';
import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

const TICK_MS = 10 * SECOND_MS;
/** What a machine may be ahead of the one that is behind. */
const CLOCKS = [0, 9] as const;
const UNDER_WAY = 2;
/** Until here messages are published; then time goes on until each must have been given. */
const LAST_BEGIN = 1;

interface Rules {
  /** Ticks that the end of the feed lies before now. */
  readonly settled: number;
  /** Where the next call begins, when a page is full. */
  readonly place: 'behind what was given' | 'at the end';
}
const PROTOCOL: Rules = { settled: SETTLED_MS / TICK_MS, place: 'behind what was given' };

interface Message {
  /** By the true time, and by the clock of its machine. */
  readonly begun?: number;
  readonly stamp?: number;
  readonly shown: boolean;
  readonly given: boolean;
}
interface State {
  readonly now: number;
  readonly messages: readonly Message[];
  /** Before it everything was given. */
  readonly place: number;
  readonly crashes: number;
}

const BEHIND = 'A MESSAGE APPEARED BEHIND A PLACE THAT WAS GIVEN OUT';
const STUCK = 'O2 STUCK FOR EVER';
const END = LAST_BEGIN + CLOCKS[1];

const withMessage = (state: State, at: number, to: Partial<Message>): State => ({
  ...state,
  messages: replaceAt(state.messages, at, { ...(state.messages[at] as Message), ...to }),
});
const isLate = ({ begun, shown }: Message, now: number): boolean =>
  begun !== undefined && !shown && now - begun >= UNDER_WAY;

const time =
  ({ settled }: Rules): Actor<State> =>
  state =>
    state.now > END + settled || state.messages.some(each => isLate(each, state.now))
      ? []
      : [certain('time', 'goes on', { ...state, now: state.now + 1 })];

const producers: Actor<State> = state =>
  state.messages.flatMap((message, at) => {
    if (message.begun !== undefined)
      return message.shown ? [] : [certain('index', `shows ${at}`, withMessage(state, at, { shown: true }))];
    if (state.now > LAST_BEGIN) return [];
    return CLOCKS.map(clock =>
      possible('producer', `begins ${at}`, withMessage(state, at, { begun: state.now, stamp: state.now + clock })),
    );
  });

const client =
  (rules: Rules): Actor<State> =>
  state =>
    CLOCKS.flatMap(clock => {
      const end = state.now + clock - rules.settled;
      const found = state.messages
        .map(({ stamp = 0, shown }, at) => ({ stamp, shown, at }))
        .filter(({ stamp, shown }) => shown && stamp > state.place && stamp <= end)
        .toSorted((a, b) => a.stamp - b.stamp);
      const [first] = found;
      // Messages of one tick lie behind one another; here they are one page.
      const page = found.filter(({ stamp }) => stamp === first?.stamp);
      const isAll = page.length === found.length;
      const reached = isAll || rules.place === 'at the end' ? end : (first?.stamp ?? end);
      const place = Math.max(state.place, reached);
      const given = page.reduce((all, { at }) => withMessage(all, at, { given: true }), state);
      const kept = [certain('client', 'reads', { ...given, place })];
      if (state.crashes === 0) return kept;
      return [...kept, possible('client', 'dies', { ...given, crashes: state.crashes - 1 })];
    });

const OVER: Message = { begun: 0, stamp: -99, shown: true, given: true };
/** What was given lies behind the place for good, when a message was begun matters until it is shown, and neither is the first. */
function canonical(state: State): State {
  const messages = state.messages.map(each => {
    if (each.given && (each.stamp ?? 0) <= state.place) return OVER;
    return each.shown ? { ...each, begun: 0 } : each;
  });
  return { ...state, messages: messages.toSorted((a, b) => rank(a) - rank(b)) };
}
const rank = ({ begun = -1, stamp = -1, shown, given }: Message): number =>
  ((begun * 100 + stamp) * 2 + Number(shown)) * 2 + Number(given);

function feedModel(rules: Rules): Model<State> {
  const message: Message = { shown: false, given: false };
  return {
    starts: [{ now: 0, messages: [message, message], place: -rules.settled, crashes: 1 }],
    actors: [time(rules), producers, client(rules)],
    key: keyOfValues(),
    canonical,
    stopAtFirst: true,
    mustReach: [
      {
        rule: STUCK,
        from: () => true,
        goal: ({ messages }) => messages.every(({ begun, given }) => begun === undefined || given),
      },
    ],
    brokenIn: ({ messages, place }) =>
      messages.some(({ stamp, given }) => stamp !== undefined && stamp <= place && !given) ? BEHIND : undefined,
    describe: state => JSON.stringify(state),
  };
}

const bad = (name: string, states: number, breaks: string, rules: Partial<Rules>): Variant =>
  variant('BAD', `feed: ${name}`, states, [breaks], () => feedModel({ ...PROTOCOL, ...rules }));

export const feedVariants: readonly Variant[] = [
  variant('GOOD', 'feed: clocks 90 s apart, a slow index, pages, a client that dies', 15_765, [], () =>
    feedModel(PROTOCOL),
  ),
  bad('it ends 30 s before now: a clock is 90 s behind', 18, BEHIND, { settled: 3 }),
  bad('it ends where the clocks end: the index is slow', 141, BEHIND, { settled: 11 }),
  bad('a full page leads to the end', 1_778, BEHIND, { place: 'at the end' }),
];
