/**
 * Claim: an upgrade finds events in every state, and old items are read for ever. What an older version left in its tables
 * (test/kit/samples/leave-receiving.ts), its queue empty, is carried on by this one: what was open ends with one effect,
 * what had ended stays as it was, and is replayed when somebody asks.
 */
import { describe, expect, it } from 'vitest';
import { fromAttributes } from '#adapters/dynamodb/marshal.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { EVENT_STATUSES } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { reportHistory } from '#core/inbound/search/event-report.ts';
import { EVENTS, MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import { storedSamples } from '#test/kit/samples/stored-samples.ts';

type Item = Readonly<Record<string, unknown>>;
const idOf = ({ pk }: EventItem): string => pk.slice(pk.indexOf('#') + 1);
const sourceOf = ({ pk }: EventItem): string => pk.slice(0, pk.indexOf('#'));

describe.each(storedSamples('states'))('stored by $version in every state', ({ version, at = 0, tables }) => {
  const stored = (tables[EVENTS] ?? []).map(item => fromAttributes<Item>(item));
  const events = stored.filter(item => item['status'] !== undefined).map(parseEventItem);
  const [ended, open] = [events.filter(it => isTerminal(it.status)), events.filter(it => !isTerminal(it.status))];

  /** This version, on the tables as that one left them. */
  async function upgraded(): Promise<MemoryWorld> {
    const world = new MemoryWorld({ sources: ['default', 'held'] });
    await world.clock.advanceTo(at);
    for (const table of [EVENTS, PAYLOADS])
      for (const item of tables[table] ?? [])
        world.database.write({ kind: 'put', table, item: fromAttributes<Item>(item) });
    return world;
  }
  const effectsOf = (world: MemoryWorld, items: readonly EventItem[]) =>
    items.map(it => [idOf(it), world.effects(idOf(it))]);

  it('each event is read as it is, and has a history', async () => {
    // That version closed no death.
    const known = EVENT_STATUSES.filter(it => it !== 'closed' || version !== 'before-0.1.0');
    expect([...new Set(events.map(it => it.status))].sort()).toEqual([...known].sort());
    const { database } = await upgraded();
    const payloads = new MemoryPayloadStore(database, PAYLOADS);
    for (const item of events)
      expect(await reportHistory(item, payloads)).toMatchObject({ status: item.status, attempts: item.attempts });
  });

  it('what was open ends with one effect, and what had ended stays as it was', async () => {
    const world = await upgraded();
    world.start();
    await world.clock.complete(world.pause('held', false));
    expect(await world.settle()).toBe(true);
    world.stop();
    const now = world.items().map(parseEventItem);
    const openNow = now.filter(({ pk }) => open.some(it => it.pk === pk));
    expect(openNow.map(it => [idOf(it), it.status])).toEqual(openNow.map(it => [idOf(it), 'completed']));
    expect(effectsOf(world, open)).toEqual(open.map(it => [idOf(it), 1]));
    const byKey = (items: readonly EventItem[]) => new Map(items.map(it => [it.pk, it]));
    expect(byKey(now.filter(it => !openNow.includes(it)))).toEqual(byKey(ended));
    expect(effectsOf(world, ended)).toEqual(ended.map(it => [idOf(it), 0]));
  });

  it('what had ended is replayed when somebody asks, with one effect', async () => {
    const world = await upgraded();
    world.start();
    for (const item of ended) {
      const asked = world.replay(idOf(item), { replayId: 'r2', by: 'ada', why: 'once more' }, sourceOf(item));
      expect(await world.clock.complete(asked)).toMatchObject({ kind: 'replayed' });
    }
    await world.clock.complete(world.pause('held', false));
    expect(await world.settle()).toBe(true);
    world.stop();
    expect(effectsOf(world, ended)).toEqual(ended.map(it => [idOf(it), 1]));
    expect(ended.map(it => world.item(idOf(it), sourceOf(it))?.gen)).toEqual(ended.map(it => it.gen + 1));
  });
});
