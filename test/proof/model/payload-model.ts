/**
 * Lifetimes of the state item and of its payload, counted in days that pass one by one. The payload is put first, lives
 * a margin longer than the record, and is raised before every write that lets the record outlive it; an audit runs
 * once a day. Checks I14: a state item implies its payload, for as long as the event may run (so while it is on record,
 * because a terminal event may be replayed).
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, type Step } from './explorer/model.ts';
import { type Variant, variant } from './variants.ts';

/** In days, scaled down (production: 30, 7, 90). A dead record is kept longest. */
const RETENTION = 3;
const MARGIN = 2;
const DEAD_RETENTION = 5;

type RaisingWrite = 'death' | 'death-done' | 'replay' | 'completion';

interface Rules {
  readonly ingestOrder: 'payload first' | 'state first';
  /** The payload put at ingest is refused when one is there that expires later; or when any is there. */
  readonly payloadPut: 'if absent or it expires earlier' | 'if absent';
  /** What the daily audit raises: open events to the full lifetime, only payloads about to go, nothing. */
  readonly audit: 'all in watch' | 'about to expire' | 'off';
  /** The writes that raise the payload's lifetime, and when. */
  readonly raisedBy: readonly RaisingWrite[];
  readonly raised: 'before the write' | 'after the write';
  /** How long the payload of a dead event lives: as long as the record, or a margin longer. */
  readonly deadPayload: 'retention' | 'retention + margin';
  /** Raising requires the payload to be there, so that it cannot create an empty one. */
  readonly raiseIfExists: boolean;
  /** item: can be raised. object: its lifetime is fixed at creation. object, copied: a raise copies it in place. */
  readonly body: 'item' | 'object' | 'object, copied';
  readonly onMissing: 'dead' | 'retry' | 'ack';
  readonly read: 'consistent' | 'eventual';
}

/** As protocol.md says it, with a margin on the payload of dead events. */
const PROTOCOL: Rules = {
  ingestOrder: 'payload first',
  payloadPut: 'if absent or it expires earlier',
  audit: 'all in watch',
  raisedBy: ['death', 'replay'],
  raised: 'before the write',
  deadPayload: 'retention + margin',
  raiseIfExists: true,
  body: 'item',
  onMissing: 'dead',
  read: 'consistent',
};

interface State {
  /** `dying`: dead, not yet in the DLQ. Open statuses are watched and do not expire. */
  readonly status: 'absent' | 'pending' | 'dying' | 'completed' | 'dead' | 'deleted';
  /** Days until the record expires; 0 while it is open. */
  readonly recordDays: number;
  /** Days until the payload is gone; 0: it is not there. */
  readonly payloadDays: number;
  /** An empty payload that a raise created. */
  readonly hollow: boolean;
  readonly replaysLeft: number;
  readonly crashesLeft: number;
  readonly triesLeft: number;
  /** The payload may vanish once (a restore, a person). */
  readonly lossesLeft: number;
  readonly lost: boolean;
  readonly acked: boolean;
}

const START: State = {
  status: 'absent',
  recordDays: 0,
  payloadDays: 0,
  hollow: false,
  replaysLeft: 1,
  crashesLeft: 1,
  triesLeft: 2,
  lossesLeft: 0,
  lost: false,
  acked: false,
};

function payloadModel(rules: Rules, lossesLeft = 0): Model<State> {
  const open = (state: State): boolean => state.status === 'pending' || state.status === 'dying';
  return {
    starts: [{ ...START, lossesLeft }],
    actors: [ingest(rules), processor(rules), operator(rules), day(rules), accident],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [
      { rule: 'NEVER ENDS', from: open, goal: state => !open(state) && state.status !== 'absent' && !state.acked },
    ],
    brokenIn: state => {
      const onRecord = state.status !== 'absent' && state.status !== 'deleted';
      if (onRecord && state.payloadDays === 0 && !state.lost) return NO_PAYLOAD;
      return undefined;
    },
    brokenBy: (from, _to, action) => {
      if (action.includes('runs the handler') && from.hollow) return HOLLOW;
      return action.includes('payload_missing') && from.payloadDays > 0 ? HEALTHY_DIED : undefined;
    },
    describe: state => JSON.stringify(state),
  };
}

