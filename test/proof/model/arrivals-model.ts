/**
 * The arrivals cursor: a fresh event is in no watch index; the sweeper reads what arrived, a grace behind the clock, and
 * watches what it finds open before it moves its cursor past it. Checks the half of I8 that depends on it (an open event
 * is watched, or the cursor has not passed it) and that every recorded event ends: under crashes, refused and failed
 * writes, two sweepers, a purge, a request or an index that is slower than the grace, a restored table.
 */

import { keyOfValues } from './explorer/key-of-values.ts';
import { type Actor, certain, type Model, possible, replaceAt, type Step } from './explorer/model.ts';
import { slow, type Variant, variant } from './variants.ts';

interface Rules {
  readonly cursorSaved: 'after what it passes is watched' | 'before';
  /** A record that changed since it was read: it is read again, or left. */
  readonly refusedWatch: 'reads again' | 'goes on';
  /** A write that failed: the cursor stays in front of that event, or goes on. */
  readonly failedWatch: 'cursor waits' | 'cursor goes on';
  /** The cursor keeps a distance that no request and no index lag outlives (but for the fault `slow`). */
  readonly grace: boolean;
  /** What is claimed but not finished is watched as well; or only what is pending. */
  readonly watches: 'open' | 'pending';
  /** Minutes later everything is looked at once more, for what came behind the cursor: a late clock, a slow request. */
  readonly secondLook: boolean;
  /** The daily audit watches what is open, unwatched and behind the cursor. */
  readonly audit: boolean;
  /** Where a restore brings the cursor back together with the records. */
  readonly cursorIsIn: 'the same table' | 'another store';
  readonly cursorWrite: 'if unchanged' | 'always';
}

const PROTOCOL: Rules = {
  cursorSaved: 'after what it passes is watched',
  refusedWatch: 'reads again',
  failedWatch: 'cursor waits',
  grace: true,
  watches: 'open',
  secondLook: true,
  audit: true,
  cursorIsIn: 'the same table',
  cursorWrite: 'if unchanged',
};

interface Event {
  /** Position n belongs to event n - 1: the clock was read when its request began. */
  readonly request: 'not begun' | 'inserts' | 'sends' | 'over';
  readonly record: 'absent' | 'pending' | 'processing' | 'final';
  readonly watched: boolean;
  /** The timeline index shows it. */
  readonly visible: boolean;
  readonly copy: boolean;
}

interface Sweep {
  readonly step: 'read' | 'send' | 'watch' | 'save';
  /** Position it is at, and the last one it goes to. */
  readonly at: number;
  readonly upTo: number;
  /** Where the cursor may go: not past an event it failed to watch. */
  readonly passed: number;
  readonly seen: Event['record'];
  readonly cursorWas: number;
}

interface State {
  readonly events: readonly Event[];
  readonly cursor: number;
  readonly sweeps: readonly (Sweep | null)[];
  readonly backup: { readonly events: readonly Event[]; readonly cursor: number } | null;
  readonly crash: number;
  readonly writeError: number;
  readonly purge: number;
  readonly slow: number;
  readonly restore: number;
}

type Faults = Partial<Pick<State, 'crash' | 'writeError' | 'purge' | 'slow' | 'restore'>>;

const NEW: Event = { request: 'not begun', record: 'absent', watched: false, visible: false, copy: false };
const NO_FAULTS = { crash: 0, writeError: 0, purge: 0, slow: 0, restore: 0 };

const isOpen = (event: Event): boolean => event.record === 'pending' || event.record === 'processing';

