import { afterEach, expect, test, vi } from 'vitest';
import { EndpointCache } from '#adapters/aws/endpoint-cache.ts';

afterEach(() => vi.useRealTimers());

test('keeps endpoints for as long as they say, and forgets the oldest', () => {
  vi.useFakeTimers();
  const cache = new EndpointCache(2);
  expect([cache.get('a'), cache.getEndpoint('a'), cache.has('a')]).toEqual([undefined, undefined, false]);
  cache.set('a', [{ Address: 'one', CachePeriodInMinutes: 1 }]);
  expect([cache.getEndpoint('a'), cache.has('a')]).toEqual(['one', true]);
  expect(cache.get('a')).toEqual([{ Address: 'one', Expires: Date.now() + 60_000 }]);
  cache.set('b', [{ Address: 'two', CachePeriodInMinutes: 5 }]);
  vi.advanceTimersByTime(60_000);
  expect([cache.getEndpoint('a'), cache.has('a')]).toEqual([undefined, false]);
  cache.delete('a');
  cache.set('c', [{ Address: 'three', CachePeriodInMinutes: 5 }]);
  cache.set('d', [{ Address: 'four', CachePeriodInMinutes: 5 }]);
  expect(['c', 'd'].map(key => cache.getEndpoint(key))).toEqual(['three', 'four']);
  cache.set('d', [
    { Address: 'five', CachePeriodInMinutes: 5 },
    { Address: 'six', CachePeriodInMinutes: 5 },
  ]);
  expect(['five', 'six']).toContain(cache.getEndpoint('d'));
  cache.clear();
  expect(cache.has('c')).toBe(false);
  for (const key of ['e', 'f', 'g']) cache.set(key, [{ Address: key, CachePeriodInMinutes: 5 }]);
  expect(['e', 'f', 'g'].map(key => cache.has(key))).toEqual([false, true, true]);
});
