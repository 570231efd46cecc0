/** Claims: the keys of a source that is spread, and that those of before stay its first ones. */
import { expect, it } from 'vitest';
import { eq } from '#core/condition.ts';
import { type EventPk, toSourceId } from '#core/glossary.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { watchShardOf } from '#core/inbound/protocol/event-writes.ts';
import { SpreadWriter, shardsFor, shardsIn, timelineKeys, watchKeys } from '#core/inbound/protocol/spread.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

const source = toSourceId('stripe');
const PKS = Array.from({ length: 4_000 }, (_, n) => `${source}#evt_${n.toString(36)}x` as EventPk);

function writer(shards: number) {
  const inserted: EventItem[] = [];
  const updated: EventUpdate[] = [];
  const store = {
    insert: async (item: EventItem) => {
      inserted.push(item);
      return { kind: 'applied', item } as const;
    },
    update: async (update: EventUpdate) => {
      updated.push(update);
      return { kind: 'refused', item: undefined } as const;
    },
    note: async () => undefined,
  };
  return { inserted, updated, spread: new SpreadWriter(store, shardsIn({ [source]: shards })) };
}

it('gives a source a key for each 1,000 events a second', () => {
  expect([0, 999, 1_000, 1_001, 9_500, 10_000].map(shardsFor)).toEqual([1, 1, 1, 2, 10, 10]);
});

it('keeps the key of an hour as the first one, and the four of the watch', () => {
  expect(timelineKeys('stripe#2026-01-05T00', 1)).toEqual(['stripe#2026-01-05T00']);
  expect(timelineKeys('stripe#2026-01-05T00', 3)).toEqual([
    'stripe#2026-01-05T00',
    'stripe#2026-01-05T00#1',
    'stripe#2026-01-05T00#2',
  ]);
  expect(watchKeys('stripe', 3, 1)).toEqual(['stripe#3']);
  expect(watchKeys('stripe', 3, 10)).toEqual(['stripe#3', 'stripe#7', 'stripe#11', 'stripe#15', 'stripe#19']);
});

it('leaves the writes of a source with one key as they are', async () => {
  const { inserted, updated, spread } = writer(1);
  const item = makeEventItem('stripe', 'a', { watchShard: 'stripe#1', watchAt: 5 });
  const update: EventUpdate = { pk: item.pk, condition: eq('gen', 1), set: { watchShard: 'stripe#1', watchAt: 6 } };
  await spread.insert(item);
  await spread.update(update);
  expect(inserted[0]).toBe(item);
  expect(updated[0]).toBe(update);
});

it('spreads the events of a source evenly over its keys, and each always under the same', async () => {
  const { inserted, updated, spread } = writer(10);
  for (const pk of PKS) {
    const watch = { watchShard: watchShardOf(pk), watchAt: 5 };
    const timelineHour = 'stripe#2026-01-05T00';
    await spread.insert({ ...makeEventItem('stripe', 'x', watch), pk, timelineHour } as EventItem);
    await spread.update({ pk, condition: eq('gen', 1), set: watch });
  }
  const counts = (keys: readonly (string | undefined)[]) => Object.values(Object.groupBy(keys, it => it ?? 'none'));
  const hours = counts(inserted.map(it => it.timelineHour)).map(it => it?.length ?? 0);
  expect(hours).toHaveLength(10);
  expect(Math.max(...hours)).toBeLessThan(1.5 * (PKS.length / 10));
  expect(new Set(inserted.map(it => it.timelineHour))).toEqual(new Set(timelineKeys('stripe#2026-01-05T00', 10)));
  const watched = updated.map(({ set }) => ('watchShard' in set ? set.watchShard : undefined));
  expect(counts(watched)).toHaveLength(20);
  expect(watched).toEqual(inserted.map(it => it.watchShard));
  // Whoever reads a part of the watch reads what a version without spreading put there, and the keys beside it.
  for (const [n, pk] of PKS.entries()) {
    const part = Number(watchShardOf(pk).split('#')[1]);
    expect(watchKeys('stripe', part, 10)).toContain(watched[n]);
  }
});

it('does not touch an update without a watch', async () => {
  const { updated, spread } = writer(10);
  const update: EventUpdate = { pk: PKS[0] as never, condition: eq('gen', 1), set: {}, remove: ['watchShard'] };
  await spread.update(update);
  expect(updated[0]).toBe(update);
});