function arrivalsModel(rules: Rules, faults: Faults, events = 2, sweepers = 2): Model<State> {
  const start: State = {
    ...NO_FAULTS,
    ...faults,
    events: Array.from({ length: events }, () => NEW),
    cursor: 0,
    sweeps: Array.from({ length: sweepers }, () => null),
    backup: null,
  };
  return {
    starts: [start],
    actors: [
      requests,
      index,
      processor,
      ...start.sweeps.map((_, me) => sweeper(rules, me)),
      watchRows,
      secondLook(rules),
      audit(rules),
      disaster(rules),
    ],
    key: keyOfValues(),
    stopAtFirst: true,
    mustReach: [{ rule: STUCK, from: state => state.events.some(isOpen), goal: state => !state.events.some(isOpen) }],
    // Slower than the grace is the fault that the audit, not the cursor, must make good.
    brokenIn: state =>
      !faults.slow && state.events.some((event, at) => isOpen(event) && !event.watched && state.cursor > at)
        ? NOT_COVERED
        : undefined,
    describe: state => JSON.stringify(state),
  };
}

const NOT_COVERED = 'I8 AN OPEN EVENT IS NEITHER WATCHED NOR AHEAD OF THE CURSOR';
const STUCK = 'RECORDED BUT NEVER HANDLED';

function changed(state: State, at: number, changes: Partial<Event>): State {
  return { ...state, events: replaceAt(state.events, at, { ...(state.events[at] ?? NEW), ...changes }) };
}

/** Requests begin in the order of the clock; each inserts its record and sends, or dies on the way. */
const requests: Actor<State> = state =>
  state.events.flatMap((event, at) => {
    const steps: Step<State>[] = [];
    const step = (action: string, to: State) => steps.push(certain(`request ${at + 1}`, action, to));
    const earlier = state.events[at - 1];
    if (event.request === 'not begun' && earlier?.request !== 'not begun') {
      steps.push(possible(`request ${at + 1}`, 'begins', changed(state, at, { request: 'inserts' })));
    }
    if (event.request === 'inserts') step('inserts', changed(state, at, { request: 'sends', record: 'pending' }));
    if (event.request === 'sends') step('sends', changed(state, at, { request: 'over', copy: true }));
    if (state.crash > 0 && (event.request === 'inserts' || event.request === 'sends')) {
      const dead = changed({ ...state, crash: state.crash - 1 }, at, { request: 'over' });
      steps.push(possible(`request ${at + 1}`, `dies before it ${event.request}`, dead));
    }
    return steps;
  });

const index: Actor<State> = state =>
  state.events.flatMap((event, at) =>
    event.record === 'absent' || event.visible
      ? []
      : [certain('index', `shows event ${at + 1}`, changed(state, at, { visible: true }))],
  );

/** A claim leaves the watch as it is; the end of the event takes it away. Without a copy nobody works on it. */
const processor: Actor<State> = state =>
  state.events.flatMap((event, at) => {
    if (!event.copy || event.record === 'absent') return [];
    const step = (action: string, changes: Partial<Event>) =>
      certain('processor', `${action} event ${at + 1}`, changed(state, at, changes));
    if (event.record === 'pending') return [step('claims', { record: 'processing' })];
    return [step('ends', { record: 'final', watched: false, copy: false })];
  });

/** The rows of the watch index: what is watched and has no copy is sent again. */
const watchRows: Actor<State> = state =>
  state.events.flatMap((event, at) =>
    isOpen(event) && event.watched && !event.copy
      ? [certain('sweeper', `sends overdue event ${at + 1}`, changed(state, at, { copy: true }))]
      : [],
  );

