/** One replay by itself: what is written and sent, in which order, and what a second request for the same one does. */
import { expect, it } from 'vitest';
import type { EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { type ReplayPorts, replayEvent } from '#core/inbound/replay/replay-event.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

const REQUEST = { replayId: 'r1', by: 'ada', why: 'the total was wrong' };

/** A completed event, and ports that write down each call; `answer` is what the store says of the new generation. */
async function completed(answer: (item: EventItem) => Partial<EventItem> | 'gone' | undefined = () => undefined) {
  const world = new MemoryWorld();
  await world.post({ id: 'a' });
  world.start();
  await world.settle();
  world.stop();
  const item = world.item('a') as EventItem;
  const calls: string[] = [];
  const ports: ReplayPorts = {
    store: {
      update: async (update: EventUpdate): Promise<WriteResult> => {
        const { enqueuedAt } = update.set as Partial<EventItem>;
        calls.push(enqueuedAt === undefined ? 'replay' : `mark ${enqueuedAt}`);
        const said = enqueuedAt === undefined ? answer(item) : undefined;
        if (said === 'gone') return { kind: 'refused' } as WriteResult;
        if (said !== undefined) return { kind: 'refused', item: { ...item, ...said } as EventItem } as WriteResult;
        return { kind: 'applied', item: { ...item, ...update.set } as unknown as EventItem };
      },
    },
    payloads: {
      raiseBody: async () => 'raised' as never,
      putDetail: async ({ sk }: { readonly sk: string }) => void calls.push(`note ${sk}`),
    } as ReplayPorts['payloads'],
    queue: {
      send: async (text: string, options?: { readonly groupId?: string }) => {
        const { gen, again } = JSON.parse(text) as Record<string, unknown>;
        calls.push(`send generation ${gen}, again ${again}, group ${options?.groupId}`);
      },
    } as unknown as ReplayPorts['queue'],
    clock: { now: () => 7_000 as never },
  };
  const replay = (of: Partial<EventItem> = {}, more: { readonly jobCreatedAt?: number } = {}) =>
    replayEvent({ ...item, ...of } as EventItem, { ...REQUEST, ...more } as never, ports, world.rules);
  return { replay, calls };
}
const SEND = 'send generation 2, again true, group replay#default';

it('notes who asked, writes the new generation, sends it beside live traffic, and marks it as sent', async () => {
  const { replay, calls } = await completed();
  expect((await replay()).kind).toBe('replayed');
  expect(calls).toEqual(['note N#2#r1', 'replay', SEND, 'mark 7000']);
});

it('a request that comes again sends what was never sent, and nothing that was', async () => {
  const { replay, calls } = await completed();
  const ours = { replayId: 'r1', status: 'pending', gen: 2 } as const;
  expect((await replay({ ...ours, enqueuedAt: undefined } as never)).kind).toBe('already_replayed');
  expect(calls).toEqual([SEND, 'mark 7000']);
  calls.length = 0;
  expect((await replay({ ...ours, enqueuedAt: 6_000 } as never)).kind).toBe('already_replayed');
  expect((await replay({ replayId: 'r1', gen: 2 })).kind).toBe('already_replayed');
  expect(calls).toEqual([]);
});

it('a record of a version that this one does not know is left as it is', async () => {
  const { replay, calls } = await completed();
  expect(await replay({ status: 'unknown', storedStatus: 'frozen' } as never)).toEqual({
    kind: 'refused',
    reason: 'changed',
  });
  expect(calls).toEqual([]);
});

it('a write that was applied and whose answer was lost is ours: it is sent', async () => {
  const { replay, calls } = await completed(
    () => ({ replayId: 'r1', status: 'pending', gen: 2, enqueuedAt: undefined }) as never,
  );
  expect((await replay()).kind).toBe('already_replayed');
  expect(calls).toEqual(['note N#2#r1', 'replay', SEND, 'mark 7000']);
});

it.each([
  ['gone', {}, 'gone'],
  [{ status: 'processing' }, {}, 'running'],
  [{ status: 'processing', gen: 2 }, {}, 'changed'],
  [{ status: 'completed', updatedAt: 1 }, {}, 'changed'],
  // Somebody replayed it after the job was made.
  [{ status: 'processing', replayedAt: 5_000 }, { jobCreatedAt: 5_000 }, 'changed'],
  [{ status: 'processing', replayedAt: 4_999 }, { jobCreatedAt: 5_000 }, 'running'],
] as const)('refused by %j of a job %j: %s, and nothing is sent', async (said, more, reason) => {
  const { replay, calls } = await completed(() => said as never);
  expect(await replay({}, more)).toEqual({ kind: 'refused', reason });
  expect(calls).toEqual(['note N#2#r1', 'replay']);
});
