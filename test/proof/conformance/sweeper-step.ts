/** The sweeper's steps, by the real sweepEvent and drainDeadQueue. */

import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { drainDeadQueue } from '#core/inbound/sweep/drain-dead-queue.ts';
import { sweepEvent } from '#core/inbound/sweep/sweep-event.ts';
import type { DlqTag, Sweep } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import { Divergence, expectBefore, notEnded, release } from './expect-call.ts';
import type { RealLifecycle } from './real-lifecycle.ts';
import { SteppedProcess } from './stepped-process.ts';
import { RULES } from './walk-rules.ts';

export async function sweeperStep(
  real: RealLifecycle,
  me: number,
  from: Sweep | undefined,
  action: string,
  to: Sweep | undefined,
): Promise<void> {
  if (action.startsWith('crashes')) real.sweeps[me] = undefined;
  else if (action.startsWith('drains')) return drain(real, tagIn(action) as DlqTag);
  else if (from) {
    const process = real.sweeps[me];
    if (!process) throw new Error('a sweeper without a process');
    await release(process, action);
    if (to) return expectBefore(process, to.step, action, real);
    if (!process.ended || 'error' in process.ended) throw notEnded(process, action);
    real.sweeps[me] = undefined;
  } else if (to) {
    const process = await startSweeper(real, action);
    real.sweeps[me] = process;
    expectBefore(process, to.step, action, real);
  }
}

async function startSweeper(real: RealLifecycle, action: string): Promise<SteppedProcess> {
  const item = real.item();
  const now = real.clock.now();
  // The ranges that a run reads: what is due, and what a pause that is over left behind.
  // And what arrived, is open and not yet watched.
  const open = item !== undefined && !isTerminal(item.status);
  const due = item?.watchAt === undefined ? open : item.watchAt === FAR ? !real.paused : item.watchAt <= now;
  if (!item || !due) throw new Divergence(`${action}: no run would read it, its watchAt is ${item?.watchAt}`);
  const process = new SteppedProcess();
  const view = { now, backlogged: real.queue.length > 0, paused: real.paused };
  await process.start(() => sweepEvent(item, view, real.ports(process), RULES));
  return process;
}

/** The real drain looks at this message and, unless the death is closed, at every one of it; it must delete this one only. */
async function drain(real: RealLifecycle, tag: DlqTag): Promise<void> {
  const isClosed = real.item()?.status === 'closed';
  const stays = isClosed ? [] : real.dead.filter(body => real.deadTagOf(body) === 'current');
  const goes = real.take(real.dead, tag, (body, item) => real.deadTagOf(body, item));
  const batches = [[...stays, goes]];
  const deleted: string[] = [];
  const ports = real.ports(new SteppedProcess());
  const dead = {
    ...ports.dead,
    receive: async () =>
      (batches.pop() ?? []).map((body, at) => ({ body, receipt: `${at}`, sentAt: 0, receiveCount: 1 })),
    delete: async (receipt: string) => {
      deleted.push(receipt);
    },
  };
  await drainDeadQueue(Number.POSITIVE_INFINITY, { ...ports, dead });
  if (deleted.join() !== String(stays.length)) {
    throw new Divergence(
      `drains: of ${stays.length} messages of this death and one of another it deleted no. ${deleted}`,
    );
  }
}

/** The tag in brackets at the end of an action. */
export function tagIn(action: string): string {
  return /\((\w+)\)$/.exec(action)?.[1] ?? '';
}