function sweeper(rules: Rules, me: number): Actor<State> {
  const name = `sweeper ${me}`;
  return state => {
    const self = state.sweeps[me];
    const put = (from: State, sweep: Sweep | null): State => ({ ...from, sweeps: replaceAt(from.sweeps, me, sweep) });
    if (!self) return begin(rules, state, name, put);
    const steps: Step<State>[] = [];
    if (state.crash > 0)
      steps.push(possible(name, `crashes before ${self.step}`, put({ ...state, crash: state.crash - 1 }, null)));
    const goOn = (from: State, passed = self.passed): State =>
      put(
        from,
        self.at < self.upTo ? { ...self, step: 'read', at: self.at + 1, passed } : { ...self, step: 'save', passed },
      );
    const at = self.at - 1;
    const event = state.events[at] ?? NEW;
    const kept = Math.max(self.passed, self.passed === at ? self.at : 0);
    if (self.step === 'read') {
      const needed =
        event.visible && !event.watched && (rules.watches === 'open' ? isOpen(event) : event.record === 'pending');
      if (!needed) steps.push(certain(name, `passes event ${self.at}`, goOn(state, kept)));
      else
        steps.push(
          certain(
            name,
            `reads event ${self.at}`,
            put(state, { ...self, step: event.record === 'pending' ? 'send' : 'watch', seen: event.record }),
          ),
        );
    } else if (self.step === 'send') {
      steps.push(
        certain(name, `sends event ${self.at}`, put(changed(state, at, { copy: true }), { ...self, step: 'watch' })),
      );
      steps.push(certain(name, `finds a backlog, sends nothing`, put(state, { ...self, step: 'watch' })));
    } else if (self.step === 'watch') {
      const asRead = event.record === self.seen && !event.watched;
      if (asRead)
        steps.push(certain(name, `watches event ${self.at}`, goOn(changed(state, at, { watched: true }), kept)));
      else if (rules.refusedWatch === 'reads again')
        steps.push(certain(name, 'is refused, reads again', put(state, { ...self, step: 'read' })));
      else steps.push(certain(name, 'is refused, goes on', goOn(state, kept)));
      if (state.writeError > 0) {
        const failed = { ...state, writeError: state.writeError - 1 };
        steps.push(
          possible(name, 'fails to watch', goOn(failed, rules.failedWatch === 'cursor waits' ? self.passed : kept)),
        );
      }
    } else {
      const writes = rules.cursorWrite === 'always' || state.cursor === self.cursorWas;
      steps.push(certain(name, 'saves the cursor', put(writes ? { ...state, cursor: self.passed } : state, null)));
    }
    return steps;
  };
}

/** A run goes as far as the grace lets it; the fault `slow` is a request or an index that is slower than that. */
function begin(
  rules: Rules,
  state: State,
  name: string,
  put: (from: State, sweep: Sweep) => State,
): readonly Step<State>[] {
  const begun = state.events.filter(event => event.request !== 'not begun').length;
  const quick = state.events.findIndex(
    event => event.request !== 'over' || (event.record !== 'absent' && !event.visible),
  );
  const safe = rules.grace ? (quick < 0 ? begun : quick) : begun;
  const from = (upTo: number): State => {
    const read = put(state, {
      step: 'read',
      at: state.cursor + 1,
      upTo,
      passed: state.cursor,
      seen: 'absent',
      cursorWas: state.cursor,
    });
    return rules.cursorSaved === 'before' ? { ...read, cursor: upTo } : read;
  };
  const steps: Step<State>[] = [];
  if (safe > state.cursor) steps.push(certain(name, `reads arrivals up to ${safe}`, from(safe)));
  if (begun > Math.max(safe, state.cursor) && state.slow > 0) {
    steps.push(
      possible(name, `reads arrivals up to ${begun}, a slow one among them`, { ...from(begun), slow: state.slow - 1 }),
    );
  }
  return steps;
}

/** It comes when every request and every index of then is over, however late its clock was. */
function secondLook(rules: Rules): Actor<State> {
  return state =>
    rules.secondLook
      ? state.events.flatMap((event, at) =>
          isOpen(event) && !event.watched && event.visible && event.request === 'over' && state.cursor > at
            ? [certain('second look', `watches event ${at + 1}`, changed(state, at, { watched: true }))]
            : [],
        )
      : [];
}

function audit(rules: Rules): Actor<State> {
  return state =>
    rules.audit
      ? state.events.flatMap((event, at) =>
          isOpen(event) && !event.watched && state.cursor > at
            ? [certain('audit', `watches event ${at + 1}`, changed(state, at, { watched: true }))]
            : [],
        )
      : [];
}

