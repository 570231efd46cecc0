import { describe, expect, test } from 'vitest';
import { systemAddresses, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';

describe('the timer', () => {
  test('gives up on work after the limit, aborts it, and drops its late failure', async () => {
    let aborted = false;
    const result = await systemTimer.limit(20, async signal => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await systemTimer.sleep(60);
      throw new Error('too late to matter');
    });
    expect(result).toEqual({ kind: 'timed_out' });
    expect(aborted).toBe(true);
    await systemTimer.sleep(80);
  });

  test('passes on what finishes or fails in time', async () => {
    expect(await systemTimer.limit(1_000, async () => 7)).toEqual({ kind: 'finished', value: 7 });
    await expect(systemTimer.limit(1_000, () => Promise.reject(new Error('in time')))).rejects.toThrow('in time');
  });
});

test('addresses are matched against ranges and single addresses of both families', () => {
  const ranges = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'];
  for (const inside of ['192.0.2.255', '198.51.100.7', '2001:db8:1::1']) {
    expect(systemAddresses.contains(ranges, inside)).toBe(true);
  }
  for (const outside of ['192.0.3.0', '198.51.100.8', '2001:db9::1', '', 'not an address', '192.0.2.1, 8.8.8.8']) {
    expect(systemAddresses.contains(ranges, outside)).toBe(false);
  }
  expect(systemAddresses.contains([], '192.0.2.1')).toBe(false);
});

test('ids are UUIDs and random numbers are below 1', () => {
  expect(systemIds.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(systemRandom.next()).toBeLessThan(1);
});
