/** What one run of the sweeper counts: its sends, how long they take at its rate, and when arrivals count as sent. */
import { describe, expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { DependencyError } from '#core/errors.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { SweepRun } from '#core/inbound/sweep/sweep-run.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

/** An event that was recorded and never sent, and a run with `waiting` messages in the queue. */
async function run(waiting: number | undefined, send: () => Promise<void> = async () => undefined) {
  const world = new MemoryWorld();
  await world.post({ id: 'a' });
  const { enqueuedAt: _, ...unsent } = world.item('a') as EventItem;
  const slept: number[] = [];
  const ports = {
    store: { update: async () => ({ kind: 'applied', item: unsent }) },
    control: { read: async () => undefined, write: async () => true },
    queue: { send },
    gauge: {
      main: async () => {
        if (waiting === undefined) throw new DependencyError('sqs', 'no answer', { outcome: 'unknown' });
        return { visible: waiting, hidden: 0 };
      },
      dead: async () => ({ visible: 2, hidden: 3 }),
    },
    clock: { now: () => 0 },
    timer: { sleep: async (ms: number) => void slept.push(ms) },
    telemetry: new MemoryTelemetry(),
  };
  const rules = { ...world.rules, sourceIds: [], sendsPerSecond: 50 };
  const it = new SweepRun(60_000, ports as never, rules as never);
  await it.look();
  return { it, slept, send: () => it.sweepOne(unsent as EventItem, false), sent: { ...unsent, enqueuedAt: 0 } };
}

describe('a run of the sweeper', () => {
  it('counts what it sent, and nothing that only waits or failed', async () => {
    let broken = false;
    const {
      it: each,
      send,
      sent,
    } = await run(0, async () => {
      if (broken) throw new DependencyError('sqs', 'throttled', { outcome: 'not_applied' });
    });
    expect(await send()).toMatchObject({ sent: true });
    expect(await send()).toMatchObject({ sent: true });
    expect(await each.sweepOne({ ...sent, watchAt: 5 } as EventItem, false)).toMatchObject({ sent: false });
    broken = true;
    expect(await send()).toBeUndefined();
    expect(each.sent).toBe(2);
    expect(each.deadMessages).toBe(5);
  });

  it('waits as long as its sends take at its rate, at half of it while a breaker is open, and not past its end', async () => {
    const { it: each, slept, send } = await run(0);
    await send();
    await each.pace();
    each.breakerOpen = true;
    await send();
    await each.pace();
    for (let n = 0; n < 2_000; n++) await send();
    await each.pace();
    expect(slept).toEqual([20, 60, 60_000]);
  });

  it.each([
    ['an empty queue', 0, undefined],
    ['a queue with messages', 1, 100],
    ['a queue that does not say', undefined, 100],
  ] as const)('beside %s arrivals count as sent after %s sends: %s', async (_what, waiting, after) => {
    const { it: each, send } = await run(waiting);
    let sends = 0;
    while (!each.takesAsSent && sends < 300) {
      await send();
      sends += 1;
    }
    expect(sends).toBe(after ?? 300);
  });
});