function disaster(rules: Rules): Actor<State> {
  return state => {
    const { events, cursor, backup } = state;
    const steps: Step<State>[] = [];
    if (state.purge > 0 && events.some(event => event.copy)) {
      const purged = events.map(event => ({ ...event, copy: false }));
      steps.push(possible('person', 'purges the queue', { ...state, events: purged, purge: state.purge - 1 }));
    }
    if (state.restore > 0 && !backup)
      steps.push(possible('time', 'a backup is taken', { ...state, backup: { events, cursor } }));
    if (state.restore > 0 && backup) {
      const restored = events.map((event, at) => {
        const { record, watched } = backup.events[at] ?? NEW;
        return {
          ...event,
          request: event.request === 'not begun' ? event.request : ('over' as const),
          record,
          watched,
          visible: record !== 'absent',
        };
      });
      steps.push(
        possible('person', 'restores the backup', {
          ...state,
          events: restored,
          cursor: rules.cursorIsIn === 'the same table' ? backup.cursor : cursor,
          sweeps: state.sweeps.map(() => null),
          backup: null,
          restore: state.restore - 1,
        }),
      );
    }
    return steps;
  };
}

export const arrivalsVariants: readonly Variant[] = [
  slow(
    variant('GOOD', 'arrivals: two events, two sweepers, crash, failed write, purge', 342_728, [], () =>
      arrivalsModel(PROTOCOL, { crash: 1, writeError: 1, purge: 1 }),
    ),
  ),
  variant('GOOD', 'arrivals: one event, two sweepers, crash, failed write, purge', 4_310, [], () =>
    arrivalsModel(PROTOCOL, { crash: 1, writeError: 1, purge: 1 }, 1),
  ),
  variant('GOOD', 'arrivals: two crashes, purge', 7_842, [], () =>
    arrivalsModel(PROTOCOL, { crash: 2, purge: 1 }, 2, 1),
  ),
  variant('GOOD', 'arrivals: a request or an index slower than the grace, crash', 8_267, [], () =>
    arrivalsModel(PROTOCOL, { slow: 1, crash: 1 }, 2, 1),
  ),
  variant('GOOD', 'arrivals: a late clock, crash; the second look alone, no audit', 7_604, [], () =>
    arrivalsModel({ ...PROTOCOL, audit: false }, { slow: 1, crash: 1 }, 2, 1),
  ),
  slow(
    variant('GOOD', 'arrivals: restored table, crash', 90_086, [], () =>
      arrivalsModel(PROTOCOL, { restore: 1, crash: 1 }, 2, 1),
    ),
  ),
  variant('GOOD', 'arrivals: restored table', 29_426, [], () => arrivalsModel(PROTOCOL, { restore: 1 }, 2, 1)),
  bad('cursor saved before what it passes is watched', 33, NOT_COVERED, { crash: 1 }, { cursorSaved: 'before' }),
  bad('refused watch (claimed meanwhile): goes on', 170, NOT_COVERED, {}, { refusedWatch: 'goes on' }),
  bad('failed watch: the cursor goes on', 129, NOT_COVERED, { writeError: 1 }, { failedWatch: 'cursor goes on' }),
  bad('no grace', 52, NOT_COVERED, {}, { grace: false }),
  bad('only pending events are watched', 84, NOT_COVERED, {}, { watches: 'pending' }),
  bad(
    'a late clock, neither a second look nor the audit',
    7_604,
    STUCK,
    { slow: 1, crash: 1 },
    { secondLook: false, audit: false },
  ),
  bad(
    'cursor in another store than the records, table restored',
    3_151,
    NOT_COVERED,
    { restore: 1 },
    { cursorIsIn: 'another store' },
  ),
  slow(
    variant('SPARE', 'arrivals: cursor written without a condition (a run reads again)', 119_506, [], () =>
      arrivalsModel({ ...PROTOCOL, cursorWrite: 'always' }, { crash: 1, purge: 1 }),
    ),
  ),
];

function bad(name: string, states: number, breaks: string, faults: Faults, rules: Partial<Rules>): Variant {
  return variant('BAD', `arrivals: ${name}`, states, [breaks], () =>
    arrivalsModel({ ...PROTOCOL, ...rules }, faults, 2, 1),
  );
}