const NO_PAYLOAD = 'I14 A STATE ITEM WITHOUT ITS PAYLOAD';
const HOLLOW = 'I13 THE HANDLER RAN ON AN EMPTY PAYLOAD';
const HEALTHY_DIED = 'A HEALTHY EVENT DIED OF A MISSING PAYLOAD';

/** A lifetime of at least `days` from now; a crash may come right after. */
function raise(state: State, rules: Rules, days: number): State {
  if (rules.body === 'object' || state.payloadDays >= days) return state;
  if (state.payloadDays > 0) return { ...state, payloadDays: days };
  return rules.raiseIfExists ? state : { ...state, payloadDays: days, hollow: true };
}

function deadPayloadDays(rules: Rules): number {
  return rules.deadPayload === 'retention' ? DEAD_RETENTION : DEAD_RETENTION + MARGIN;
}

/** An object's lifetime is fixed: the longest of all. */
function firstPayloadDays(rules: Rules): number {
  return rules.body === 'item' ? RETENTION + MARGIN : DEAD_RETENTION + MARGIN;
}

function ingest(rules: Rules): Actor<State> {
  const withPayload = (state: State): State => {
    const days = firstPayloadDays(rules);
    const keeps = state.payloadDays > 0 && (rules.payloadPut === 'if absent' || state.payloadDays >= days);
    return keeps ? state : { ...state, payloadDays: days };
  };
  const withItem = (state: State): State => ({ ...state, status: 'pending' });
  const [first, second] = rules.ingestOrder === 'payload first' ? [withPayload, withItem] : [withItem, withPayload];
  const [firstName, secondName] = rules.ingestOrder === 'payload first' ? ['payload', 'state'] : ['state', 'payload'];
  return state => {
    const steps: Step<State>[] = [];
    if (state.status === 'absent' && state.triesLeft > 0) {
      const begun: State = { ...first(state), triesLeft: state.triesLeft - 1 };
      // Nothing is checked between two writes of a request that goes on: only a crash shows the state to others.
      steps.push(possible('request', `puts ${firstName} and ${secondName}`, second(begun)));
      if (state.crashesLeft > 0) {
        const crashed: State = { ...begun, crashesLeft: state.crashesLeft - 1 };
        steps.push(possible('request', `puts ${firstName}, crashes`, crashed));
      }
    }
    return steps;
  };
}

/** One write of the record that may need a longer life of its payload: raise and write, with a crash in between. */
function raiseAndWrite(
  rules: Rules,
  state: State,
  actor: string,
  name: string,
  by: RaisingWrite,
  days: number,
  written: Partial<State>,
): readonly Step<State>[] {
  const raises = rules.raisedBy.includes(by);
  const raised = raises ? raise(state, rules, days) : state;
  const both: State = { ...raised, ...written };
  const crashed: State = rules.raised === 'before the write' ? raised : { ...state, ...written };
  const steps = [by === 'replay' ? possible(actor, name, both) : certain(actor, name, both)];
  if (!raises || state.crashesLeft === 0) return steps;
  const left = { crashesLeft: state.crashesLeft - 1 };
  return [...steps, possible(actor, `${name}: crashes half-way`, { ...crashed, ...left })];
}

function processor(rules: Rules): Actor<State> {
  return state => {
    if (state.status === 'dying') {
      const dead: Partial<State> = { status: 'dead', recordDays: DEAD_RETENTION };
      const days = deadPayloadDays(rules);
      return raiseAndWrite(rules, state, 'processor', 'sends to the DLQ, death-done', 'death-done', days, dead);
    }
    if (state.status !== 'pending' || state.acked) return [];
    const die = (name: string) =>
      raiseAndWrite(rules, state, 'processor', name, 'death', deadPayloadDays(rules), { status: 'dying' });
    const staleRead = rules.read === 'eventual' && state.payloadDays === firstPayloadDays(rules);
    const missing = state.payloadDays === 0 || staleRead;
    if (missing) {
      if (rules.onMissing === 'retry') return [certain('processor', 'payload missing: tries again later', state)];
      if (rules.onMissing === 'ack') return [certain('processor', 'payload missing: acks', { ...state, acked: true })];
      if (!staleRead) return die('writes dead_letter, payload_missing');
    }
    const completed: Partial<State> = { status: 'completed', recordDays: RETENTION };
    const lives = RETENTION + MARGIN;
    return [
      ...(staleRead ? die('reads a stale replica: dead_letter, payload_missing') : []),
      ...raiseAndWrite(rules, state, 'processor', 'runs the handler, completed', 'completion', lives, completed),
      ...die('runs the handler, dead'),
    ];
  };
}

