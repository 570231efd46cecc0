// Holds W28: before the first row of an hour, its application is noted; where that is not known, no row is put.
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import type { ItemPut, ItemStore } from '#core/outbound/ports.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { rowNoteKey } from '#core/outbound/protocol/keys.ts';
import { replayAsNew } from '#core/outbound/replay/replay-as-new.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

const NOON = Date.parse('2026-01-05T12:00:00Z');
const [acme, other] = ['app_acme', 'app_other'] as AppId[] as [AppId, AppId];

function notes() {
  const puts: ItemPut[] = [];
  const state = { now: NOON, fails: false };
  const put = async (write: ItemPut) => {
    puts.push(write);
    if (state.fails) throw new DependencyError('dynamodb', 'away', { outcome: 'unknown' });
    return { kind: 'applied', item: write.item };
  };
  const note = rowNotes({ put } as unknown as Pick<ItemStore, 'put'>, { now: () => state.now });
  return { note, puts, state };
}

it('writes one note of an application an hour, however many ask at once', async () => {
  const { note, puts, state } = notes();
  await Promise.all([note(acme), note(acme), note(other)]);
  await note(acme);
  state.now = NOON + HOUR_MS - 1;
  await note(acme);
  expect(puts.map(({ key }) => key)).toEqual([rowNoteKey(acme, NOON), rowNoteKey(other, NOON)]);
  state.now = NOON + HOUR_MS;
  await note(acme);
  expect(puts.slice(2).map(({ key }) => key)).toEqual([rowNoteKey(acme, NOON + HOUR_MS)]);
});

it('remembers nothing that it does not know to be written', async () => {
  const { note, puts, state } = notes();
  state.fails = true;
  await expect(Promise.all([note(acme), note(acme)])).rejects.toThrow('away');
  await expect(note(acme)).rejects.toThrow('away');
  state.fails = false;
  await note(acme);
  await note(acme);
  expect(puts).toHaveLength(3);
});

it('lets a note expire after the hours in which its absence says something', async () => {
  const { note, puts } = notes();
  await note(acme);
  expect(Number(puts[0]?.item['expiresAt']) * 1_000).toBeGreaterThan(NOON + HOUR_MS + 2 * DAY_MS);
});

/** What was written, in order: `N` a note, `Q` a row. */
function noted(publishes: 'job' | 'direct') {
  const order: string[] = [];
  const state = { fails: false };
  const seen = (pk: unknown): void => {
    const kind = String(pk).charAt(0);
    if (kind === 'Q' || kind === 'N') order.push(kind);
  };
  const world = new OutboundWorld({
    publishes,
    onChange: ({ table, after }) => {
      if (table === 'outbox' && after) seen(after['pk']);
    },
    watchStore: (_, store) => {
      const put: ItemStore['put'] = async write => {
        if (state.fails && write.key.pk.startsWith('N#'))
          throw new DependencyError('dynamodb', 'away', { outcome: 'not_applied' });
        return store.put(write);
      };
      return new Proxy(store, { get: (target, name) => (name === 'put' ? put : bound(target, name)) });
    },
  });
  return { world, order, state };
}
function bound(target: ItemStore, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === 'function' ? member.bind(target) : member;
}

it.each(['job', 'direct'] as const)(
  'a message puts its note before its rows, and no row without it (%s)',
  async how => {
    const { world, order, state } = noted(how);
    const app = await world.createApplication();
    const ep = await world.createEndpoint(app, () => answered(200));
    world.start();
    state.fails = true;
    const heard = await world.clock.complete(world.publish(app, 'k'), MINUTE_MS);
    expect(heard.kind).toBe('accepted');
    await world.clock.advanceBy(2 * MINUTE_MS);
    // Its job comes again and again.
    expect(order).toEqual([]);
    expect(world.rows(ep)).toEqual([]);
    state.fails = false;
    await world.clock.advanceBy(5 * MINUTE_MS);
    expect(order.slice(0, 2)).toEqual(['N', 'Q']);
    expect(world.requestsTo(ep)).toHaveLength(1);
    world.stop();
  },
);

it('a replay puts its note before its row, and none without it', async () => {
  const { world, order, state } = noted('direct');
  const { clock } = world;
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(200));
  world.start();
  const heard = await clock.complete(world.publish(app, 'k'), MINUTE_MS);
  await clock.advanceBy(HOUR_MS);
  world.stop();
  const msg = heard.kind === 'accepted' ? heard.id : ('' as never);
  for (const [at, replay] of [replayDelivery, replayAsNew].entries()) {
    order.length = 0;
    const request = { ep, msg, requestId: `r${at}`, by: 'test' };
    const ask = () =>
      clock.complete(
        world.act(ports => replay(ports, world.rules.retentionMs, request)),
        MINUTE_MS,
      );
    state.fails = true;
    expect(await ask()).toBeUndefined();
    expect(order).toEqual([]);
    state.fails = false;
    expect(await ask()).toMatchObject({ kind: at === 0 ? 'accepted' : 'published' });
    expect(order).toEqual(['N', 'Q']);
  }
});
