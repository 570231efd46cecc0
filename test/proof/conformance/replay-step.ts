/** Carries out one step of the lifecycle model with the real code. */
import type { Step } from '#test/proof/model/explorer/model.ts';
import type { DlqTag, State } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import { consumerStep } from './consumer-step.ts';
import { closerStep, operatorStep, requestStep } from './people-step.ts';
import type { RealLifecycle } from './real-lifecycle.ts';
import { sweeperStep, tagIn } from './sweeper-step.ts';

export async function replayStep(real: RealLifecycle, from: State, step: Step<State>): Promise<void> {
  await real.tick();
  const { actor, action, to } = step;
  const me = Number(actor.at(-1));
  switch (actor) {
    case 'consumer 0':
    case 'consumer 1':
      return consumerStep(real, me, from.consumers[me], action, to.consumers[me]);
    case 'sweeper 0':
    case 'sweeper 1':
      return sweeperStep(real, me, from.sweeps[me], action, to.sweeps[me]);
    case 'time':
      return passTime(real, action);
    case 'late request':
      return requestStep(real, from.request, action, to.request);
    case 'source':
      real.paused = to.paused;
      return;
    case 'operator': {
      const which = to.operators.findIndex((it, at) => it?.step !== from.operators[at]?.step);
      return operatorStep(real, which, from.operators[which], action, to.operators[which]);
    }
    case 'person':
      real.queue.push(
        real.take<DlqTag>(real.dead, tagIn(action) as DlqTag, (body, item) => real.deadTagOf(body, item)),
      );
      return;
    case 'closer':
      return closerStep(real, action);
    default:
      throw new Error(`The model has an actor nobody drives: ${actor}`);
  }
}

async function passTime(real: RealLifecycle, action: string): Promise<void> {
  const item = real.item();
  const at = action === 'the due time comes' ? item?.nextAttemptAt : (item?.leaseUntil ?? 0) + 1;
  await real.clock.advanceTo(at ?? 0);
}
