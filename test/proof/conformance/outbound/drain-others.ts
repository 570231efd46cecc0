/** Steps of the model in the walks of the session that are not a session's: people, publish, fan-out, tend, SQS. */
import type { Step } from '#test/proof/model/explorer/model.ts';
import type { State } from '#test/proof/model/outbound/outbound-state.ts';
import type { Call, DrainSession } from './drain-session.ts';

const IDLE: readonly (Call | undefined)[] = [undefined, 'wake', 'release'];
/** Of time, but for the leases: those end when the walk says so. */
const OF_THE_CLOCK = /becomes due$|^the hold ends$|^wakeAt is reached$/;
export const OFTEN = /^enables|^asks|^the answer is lost|^the lease ends|^is called/;

/** Not time, not what a session does by a call. */
export function isOthers(
  { actor, action }: Step<State>,
  state: State,
  sessions: readonly (DrainSession | undefined)[],
): boolean {
  if (OF_THE_CLOCK.test(action)) return false;
  if (action === 'asks for a replay') return state.messages[0]?.record?.status !== 'pending';
  // Due from now on, which is later than what a session that is about to read rows takes for now.
  if (action === 'record and row') return !sessions.some(it => it?.before === 'query' || it?.before === 'again');
  // A session goes by the item as it saw it last.
  if (action.endsWith('drops the backlog')) return sessions.every(it => IDLE.includes(it?.before));
  if (!actor.startsWith('drainer')) return true;
  if (action.startsWith('deletes its') || action.startsWith('deletes with'))
    return sessions[Number(actor.at(-1))]?.end === 'ack';
  return action === 'receives a wake-up' || action.startsWith('visibility ends');
}
