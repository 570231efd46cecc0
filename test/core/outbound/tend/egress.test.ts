import { describe, expect, it } from 'vitest';
import type { ItemPut, ItemStore } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ControlItem } from '#core/outbound/protocol/items.ts';
import { guardEgress, guardOf } from '#core/outbound/tend/egress.ts';
import { MINUTE_MS } from '#core/time.ts';

const NOW = 1_767_571_200_000;

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
interface Held {
  readonly holdWhy?: string;
  readonly gate?: string;
  readonly lastClass?: string;
  readonly ofApp?: (n: number) => number;
}
/** Three endpoints of each application. */
const held = (count: number, minutesAgo: number, more: Held = {}) => {
  const { ofApp = n => Math.floor(n / 3), ...own } = more;
  return Array.from({ length: count }, (_, n) => ({
    ...{ app: `app_${ofApp(n)}`, gate: 'open', holdWhy: 'breaker', lastClass: 'connect' },
    ...own,
    holdSince: NOW - minutesAgo * MINUTE_MS,
  }));
};

describe('the guard of our own way out', () => {
  it('is on when a tenth of the endpoints with traffic, 20 of seven customers among them, went silent in five minutes', async () => {
    const { store, puts } = storeWith(held(20, 4));
    expect(await guardEgress(store, waiting(20), { withTraffic: 200, now: NOW })).toBe(true);
    expect(puts).toHaveLength(1);
    expect(puts[0]?.item).toMatchObject({ until: NOW + 3 * MINUTE_MS });
    const item = puts[0]?.item as unknown as ControlItem;
    expect(guardOf(item, NOW)).toMatchObject({ held: 20, counted: 20, withTraffic: 200 });
    expect(guardOf(item, NOW + 3 * MINUTE_MS)).toBeUndefined();
    expect(guardOf(undefined, NOW)).toBeUndefined();
  });

  it.each([
    ['fewer than 20 are held', held(19, 1), 19, 19],
    ['they are less than a tenth of those with traffic', held(20, 1), 20, 201],
    ['they have been held for longer than five minutes', held(30, 6), 30, 30],
    ['the receivers asked for the wait themselves', held(30, 1, { holdWhy: 'throttled' }), 30, 30],
    ['19 are fresh and one is old', [...held(19, 1), ...held(1, 6)], 20, 20],
    ['they belong to six customers', held(300, 1, { ofApp: n => n % 6 }), 300, 300],
    ['they answer with 500', held(30, 1, { lastClass: 'server_error' }), 30, 30],
    ['it is our own fault', held(30, 1, { lastClass: 'own_fault' }), 30, 30],
    ['they were deleted', held(30, 1, { gate: 'deleted' }), 30, 30],
    ['they were disabled', held(30, 1, { gate: 'disabled' }), 30, 30],
    ['nothing is known of them', Array.from({ length: 30 }, () => undefined as unknown as object), 30, 30],
  ])('stays off when %s, and writes nothing', async (_why, items, count, withTraffic) => {
    const { store, puts } = storeWith(items);
    expect(await guardEgress(store, waiting(count), { withTraffic, now: NOW })).toBe(false);
    expect(puts).toEqual([]);
  });
});