function operator(rules: Rules): Actor<State> {
  return state => {
    if (state.replaysLeft === 0 || (state.status !== 'completed' && state.status !== 'dead')) return [];
    const written: Partial<State> = { status: 'pending', recordDays: 0, replaysLeft: state.replaysLeft - 1 };
    return raiseAndWrite(rules, state, 'operator', 'replays', 'replay', RETENTION + MARGIN, written);
  };
}

/** A day: the audit runs, then everything is a day older. Expired things are gone at once (the worst case). */
function day(rules: Rules): Actor<State> {
  return state => {
    const watched = state.status === 'pending' || state.status === 'dying';
    const full = state.status === 'dying' ? deadPayloadDays(rules) : RETENTION + MARGIN;
    const raises = rules.audit === 'all in watch' || (rules.audit === 'about to expire' && state.payloadDays <= 1);
    const kept = watched && raises ? raise(state, rules, full) : state;
    const recordDays = Math.max(0, kept.recordDays - 1);
    const expired = kept.recordDays === 1;
    const older: State = {
      ...kept,
      status: expired ? 'deleted' : kept.status,
      recordDays,
      payloadDays: Math.max(0, kept.payloadDays - 1),
    };
    return [possible('time', 'a day passes', older)];
  };
}

const accident: Actor<State> = state =>
  state.lossesLeft > 0 && state.payloadDays > 0 && state.status !== 'absent'
    ? [possible('accident', 'the payload is gone', { ...state, payloadDays: 0, lossesLeft: 0, lost: true })]
    : [];

export const payloadVariants: readonly Variant[] = [
  good('payload: raised before death and replay, daily audit', 188, {}),
  good('payload: completion and death-done raise, audit only for payloads about to expire', 188, {
    audit: 'about to expire',
    raisedBy: ['death', 'death-done', 'replay', 'completion'],
  }),
  good('payload in an object, a raise copies it in place', 210, { body: 'object, copied' }),
  variant('GOOD', 'payload gone by accident: the event dies visibly', 254, [], () => payloadModel(PROTOCOL, 1)),
  bad('state put before payload', 3, NO_PAYLOAD, { ingestOrder: 'state first' }),
  bad('payload put only if absent: an orphan expires under the event', 173, NO_PAYLOAD, { payloadPut: 'if absent' }),
  bad('no audit: an event that stays open outlives its payload', 125, NO_PAYLOAD, { audit: 'off' }),
  bad('death does not raise', 151, NO_PAYLOAD, { raisedBy: ['replay'] }),
  bad('replay does not raise', 181, NO_PAYLOAD, { raisedBy: ['death'] }),
  bad('raised after the write', 157, NO_PAYLOAD, { raised: 'after the write' }),
  text('audit raises only what is about to expire', 179, NO_PAYLOAD, { audit: 'about to expire' }),
  text('the payload of a dead event lives exactly as long as the record', 132, NO_PAYLOAD, {
    deadPayload: 'retention',
  }),
  text('objects cannot be extended', 222, NO_PAYLOAD, { body: 'object' }),
  variant('BAD', 'a raise creates an empty payload', 59, [HOLLOW], () =>
    payloadModel({ ...PROTOCOL, raiseIfExists: false }, 1),
  ),
  variant('BAD', 'missing payload: tries again forever', 254, ['NEVER ENDS'], () =>
    payloadModel({ ...PROTOCOL, onMissing: 'retry' }, 1),
  ),
  variant('BAD', 'missing payload: acks', 260, ['NEVER ENDS'], () =>
    payloadModel({ ...PROTOCOL, onMissing: 'ack' }, 1),
  ),
  bad('payload read eventually consistent', 4, HEALTHY_DIED, { read: 'eventual' }),
];

function good(name: string, states: number, rules: Partial<Rules>): Variant {
  return variant('GOOD', name, states, [], () => payloadModel({ ...PROTOCOL, ...rules }));
}

function bad(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('BAD', name, states, [breaks], () => payloadModel({ ...PROTOCOL, ...rules }));
}

function text(name: string, states: number, breaks: string, rules: Partial<Rules>): Variant {
  return variant('TEXT', name, states, [breaks], () => payloadModel({ ...PROTOCOL, ...rules }));
}
