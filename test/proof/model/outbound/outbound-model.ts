/**
 * The outbound model: publish, fan-out, wake, lease, drain, record, retry, sweep, pause, disable, delete, replay. One
 * endpoint, one or two messages, two drainers, three wake-ups. Checks the invariants in every state and step, and that
 * every delivery can end by steps that are neither a fault nor a person's (who pauses, resumes).
 */
import type { Model } from '#test/proof/model/explorer/model.ts';
import { drainerActor } from './outbound-drainer.ts';
import { gateActor } from './outbound-gate.ts';
import { canonicalState, writeKey } from './outbound-key.ts';
import { fanOutActor, publisherActor } from './outbound-publish.ts';
import { queuesActor } from './outbound-queues.ts';
import { replayActor } from './outbound-replay.ts';
import type { OutboundRules } from './outbound-rules.ts';
import {
  type Budget,
  type DrainerStep,
  FREE,
  isFinal,
  isOwed,
  isShut,
  type Message,
  NOBODY,
  note,
  SLOTS,
  type State,
  VISIBLE,
} from './outbound-state.ts';
import { tendActor, timeActor } from './outbound-tend.ts';

/** How a run begins: with `publish` calls that may still come, or with messages that have their row, or will get it. */
export interface Shape {
  readonly publish: number;
  readonly messages: number;
  /** Messages whose job is still to be taken. */
  readonly late: number;
  readonly wakeUps: number;
  readonly fans: number;
  readonly drainers: number;
  /** It begins on hold, with its breaker open. */
  readonly held: boolean;
}

const ONE_MESSAGE: Shape = { publish: 0, messages: 1, late: 0, wakeUps: 1, fans: 1, drainers: 2, held: false };

const NOTHING_HAPPENS: Budget = {
  crash: 0,
  lost: 0,
  zombie: 0,
  error: 0,
  fail: 0,
  throttled: 0,
  breaker: 0,
  gone: 0,
  pause: 0,
  delete: 0,
  drop: 0,
  expire: 0,
  replay: 0,
  duplicate: 0,
  purge: 0,
};

export function outboundModel(rules: OutboundRules, faults: Partial<Budget>, shape: Partial<Shape>): Model<State> {
  const budget = { ...NOTHING_HAPPENS, ...faults };
  const start = note(startOf(budget, { ...ONE_MESSAGE, ...shape }), rules);
  return {
    starts: [start],
    actors: [
      publisherActor(rules),
      ...start.fans.map((_, me) => fanOutActor(rules, me)),
      ...start.drainers.map((_, me) => drainerActor(rules, me)),
      timeActor(rules),
      tendActor(rules),
      gateActor(rules),
      queuesActor,
      replayActor(rules),
    ],
    key: writeKey,
    budget: 'budget',
    canonical: state => canonicalState(state, rules),
    stopAtFirst: true,
    mustReach: [{ rule: 'O2 STUCK FOR EVER', from: () => true, goal: state => isSettled(state, rules) }],
    brokenIn,
    brokenBy,
    describe: describeState,
  };
}

function startOf(budget: Budget, shape: Shape): State {
  const unsent: Message = {
    stored: false,
    jobs: 0,
    record: undefined,
    rows: [],
    fanned: false,
    maySend: 1,
    failed: 0,
    sentGen: 0,
  };
  const queued: Message = { ...unsent, stored: true, jobs: 1 };
  const fanned: Message = {
    ...unsent,
    stored: true,
    fanned: true,
    rows: [{ kind: 'A', gen: 1, n: 1, due: 'reached' }],
  };
  const given = [...Array(shape.messages).fill(fanned), ...Array(shape.late).fill(queued)] as readonly Message[];
  const publishes = shape.publish > 0;
  const visible = publishes ? 0 : shape.wakeUps;
  return {
    publisher: { step: 'idle', tries: shape.publish, acked: !publishes },
    messages: publishes ? [unsent] : given,
    fans: Array(shape.fans).fill(undefined),
    wakeUps: Array.from({ length: SLOTS }, (_, slot) => (slot < visible ? VISIBLE : FREE)),
    drainers: Array(shape.drainers).fill(undefined),
    runtime: {
      owner: NOBODY,
      leased: false,
      gate: 'open',
      gateBy: '',
      kept: false,
      hold: shape.held,
      breaker: shape.held,
      probes: 0,
      wake: shape.held ? 'ahead' : 'none',
      drop: 0,
      old: 0,
      recent: false,
    },
    people: [undefined, undefined],
    fresh: false,
    purged: false,
    budget,
  };
}

