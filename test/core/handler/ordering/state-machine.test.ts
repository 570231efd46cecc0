import { describe, expect, it } from 'vitest';
import type { HandlerContext, WebhookEvent } from '#core/handler/handler-contract.ts';
import { stateMachine } from '#core/handler/ordering/state-machine.ts';

const invoices = stateMachine({
  initial: ['created'],
  moves: { created: ['finalized', 'voided'], finalized: ['paid', 'voided'], paid: [], voided: [] },
});
const subscriptions = stateMachine({
  initial: ['trialing', 'active'],
  moves: { trialing: ['active'], active: ['past_due', 'cancelled'], past_due: ['active', 'cancelled'], cancelled: [] },
});

describe('judge', () => {
  it.each([
    [undefined, 'created', 'allowed'],
    [undefined, 'paid', 'early'],
    ['created', 'finalized', 'allowed'],
    ['created', 'paid', 'early'],
    ['created', 'created', 'repeated'],
    ['paid', 'created', 'late'],
    ['paid', 'finalized', 'late'],
    ['paid', 'voided', 'never'],
    ['voided', 'paid', 'never'],
  ] as const)('from %s to %s: %s', (from, to, kind) => {
    expect(invoices.judge(from, to)).toEqual({ kind });
  });

  it('sees a cycle, and that what lies round it is early', () => {
    expect([invoices.isCyclic, subscriptions.isCyclic]).toEqual([false, true]);
    expect(subscriptions.judge('trialing', 'past_due')).toEqual({ kind: 'early' });
    expect(subscriptions.judge('cancelled', 'active')).toEqual({ kind: 'late' });
  });
});

describe('a table', () => {
  it('names only states it has lines for, and a beginning', () => {
    expect(() => stateMachine({ initial: [], moves: { a: [] } })).toThrow(RangeError);
    expect(() => stateMachine({ initial: ['a'], moves: { a: ['b'] } as never })).toThrow('"b" has no line');
  });
});

describe('move', () => {
  const event = { id: 'evt_default.e5' } as WebhookEvent;
  /** A context over one row, which shows the writes. */
  function contextOver(row: Record<string, unknown> | undefined) {
    const writes: unknown[] = [];
    const context = { read: async () => row, startedAt: 0, transact: (given: unknown[]) => writes.push(...given) };
    return { writes, context: context as unknown as HandlerContext };
  }
  const entity = { table: 't', key: { id: 'x' } };

  it('needs a version where the table has a cycle', async () => {
    const { context } = contextOver(undefined);
    await expect(subscriptions.move(event, context, { entity, to: 'active' })).rejects.toThrow('give `version`');
  });

  it('lets a newer event of the same state pass, so that what lies between is stale', async () => {
    const row = { id: 'x', state: 'active', version: 3, versionEventId: 'evt_default.e1' };
    const { context, writes } = contextOver(row);
    expect(await subscriptions.move(event, context, { entity, to: 'active', version: 5 })).toMatchObject({
      kind: 'done',
    });
    expect(writes).toMatchObject([{ set: { state: 'active', version: 5, versionEventId: 'evt_default.e5' } }]);
    const older = await subscriptions.move(event, contextOver(row).context, { entity, to: 'past_due', version: 2 });
    expect(older).toEqual({ kind: 'stale', reason: 'version 2 is older than 3 of evt_default.e1' });
  });

  it('rejects a newer event that no path leads to', async () => {
    const { context } = contextOver({ id: 'x', state: 'cancelled', version: 3 });
    const outcome = await subscriptions.move(event, context, { entity, to: 'active', version: 5 });
    expect(outcome).toEqual({ kind: 'rejected', reason: 'no move leads from "cancelled" to "active"' });
  });

  it.each([
    ['a state the table does not know', { to: 'lost' as 'paid' }, undefined],
    ['a row whose state the table does not know', { to: 'paid' as const }, { state: 'lost' }],
    ['a state that the caller may not set', { to: 'created' as const, state: { state: 'x' } }, undefined],
    ['a key that the caller may not set', { to: 'created' as const, state: { id: 'x' } }, undefined],
  ])('refuses %s for good', async (_name, move, row) => {
    const { context } = contextOver(row);
    await expect(invoices.move(event, context, { entity, ...move })).rejects.toMatchObject({ name: 'PermanentError' });
  });
});
