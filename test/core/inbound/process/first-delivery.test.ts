import { describe, expect, it } from 'vitest';
import { done } from '#core/handler/handler-contract.ts';
import { mayRunUnclaimed } from '#core/inbound/process/first-delivery.ts';
import { decodeWorkMessage, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat, type WorldHandlers } from '#test/proof/journeys/support/handlers.ts';

const DELIVERY = { id: 'a', createdAt: 1_767_571_200_000 };
const transacting = handlerThat(() => undefined, { onlyTransacts: true });

async function run(
  handlers: WorldHandlers,
  minutes = 5,
  unhandled?: 'ignore',
): Promise<{ world: MemoryWorld; calls: string[] }> {
  const calls: string[] = [];
  const world = new MemoryWorld({
    handlers,
    ...(unhandled && { source: { unhandled } }),
    queue: { duplicateRate: 0 },
    planOf: role => call => {
      if (role === 'process' && call.name.startsWith('store.')) calls.push(call.name);
      return undefined;
    },
  });
  await world.post(DELIVERY);
  world.start();
  await world.clock.advanceBy(minutes * MINUTE_MS);
  world.stop();
  return { world, calls };
}

/** The message that ingest sent. */
async function firstMessage(): Promise<WorkMessage> {
  const world = new MemoryWorld({ queue: { duplicateRate: 0 } });
  await world.post(DELIVERY);
  const decoded = decodeWorkMessage(world.main.dump()[0]?.body ?? '');
  if (decoded.kind !== 'message') throw new Error(decoded.reason);
  return decoded.message;
}

describe('a first delivery runs without a claim', () => {
  const handler = { source: '*', type: '*', handle: async () => done(), onlyTransacts: true };

  it('where its handler only transacts, and the message is the one that ingest sent', async () => {
    const message = await firstMessage();
    const may = (more: Partial<WorkMessage>, receiveCount = 1, registration: typeof handler | undefined = handler) =>
      mayRunUnclaimed({ ...message, ...more }, { receiveCount }, registration, undefined);
    expect(may({})).toBe(true);
    const { payload: _payload, ...byReference } = message;
    expect(mayRunUnclaimed(byReference, { receiveCount: 1 }, handler, undefined)).toBe(false);
    expect(may({}, 2)).toBe(false);
    expect(may({ gen: 2 })).toBe(false);
    for (const flag of ['again', 'unrecorded', 'stale'] as const) expect(may({ [flag]: true }), flag).toBe(false);
    expect(may({ waits: 0 })).toBe(false);
    expect(may({ deadId: 'd' })).toBe(false);
    expect(may({}, 1, { ...handler, onlyTransacts: false })).toBe(false);
  });

  it('or where nothing runs and that is fine: not where it dies, nor of a source that is gone', async () => {
    const message = await firstMessage();
    const may = (unhandled?: 'ignore' | 'dead_letter', receiveCount = 1) =>
      mayRunUnclaimed(message, { receiveCount }, undefined, unhandled && { unhandled });
    expect(may('ignore')).toBe(true);
    expect(may('ignore', 2)).toBe(false);
    expect(may('dead_letter')).toBe(false);
    expect(may()).toBe(false);
    const other = { ...handler, onlyTransacts: false };
    expect(mayRunUnclaimed(message, { receiveCount: 1 }, other, { unhandled: 'ignore' })).toBe(false);
  });

  it('and an event that nothing runs for ends with one write', async () => {
    const { world, calls } = await run(() => ({ find: () => undefined }), 5, 'ignore');
    expect(calls).toEqual(['store.update']);
    expect(world.item('a')).toMatchObject({ status: 'ignored', attempts: 1 });
    expect(world.item('a')?.watchAt).toBeUndefined();
    expect(world.item('a')?.expiresAt).toBeGreaterThan(0);
  });

  it('and its end is one write', async () => {
    const { world, calls } = await run(transacting);
    expect(calls).toEqual(['store.transact']);
    expect(world.item('a')).toMatchObject({ status: 'completed', attempts: 1, actionTaken: 'counted' });
    expect(world.item('a')?.startedAt).toBeGreaterThan(0);
    expect(world.effects('a')).toBe(1);
  });

  it('a large result is left to a claim', async () => {
    const { world, calls } = await run(
      handlerThat(async () => done({ data: { text: 'x'.repeat(300) } }), { onlyTransacts: true }),
    );
    expect(calls).toEqual(['store.update', 'store.update']);
    expect(world.item('a')).toMatchObject({ status: 'completed', attempts: 1, result: '"see detail"' });
  });
});

describe('what does not end well', () => {
  it('is claimed and not run again: the attempt counts', async () => {
    let runs = 0;
    const { world, calls } = await run(
      handlerThat(
        () => {
          runs += 1;
          return runs === 1 ? Promise.reject(new Error('not yet')) : undefined;
        },
        { onlyTransacts: true },
      ),
    );
    expect(runs).toBe(2);
    expect(calls).toEqual(['store.update', 'store.update', 'store.update', 'store.transact']);
    expect(world.item('a')).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('writes that the table cannot take are a failed attempt with a cause', async () => {
    const handlers = handlerThat(
      async (_call, _event, context) => {
        context.transact([{ kind: 'put', table: 'effects', item: { id: 'a', when: Symbol('never') as never } }]);
        return done();
      },
      { onlyTransacts: true },
    );
    const { world } = await run(handlers, 0.1);
    expect(world.item('a')?.status).toBe('failed');
    expect(world.item('a')?.recentAttempts?.[0]).toMatchObject({ n: 1, cause: 'effects_not_applied' });
  });

  it('step() is refused: two runs at the same time would both do it', async () => {
    const { world } = await run(
      handlerThat((_call, _event, context) => context.step('charge', async () => done()), { onlyTransacts: true }),
    );
    expect(world.item('a')).toMatchObject({ status: 'dead_letter' });
    expect(world.item('a')?.lastError).toContain('step("charge") is not allowed in a handler with onlyTransacts');
  });
});
