/** The three awkward orders of docs/receive/ordering.md, each through the real functions and the examples of the guide. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { given } from '#core/given.ts';
import type { Handler } from '#core/handler/handler-contract.ts';
import type { Fetched } from '#core/handler/ordering/fetch-latest.ts';
import { DAY_MS } from '#core/time.ts';
import { keepBalance } from '#handlers/examples/account-balance.ts';
import { trackInvoice } from '#handlers/examples/invoice-states.ts';
import { type Order, refreshOrder } from '#handlers/examples/order-fetch.ts';
import { keepSubscription } from '#handlers/examples/subscription-latest.ts';
import type { MemoryWorld, WorldOptions } from '#test/kit/memory-world.ts';
import { becameOf, deliver, ENTITIES, makeEntityWorld, OTHERS, rowOf, withTimeline } from './entity-world.ts';

let lines: string[];
beforeEach(() => {
  lines = [];
  for (const name of ['SUBSCRIPTIONS_TABLE', 'INVOICES_TABLE', 'ORDERS_TABLE', 'BALANCES_TABLE'])
    vi.stubEnv(name, ENTITIES);
  vi.stubEnv('REVENUE_TABLE', OTHERS);
});
afterEach(() => vi.unstubAllEnvs());

function started(handle: Handler, options: WorldOptions = {}): MemoryWorld {
  const world = makeEntityWorld(self => withTimeline(self, lines, handle), options);
  world.start();
  return world;
}

async function settled(world: MemoryWorld): Promise<void> {
  expect(await world.settle()).toBe(true);
  world.stop();
}

describe('latest wins: a subscription', () => {
  const subscription = (status: string) => ({ object: { id: 'sub_1', status, plan: 'large' } });

  it('stays cancelled when an older update comes late', async () => {
    const world = started(keepSubscription);
    const noon = world.clock.now();
    const at = (seconds: number) => ({ createdAt: noon + seconds * 1_000 });
    await deliver(world, 'evt_1', { type: 'subscription.created', data: subscription('trialing'), ...at(0) });
    await deliver(world, 'evt_3', { type: 'subscription.cancelled', data: subscription('cancelled'), ...at(2) });
    await deliver(world, 'evt_2', { type: 'subscription.updated', data: subscription('active'), ...at(1) });
    await settled(world);
    expect(rowOf(world, 'sub_1')).toMatchObject({ status: 'cancelled', versionEventId: 'evt_default.evt_3' });
    expect(becameOf(world, 'evt_2')).toMatch(/^skipped_stale: version \d+ is older than \d+ of evt_default\.evt_3$/);
    expect(world.item('evt_1')?.status).toBe('completed');
  });

  it('applies one of two events of one second and records the other, whichever comes first', async () => {
    for (const order of [
      ['evt_a', 'evt_b'],
      ['evt_b', 'evt_a'],
    ]) {
      const world = started(keepSubscription);
      const createdAt = world.clock.now();
      for (const id of order) await deliver(world, id, { data: subscription(`by ${id}`), createdAt });
      await settled(world);
      expect(rowOf(world, 'sub_1')).toMatchObject({ status: 'by evt_b' });
      expect(world.item('evt_b')?.status).toBe('completed');
      expect(becameOf(world, 'evt_a')).toMatch(
        order[0] === 'evt_a' ? /^completed/ : /^skipped_stale: .*larger event id/,
      );
    }
  });

  it('takes over rows that were written before there were versions', async () => {
    const world = started(keepSubscription);
    world.database.write({ kind: 'put', table: ENTITIES, item: { id: 'sub_1', status: 'old', note: 'ours' } });
    await deliver(world, 'evt_1', { data: subscription('active') });
    await settled(world);
    expect(rowOf(world, 'sub_1')).toMatchObject({
      status: 'active',
      note: 'ours',
      versionEventId: 'evt_default.evt_1',
    });
  });

  it('keeps an event without a time as a dead letter that says why', async () => {
    const world = started(keepSubscription);
    const rawBody = JSON.stringify({ event_id: 'evt_1', event_type: 'x', data: subscription('active') });
    await deliver(world, 'evt_1', { rawBody });
    await settled(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', dlqSent: true, cause: 'permanent' });
    expect(world.item('evt_1')?.lastError).toContain('no version');
    expect(rowOf(world, 'sub_1')).toBeUndefined();
  });

  it('applies the newest event again when a person replays it, and no older one', async () => {
    const world = started(keepSubscription);
    const noon = world.clock.now();
    await deliver(world, 'evt_1', { data: subscription('active'), createdAt: noon });
    await deliver(world, 'evt_2', { data: subscription('cancelled'), createdAt: noon + 1_000 });
    for (const id of ['evt_1', 'evt_2']) {
      await world.clock.complete(world.replay(id, { replayId: `r-${id}`, by: 'test', why: 'test' }));
      await world.clock.advanceBy(5_000);
    }
    await settled(world);
    expect(becameOf(world, 'evt_1')).toMatch(/^skipped_stale: version/);
    expect(becameOf(world, 'evt_2')).toMatch(/^completed: applied/);
    expect(rowOf(world, 'sub_1')).toMatchObject({ status: 'cancelled' });
  });

  it('orders by a sequence number of more digits than a JavaScript number holds', async () => {
    const world = started(keepBalance);
    const body = (id: string, sequence: string, cents: string) =>
      `{"event_id":"${id}","event_type":"balance","created_at":"2026-11-21T00:00:00Z","data":{"object":{"id":"acc","sequence":${sequence},"cents":${cents}}}}`;
    await deliver(world, 'evt_2', { rawBody: body('evt_2', '90071992547409930002', '200') });
    await deliver(world, 'evt_1', { rawBody: body('evt_1', '90071992547409930001', '100') });
    await deliver(world, 'evt_3', { rawBody: body('evt_3', '90071992547409930003', '9007199254740993') });
    await settled(world);
    expect(['evt_1', 'evt_2', 'evt_3'].map(id => world.item(id)?.status)).toEqual([
      'skipped_stale',
      'completed',
      'completed',
    ]);
    expect(rowOf(world, 'acc')).toMatchObject({ cents: '9007199254740993' });
  });
});

describe('state machine: an invoice', () => {
  const invoice = { object: { id: 'in_1', total: 4_200 } };

  it('waits with invoice.paid until invoice.created and invoice.finalized have come, and books it once', async () => {
    const world = started(trackInvoice);
    await deliver(world, 'evt_3', { type: 'invoice.paid', data: invoice });
    await deliver(world, 'evt_1', { type: 'invoice.created', data: invoice });
    await world.clock.advanceBy(60_000);
    await deliver(world, 'evt_2', { type: 'invoice.finalized', data: invoice });
    await settled(world);
    expect(rowOf(world, 'in_1')).toEqual({ id: 'in_1', state: 'paid', total: 4_200 });
    expect(rowOf(world, 'in_1', OTHERS)).toEqual({ id: 'in_1', total: 4_200 });
    expect(world.item('evt_3')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(lines).toEqual([
      '+00:00 invoice.paid: deferred, "paid" came too early: nothing is stored yet',
      '+00:06 invoice.created: done, began as "created"',
      '+00:30 invoice.paid: deferred, "paid" came too early: it is "created" now',
      '+01:11 invoice.finalized: done, moved from "created" to "finalized"',
      '+02:30 invoice.paid: done, moved from "finalized" to "paid"',
    ]);
  });

  it('records what comes late or twice as stale, and what no path leads to as rejected', async () => {
    const world = started(trackInvoice);
    for (const [n, type] of ['created', 'finalized', 'paid', 'finalized', 'paid', 'voided'].entries())
      await deliver(world, `evt_${n}`, { type: `invoice.${type}`, data: invoice });
    await settled(world);
    expect(['evt_3', 'evt_4', 'evt_5'].map(id => becameOf(world, id))).toEqual([
      'skipped_stale: "finalized" came late; it is "paid" by now',
      'skipped_stale: it is "paid" already',
      'rejected: no move leads from "paid" to "voided"',
    ]);
  });

  it('dead-letters what waited seven days for an event that never came', async () => {
    const world = started(trackInvoice, { idleMs: 15_000 });
    await world.post({ id: 'evt_1', type: 'invoice.paid', data: invoice });
    expect(await world.settle(9 * DAY_MS)).toBe(true);
    world.stop();
    const item = world.item('evt_1');
    expect(item).toMatchObject({ status: 'dead_letter', cause: 'deferred_too_long', dlqSent: true, attempts: 1 });
    const waited = (item?.deadAt ?? 0) - (item?.receivedAt ?? 0);
    expect(waited / DAY_MS).toBeCloseTo(7, 1);
    // 30 s, 2 min, 10 min, 1 h, then every 6 hours; the sweeper brings long waits back, at its next minute.
    expect(lines.length).toBeLessThan(40);
    expect(lines.slice(0, 5).map(line => line.slice(0, 6))).toEqual(['+00:00', '+00:30', '+02:30', '+12:30', '+73:00']);
  });
});

describe('fetch latest: an order', () => {
  const order = (status: string, second: number): Fetched<Order> => ({
    kind: 'found',
    id: 'ord_1',
    object: { status, total: '42.00', updated_at: `2026-11-21T00:00:0${second}Z` },
  });
  const hint = { type: 'order.changed', data: { object: { id: 'ord_1' } } };

  it('takes the current state from the provider, in whatever order the hints come', async () => {
    const world = started(refreshOrder({ fetch: async () => order('shipped', 5) }));
    const noon = world.clock.now();
    await deliver(world, 'evt_2', { ...hint, createdAt: noon + 1_000 });
    await deliver(world, 'evt_1', { ...hint, createdAt: noon });
    await settled(world);
    expect(rowOf(world, 'ord_1')).toMatchObject({ status: 'shipped', total: '42.00', revision: 2 });
    expect(becameOf(world, 'evt_1')).toMatch(/^completed: fetched version/);
  });

  it('keeps the answer that was asked for later, when two answers overtake each other', async () => {
    const world: MemoryWorld = makeEntityWorld(self => {
      let asked = 0;
      return withTimeline(
        self,
        lines,
        refreshOrder({
          // The first question is answered slowly, with what was true when it was asked. Both have one version.
          fetch: async () => {
            asked += 1;
            const answer = order(asked === 1 ? 'paid' : 'shipped', 5);
            await self.clock.sleep(asked === 1 ? 4_000 : 10);
            return answer;
          },
        }),
      );
    });
    world.start();
    await world.post({ id: 'evt_1', ...hint });
    await world.clock.advanceBy(1_000);
    await world.post({ id: 'evt_2', ...hint });
    await settled(world);
    expect(rowOf(world, 'ord_1')).toMatchObject({ status: 'shipped', revision: 2 });
    expect(world.items().map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it.each([
    ['an answer older than the row', [order('shipped', 5), order('paid', 3)], /^skipped_stale: version \d+ is older/],
    ['another object', [order('paid', 1), { ...order('paid', 2), id: 'ord_9' }], /^dead_letter: .*returned ord_9/],
    ['a refusal', [order('paid', 1), { kind: 'refused', reason: 'it answered 403' }], /^dead_letter: .*403/],
    ['404 for a known object', [order('paid', 1), { kind: 'gone' }], /^completed: marked as deleted/],
  ] as [string, Fetched<Order>[], RegExp][])('records %s', async (_name, answers, expected) => {
    const world = started(refreshOrder({ fetch: async () => answers.shift() as Fetched<Order> }));
    await deliver(world, 'evt_1', hint);
    await deliver(world, 'evt_2', hint);
    await settled(world);
    expect(becameOf(world, 'evt_2').replace('undefined', '')).toMatch(expected);
    expect(rowOf(world, 'ord_1')?.['deleted']).toBe(_name.startsWith('404') ? true : undefined);
  });

  it('revives a row when the object is there again', async () => {
    const answers: Fetched<Order>[] = [order('paid', 1), { kind: 'gone' }, order('paid', 1)];
    const world = started(refreshOrder({ fetch: async () => answers.shift() as Fetched<Order> }));
    for (const id of ['evt_1', 'evt_2', 'evt_3']) await deliver(world, id, hint);
    await settled(world);
    expect(rowOf(world, 'ord_1')).toMatchObject({ status: 'paid', revision: 3 });
    expect(rowOf(world, 'ord_1')).not.toHaveProperty('deleted');
  });

  it('looks ten minutes for an object nobody knows, then says so', async () => {
    const world = started(refreshOrder({ fetch: async () => ({ kind: 'gone' }) }));
    await deliver(world, 'evt_1', hint);
    await settled(world);
    expect(becameOf(world, 'evt_1')).toMatch(/^skipped_stale: the provider does not know ord_1/);
    expect(lines.map(line => line.slice(0, 6))).toEqual(['+00:00', '+00:30', '+02:30', '+12:30']);
  });

  it.each([
    [90, '+01:30'],
    [undefined, '+01:00'],
    [-5, '+01:00'],
    [0, '+01:00'],
    [Number.NaN, '+01:00'],
    [999_999_999, '+1441:00'],
  ])('comes back when a busy provider asks to (Retry-After %s), without spending an attempt', async (seconds, at) => {
    const busy: Fetched<Order> = { kind: 'busy', ...given({ retryAfterSeconds: seconds }) };
    const answers = [busy, order('paid', 1)];
    const world = started(refreshOrder({ fetch: async () => answers.shift() as Fetched<Order> }));
    await deliver(world, 'evt_1', hint);
    await settled(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(lines[1]?.split(' ')[0]).toBe(at);
  });

  it('gives up waiting for an answer in time, tells the fetcher, and tries again', async () => {
    const aborted: boolean[] = [];
    let asked = 0;
    const fetch = (_id: string, signal: AbortSignal): Promise<Fetched<Order>> => {
      signal.addEventListener('abort', () => aborted.push(true));
      return ++asked === 1 ? new Promise(() => {}) : Promise.resolve(order('paid', 1));
    };
    const world = started(refreshOrder({ fetch }));
    await deliver(world, 'evt_1', hint);
    await settled(world);
    const item = world.item('evt_1');
    expect(item).toMatchObject({ status: 'completed', attempts: 2 });
    expect(item?.recentAttempts?.[0]).toMatchObject({ cause: 'handler_error', ms: 10_000 });
    expect(aborted).toEqual([true]);
  });
});