const IN_SESSION: ReadonlySet<DrainerStep> = new Set([
  'query',
  'look',
  'check',
  'sent',
  'late-record',
  'late-failure',
  'put',
  'delete',
  'disable',
  'release',
]);

/** The invariant that this state breaks, if any. */
function brokenIn(state: State): string | undefined {
  for (const message of state.messages) {
    const gen = message.record?.gen ?? 1;
    if (isOwed(message) && !message.rows.some(row => row.gen === gen)) return 'O3 OWED, BUT NO ROW POINTS TO IT';
    if (message.record && message.record.attempts > message.failed) {
      return 'O7 CHARGED FOR AN ATTEMPT THAT DID NOT FAIL';
    }
  }
  for (const [me, drainer] of state.drainers.entries()) {
    if (!drainer || !IN_SESSION.has(drainer.step) || drainer.robbed) continue;
    if (state.runtime.owner !== me) return 'O6 A LIVE SESSION IS NOT THE OWNER OF THE LEASE';
    if (state.runtime.hold) return 'O9 A SESSION WHILE THE ENDPOINT IS ON HOLD';
  }
  if (state.runtime.kept && state.runtime.gate === 'open') return 'O8 A CUSTOMER OPENED WHAT AN OPERATOR CLOSED';
  return state.publisher.acked ? brokenPromise(state) : undefined;
}

/** The producer heard 202 for message 0. */
function brokenPromise(state: State): string | undefined {
  const first = state.messages[0] as Message;
  if (!first.stored) return 'O1 ACKNOWLEDGED, BUT NOT STORED';
  const inHand = state.fans.some(fan => fan?.message === 0 && fan.holds);
  if (first.fanned || first.jobs > 0 || inHand || state.purged) return undefined;
  return 'O2 ACKNOWLEDGED, BUT NOBODY WILL FAN IT OUT';
}

/** The invariant that this step breaks, if any: O4. Only a replay leaves a final status. */
function brokenBy(from: State, to: State, action: string): string | undefined {
  const undone = from.messages.some((message, m) => isFinal(message.record) && !isFinal(to.messages[m]?.record));
  if (undone && !REPLAYS.has(action)) return 'O4 A FINAL DELIVERY WAS UNDONE';
  const cameBack = from.runtime.gate === 'deleted' && to.runtime.gate !== 'deleted';
  return cameBack ? 'O4 A DELETED ENDPOINT CAME BACK' : undefined;
}

const REPLAYS: ReadonlySet<string> = new Set(['record and row', 'record', 'row']);

function isSettled(state: State, rules: OutboundRules): boolean {
  const { publisher, runtime } = state;
  if (publisher.step !== 'idle' || runtime.hold || runtime.wake !== 'none') return false;
  if (isShut(runtime.gate) && !rules.disabledForGood) return false;
  if (state.fans.some(Boolean) || state.drainers.some(Boolean) || state.people.some(Boolean)) return false;
  if (state.wakeUps.some(wakeUp => wakeUp !== FREE)) return false;
  return state.messages.every(message => {
    if (message.jobs > 0 || message.rows.length > 0) return false;
    const counts = message.fanned || publisher.acked || (message.stored && rules.reconcile);
    return !counts || isFinal(message.record);
  });
}

/** One line for people: the runtime item, the wake-ups, each record with its rows. */
function describeState({ runtime, wakeUps, messages }: State): string {
  const deliveries = messages.map(({ record, rows }, m) => {
    const shown = record ? `${record.status} gen=${record.gen} attempts=${record.attempts}` : 'no record';
    return `m${m} ${shown} rows=[${rows.map(row => `${row.kind}${row.gen}.${row.n} ${row.due}`).join(', ')}]`;
  });
  return `${JSON.stringify(runtime)}; wake-ups=${JSON.stringify(wakeUps)}; ${deliveries.join('; ')}`;
}
