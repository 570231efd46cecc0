/** Stripe, end to end in memory but for the provider: a local server that speaks its list API over TLS. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stripeDeliveries } from '#adapters/provider-apis/stripe-api.ts';
import type { DeliveryApi } from '#core/inbound/reconcile/delivery-api.ts';
import { reportEvent } from '#core/inbound/search/event-report.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { stripe } from '#providers/stripe.ts';
import { API_KEY, type StripeEvent, stripeList } from '#test/kit/samples/provider-lists.ts';
import { PROVIDER_URL, ProviderServer, type ServedAnswer } from '#test/kit/servers/provider-server.ts';
import { GapWorld, Killed } from './gap-world.ts';

let server: ProviderServer;
beforeAll(async () => {
  server = await ProviderServer.start();
});
afterAll(() => server.stop());

const credential = { get: async () => API_KEY, forget: () => undefined };
const apiWithin = (timeoutMs: number) =>
  stripeDeliveries({ baseUrl: PROVIDER_URL, credential, agent: server.agent, callsPerSecond: 10_000, timeoutMs });

let gap: GapWorld;
let api: DeliveryApi;
let events: StripeEvent[];
beforeEach(() => {
  gap = new GapWorld(stripe);
  server.calls.length = 0;
  api = apiWithin(10_000);
  events = Array.from({ length: 20 }, (_, n) => ({
    id: `evt_${String(n).padStart(2, '0')}`,
    object: 'event',
    type: n % 2 === 0 ? 'invoice.paid' : 'charge.refunded',
    created: Math.floor((gap.now - 2 * HOUR_MS + n * MINUTE_MS) / 1_000),
    data: { object: { id: `in_${n}`, amount: 12_345 } },
  }));
  server.answer = stripeList(events, 8);
});

const MISSING = ['evt_03', 'evt_11', 'evt_12'];
const missingIds = MISSING.map(id => `evt_stripe.${id}`);

async function deliverAllButTheMissing(): Promise<void> {
  for (const event of events) {
    // Stripe's webhook is indented, its list is not: the same event, other bytes.
    if (!MISSING.includes(event.id)) expect(await gap.deliver(JSON.stringify(event, undefined, 2))).toBe(200);
  }
}

describe('three of twenty events that never arrived', () => {
  it('are found and healed, exactly those; a second run changes nothing', async () => {
    await deliverAllButTheMissing();
    const report = await gap.run(api);
    expect(report).toMatchObject({ end: 'finished', pages: 3, listed: 20, healed: 3, redelivered: 0, lost: [] });
    expect([...report.gaps].sort()).toEqual(missingIds);

    gap.world.start();
    expect(await gap.world.settle(HOUR_MS)).toBe(true);
    gap.world.stop();
    const items = gap.world.items();
    expect(
      items
        .filter(it => it.reconciled)
        .map(it => it.pk)
        .sort(),
    ).toEqual(MISSING.map(id => `stripe#${id}`));
    expect(items.map(it => it.status)).toEqual(Array(20).fill('completed'));
    expect(events.map(({ id }) => gap.world.effects(id))).toEqual(Array(20).fill(1));

    const before = gap.world.items();
    const again = await gap.run(api);
    expect(again).toMatchObject({ end: 'finished', gaps: [], healed: 0 });
    expect(gap.world.items()).toEqual(before);
    expect(gap.world.telemetry.total('ReconcileGaps', { source: 'stripe' })).toBe(3);
    expect(gap.world.telemetry.total('ReconcileHealed', { source: 'stripe' })).toBe(3);
  });

  it("are marked in the status, have the list's own bytes, and the time the provider gave", async () => {
    await gap.run(api);
    const item = gap.world.item('evt_03', 'stripe');
    if (!item) throw new Error('not healed');
    const status = await reportEvent(item, { getDetail: async () => undefined });
    expect(status).toMatchObject({
      reconciled: true,
      event_type: 'charge.refunded',
      size_bytes: JSON.stringify(events[3]).length,
    });
    expect(item.eventAt).toBe((events[3]?.created ?? 0) * 1_000);
    const delivered = await gap.deliver(JSON.stringify(events[3], undefined, 2));
    expect(delivered).toBe(200);
    expect(gap.world.item('evt_03', 'stripe')?.bodySha).toBe(item.bodySha);
  });

  it('are healed once however often the process dies in between', async () => {
    await deliverAllButTheMissing();
    await gap.run(api);
    const calls = gap.calls;
    expect(calls).toBeGreaterThan(12);
    for (let killAt = 1; killAt <= 2 * calls; killAt++) {
      gap = new GapWorld(stripe);
      await deliverAllButTheMissing();
      await expect(gap.run(api, {}, killAt), `killed at ${killAt}`).rejects.toThrow(Killed);
      expect(await gap.run(api), `after ${killAt}`).toMatchObject({ end: 'finished', lost: [] });
      expect(gap.world.items()).toHaveLength(20);
      // Handling them takes a while: every fifth death is enough to see that their effects happen once.
      if (killAt % 5 !== 0) continue;
      gap.world.start();
      expect(await gap.world.settle(HOUR_MS)).toBe(true);
      gap.world.stop();
      expect(
        MISSING.map(id => gap.world.effects(id)),
        `killed at ${killAt}`,
      ).toEqual([1, 1, 1]);
    }
  });

  it('are only reported in a dry run', async () => {
    await deliverAllButTheMissing();
    const before = gap.world.items();
    expect(await gap.run(api, { dryRun: true })).toMatchObject({ end: 'finished', healed: 0, gaps: { length: 3 } });
    expect(gap.world.items()).toEqual(before);
    expect(await gap.run(api)).toMatchObject({ healed: 3 });
  });

  it('count only where the endpoint is registered for their type', async () => {
    await deliverAllButTheMissing();
    const report = await gap.run(api, { types: ['invoice.*'] });
    expect(report.gaps).toEqual(['evt_stripe.evt_12']);
  });

  it('are left alone while they may still arrive by themselves', async () => {
    const young = {
      ...events[0],
      id: 'evt_young',
      type: 'invoice.paid',
      created: Math.floor((gap.now - MINUTE_MS) / 1_000),
    };
    server.answer = stripeList([young], 8);
    expect(await gap.run(api)).toMatchObject({ end: 'finished', gaps: [] });
    await gap.world.clock.advanceBy(10 * MINUTE_MS);
    expect(await gap.run(api)).toMatchObject({ end: 'finished', gaps: ['evt_stripe.evt_young'], healed: 1 });
  });
});

describe('one run', () => {
  it('stops at its limit of pages, and the next one goes on there', async () => {
    expect(await gap.run(api, { maxPagesPerRun: 1 })).toMatchObject({ end: 'page_limit', pages: 1, healed: 8 });
    expect(await gap.run(api, { maxPagesPerRun: 1 })).toMatchObject({ end: 'page_limit', listed: 8, healed: 8 });
    expect(await gap.run(api, { maxPagesPerRun: 1 })).toMatchObject({ end: 'finished', listed: 4, healed: 4 });
  });

  it('keeps to its pace', async () => {
    await gap.run(api, { callsPerSecond: 0.5 });
    expect(gap.slept).toEqual([2_000, 2_000]);
  });

  it('goes on after a pause the provider asked for, and gives up when it is longer than the run', async () => {
    const healthy = server.answer;
    let first = true;
    server.answer = call => {
      const answer: ServedAnswer = first ? { status: 429, headers: { 'retry-after': '7' } } : healthy(call);
      first = false;
      return answer;
    };
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 20 });
    // What it asked for is less than our own wait for a busy provider.
    expect(gap.slept[0]).toBe(30_000);
    server.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await gap.run(api)).toMatchObject({ end: 'busy', pages: 0 });
  });

  it.each<[string, ServedAnswer, string, string]>([
    ['401', { status: 401 }, 'refused', '401'],
    ['403', { status: 403 }, 'refused', '403'],
    ['500', { status: 500 }, 'unavailable', '500'],
    ['silence', { hang: true }, 'unavailable', 'no answer within 150 ms'],
    ['a page of HTML', { body: '<html>hello' }, 'unavailable', 'not a list of events'],
    [
      'an event without an id',
      { body: { object: 'list', has_more: false, data: [{ type: 'x' }] } },
      'unavailable',
      'not an event',
    ],
    [
      'more pages after an empty one',
      { body: { object: 'list', has_more: true, data: [] } },
      'unavailable',
      'not a page',
    ],
    ['a redirect', { status: 301, headers: { location: 'https://keys.example.com/v1/events' } }, 'refused', '301'],
  ])('ends on %s with a cause, loses nothing, and tells no credential', async (_name, answer, end, reason) => {
    server.answer = () => answer;
    const report = await gap.run('hang' in answer ? apiWithin(150) : api);
    expect(report).toMatchObject({ end, reason: expect.stringContaining(reason), healed: 0 });
    expect(server.calls.length).toBeLessThanOrEqual(7);
    expect(JSON.stringify([report, gap.world.telemetry.lines])).not.toContain(API_KEY);
    server.answer = stripeList(events, 8);
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 20 });
  });

  it('ends when the list repeats a page, heals what it saw, and begins the window again', async () => {
    const page = { object: 'list', has_more: true, data: events.slice(0, 3) };
    server.answer = () => ({ body: page });
    expect(await gap.run(api)).toMatchObject({ end: 'repeats', pages: 2, healed: 3 });
    expect(await gap.run(api)).toMatchObject({ end: 'repeats', pages: 2, healed: 0 });
    server.answer = stripeList(events, 8);
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 17 });
  });

  it('ends when pages come forever, and so does the window', async () => {
    let n = 0;
    server.answer = () => {
      n += 1;
      return { body: { object: 'list', has_more: true, data: [{ ...events[0], id: `evt_endless_${n}` }] } };
    };
    const ends = [];
    for (let run = 0; run < 52; run++) ends.push((await gap.run(api, { maxPagesPerRun: 2, callsPerSecond: 50 })).end);
    expect(ends.filter(end => end === 'page_limit')).toHaveLength(51);
    expect(ends[50]).toBe('endless');
    expect(gap.world.telemetry.measures.filter(it => it.metric === 'ReconcileLag').at(-1)?.value).toBeGreaterThan(
      86_400,
    );
  });

  it('skips nothing when the clock goes back, or had gone ahead', async () => {
    gap.skewMs = 48 * HOUR_MS;
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 0 });
    gap.skewMs = 0;
    const report = await gap.run(api);
    expect(report).toMatchObject({ end: 'finished', healed: 20 });
    gap.skewMs = -30 * MINUTE_MS;
    expect(await gap.run(api)).toMatchObject({ end: 'finished', gaps: [] });
  });

  it('asks a provider that is always busy a few times only', async () => {
    server.answer = () => ({ status: 429, headers: { 'retry-after': '1' } });
    expect(await gap.run(api)).toMatchObject({ end: 'busy', pages: 0 });
    expect(server.calls).toHaveLength(6);
  });

  it('begins the window again where the cursor of an earlier run is refused', async () => {
    expect(await gap.run(api, { maxPagesPerRun: 1 })).toMatchObject({ end: 'page_limit', healed: 8 });
    const list = server.answer;
    server.calls.length = 0;
    // Stripe no longer knows the event that the cursor names.
    server.answer = call =>
      call.query.has('starting_after') && server.calls.length === 1 ? { status: 400 } : list(call);
    expect(await gap.run(api)).toMatchObject({ end: 'finished', pages: 3, listed: 20, healed: 12 });
    expect(gap.world.items()).toHaveLength(20);
  });

  it('keeps its cursor where the provider refuses the list itself', async () => {
    await gap.run(api, { maxPagesPerRun: 1 });
    const list = server.answer;
    server.calls.length = 0;
    server.answer = () => ({ status: 400 });
    expect(await gap.run(api)).toMatchObject({ end: 'refused', reason: expect.stringContaining('400'), pages: 0 });
    expect(server.calls).toHaveLength(2);
    server.answer = list;
    expect(await gap.run(api)).toMatchObject({ end: 'finished', pages: 2, healed: 12 });
  });

  it('does not go past an event that neither the table nor the queue takes', async () => {
    gap.down.add('insert').add('send');
    expect(await gap.run(api)).toMatchObject({ end: 'store_unavailable', healed: 0 });
    gap.down.delete('send');
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 20 });
    // The queue alone has them now, with their mark.
    gap.down.clear();
    gap.world.start();
    expect(await gap.world.settle(HOUR_MS)).toBe(true);
    gap.world.stop();
    expect(gap.world.items().filter(it => it.reconciled)).toHaveLength(20);
  });

  it('yields to another run of the same list, and what both found is recorded once', async () => {
    let other: Promise<unknown> | undefined;
    const slow: DeliveryApi = {
      ...api,
      list: async (window, cursor) => {
        const answer = await api.list(window, cursor);
        other ??= gap.run(api);
        await other;
        return answer;
      },
    };
    expect(await gap.run(slow)).toMatchObject({ end: 'overtaken', gaps: [] });
    expect(gap.world.items()).toHaveLength(20);
  });

  it('counts a store that does not answer as its own trouble, not as a gap', async () => {
    gap.down.add('all');
    expect(await gap.run(api)).toMatchObject({ end: 'store_unavailable', gaps: [] });
    expect(gap.world.telemetry.measures).toEqual([]);
    gap.down.clear();
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 20 });
  });
});
