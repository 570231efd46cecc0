import type { Step } from '#test/proof/model/explorer/model.ts';
import type { State } from '#test/proof/model/outbound/outbound-state.ts';
import type { OutboundWorld } from './outbound/outbound-world.ts';

/** Of these steps, one of time that has come by the clock. */
export function overdueStep(steps: readonly Step<State>[], world: OutboundWorld): Step<State> | undefined {
  const now = world.runtime();
  return steps.find(({ action, to }) => {
    if (action === 'the hold ends') return !now.hold;
    if (action === 'wakeAt is reached') return now.wake === 'due';
    if (action.startsWith('the lease')) return !now.leased;
    if (!action.endsWith('becomes due')) return false;
    return to.messages.every((message, m) => {
      const due = world.message(m).rows.filter(row => row.due === 'reached');
      return message.rows.every(row => row.due === 'ahead' || due.some(it => it.gen === row.gen && it.n === row.n));
    });
  });
}
