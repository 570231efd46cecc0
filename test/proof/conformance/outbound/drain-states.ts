/** States of the model that a call of the real session may mean. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import {
  type Budget,
  type Drainer,
  type DrainerStep,
  LOST,
  type State,
} from '#test/proof/model/outbound/outbound-state.ts';
import type { Call } from './drain-session.ts';
import { messageId, type OutboundWorld } from './outbound-world.ts';

/** The call is about the delivery, or the row, that the model has in hand. */
export function isAbout(
  drainer: Drainer | undefined,
  call: Call,
  about: string | undefined,
  world: OutboundWorld,
): boolean {
  const [first] = drainer?.hand ?? [];
  if (!first || about === undefined || call === 'answer') return true;
  if (call === 'put') return about.includes(messageId(first.message));
  if (call !== 'delete') return about === messageId(first.message);
  const row = world.rowAt(about);
  // A row that is gone already: another session was here.
  if (!row) return about.includes(messageId(first.message));
  return row.message === first.message && row.row.gen === first.row.gen && row.row.n === first.row.n;
}

/** Behind a shut gate the model may end rows that are over by any wake-up; the code does by those of the audit only. */
export function dropsAtGate(state: State, me: number): State {
  const drainers = state.drainers.map((it, k) => (it && k === me ? { ...it, step: 'ack' as const } : it));
  return { ...state, drainers, runtime: { ...state.runtime, wake: 'none' } };
}

/** The lease was refused three times: the wake-up comes back, as after an error. */
export function givesBack(state: State, me: number): State {
  const slot = state.drainers[me]?.slot ?? 0;
  const wakeUps = state.wakeUps.map((wakeUp, at) => (at === slot && wakeUp === me ? LOST : wakeUp));
  return { ...state, wakeUps, drainers: state.drainers.map((it, k) => (k === me ? undefined : it)) };
}

/** Something comes before the `wakeAt` that the release found. */
export function startsAgain(state: State, me: number): State {
  const mayStart = state.drainers[me]?.why === 'wake' && state.messages.some(({ rows }) => rows.length > 0);
  if (!mayStart) return state;
  const drainers = state.drainers.map((it, k) =>
    it && k === me ? { ...it, step: 'got' as const, why: '' as const } : it,
  );
  return { ...state, drainers };
}

/** A page has no order: it may begin with any of its rows. And it may end early. */
export function turned(state: State, me: number): readonly State[] {
  const drainer = state.drainers[me];
  const rows = [...(drainer?.hand ?? []), ...(drainer?.page ?? [])];
  if (!drainer || rows.length < 2) return [state];
  const orders = permutations(rows).flatMap(order => order.map((_, at) => order.slice(0, at + 1)));
  return orders.map(([first, ...page]) => ({
    ...state,
    drainers: state.drainers.map((it, k) => (k === me ? { ...drainer, hand: first ? [first] : [], page } : it)),
  }));
}

function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length < 2) return [list];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map(rest => [first, ...rest]));
}

/** Where the model is while the code stands before a call. */
export const PLACE: Readonly<Record<Call, DrainerStep>> = {
  wake: 'got',
  rows: 'rows',
  lease: 'lease',
  query: 'query',
  look: 'look',
  records: 'check',
  answer: 'sent',
  success: 'sent',
  failure: 'sent',
  end: 'check',
  put: 'put',
  delete: 'delete',
  disable: 'disable',
  release: 'release',
  again: 'recheck',
};
/** Which steps of the model a call may be. */
export const STEPS: Readonly<Record<Call, RegExp>> = {
  wake: /^gate shut|^on hold or held|^reads the item/,
  rows: /^reads \d|^finds nothing due/,
  lease: /^takes the lease$|^is refused the lease/,
  query: /^queries \d|^queries, none/,
  look: /^looks|^finds that it lost|^finds the gate/,
  records: /^sends|^sees/,
  answer: /^429/,
  success: /^2xx/,
  failure: /^fails/,
  // A replay came between the look at the record and the write, which is refused.
  end: /^records that it was dropped|^sees that the row is done/,
  put: /^puts the retry row/,
  delete: /^deletes the row/,
  disable: /^disables|^lost the lease or the gate/,
  release: /^releases/,
  again: /^queries again/,
};

/** How often each fault may happen in one walk. */
export function budgetOf(random: SeededRandom): Partial<Budget> {
  const some = (): number => random.int(3);
  return {
    crash: some(),
    lost: some(),
    zombie: some(),
    fail: 1 + some(),
    throttled: some(),
    breaker: some(),
    gone: random.int(2),
    pause: some(),
    drop: random.int(2),
    replay: some(),
    duplicate: some(),
    purge: random.int(2),
    error: some(),
  };
}
