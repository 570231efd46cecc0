import { describe, expect, it } from 'vitest';
import type { ItemPut, ItemStore } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import { guardEgress } from '#core/outbound/tend/egress.ts';

const NOW = 1_767_571_200_000;
const MINUTE = 60_000;

/** A store whose endpoints are held as given; `puts` are the writes. */
function storeWith(held: readonly object[]) {
  const puts: ItemPut[] = [];
  const store = {
    getMany: async () => held,
    put: async (put: ItemPut) => {
      puts.push(put);
    },
  } as unknown as Pick<ItemStore, 'getMany' | 'put'>;
  return { store, puts };
}

const waiting = (count: number): EndpointId[] => Array.from({ length: count }, (_, n) => `ep_${n}` as EndpointId);
const held = (count: number, minutesAgo: number, holdWhy = 'breaker') =>
  Array.from({ length: count }, () => ({ holdWhy, holdSince: NOW - minutesAgo * MINUTE }));

describe('the guard of our own way out', () => {
  it('is on when a tenth of the endpoints with traffic, and 20 of them, opened their breakers in five minutes', async () => {
    const { store, puts } = storeWith(held(20, 4));
    expect(await guardEgress(store, waiting(20), { withTraffic: 200, now: NOW })).toBe(true);
    expect(puts).toHaveLength(1);
    expect(puts[0]?.item).toMatchObject({ until: NOW + 3 * MINUTE });
  });

  it.each([
    ['fewer than 20 are held', held(19, 1), 19, 19],
    ['they are less than a tenth of those with traffic', held(20, 1), 20, 201],
    ['they have been held for longer than five minutes', held(30, 6), 30, 30],
    ['the receivers asked for the wait themselves', held(30, 1, 'throttled'), 30, 30],
    ['19 are fresh and one is old', [...held(19, 1), ...held(1, 6)], 20, 20],
    ['nothing is known of them', Array.from({ length: 30 }, () => undefined as unknown as object), 30, 30],
  ])('stays off when %s, and writes nothing', async (_why, items, count, withTraffic) => {
    const { store, puts } = storeWith(items);
    expect(await guardEgress(store, waiting(count), { withTraffic, now: NOW })).toBe(false);
    expect(puts).toEqual([]);
  });
});
