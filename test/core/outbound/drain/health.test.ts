/** What one answer teaches a session about its endpoint. */
import { expect, it } from 'vitest';
import { type Health, healthOf, learn } from '#core/outbound/drain/health.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';

const rules = { now: 1_000, random: { next: () => 0.5 }, probe: { baseSeconds: 30, capSeconds: 900 } } as never;
const learnt = (fault: string, maxConcurrency: number) =>
  ({ verdict: { class: 'ok', fault }, ms: 100, maxConcurrency, about: 'm' }) as never;
/** Ramping up again after a breaker: eight at once, and seven answers of this round are in. */
const ramping = (more: Partial<Health>): Health => ({
  ...healthOf({ ewmaMs: 100, cap: 32, probes: 0, opens: 1, streak: 0, recent: '' } as unknown as RuntimeItem),
  ...{ recovered: 2, ramp: 8, round: 7, ...more },
});

it.each([
  // Until the old pace, where it was halved on the way: 20, not 4.
  [{ cap: 4, steadyCap: 20 }, 100, 16],
  [{ cap: 4, steadyCap: undefined }, 100, undefined],
  [{ cap: 20, steadyCap: undefined }, 100, 16],
  // Or to what the endpoint allows, where that is less.
  [{ cap: 20, steadyCap: undefined }, 10, undefined],
] as const)('the ramp of %j at most %i goes to %s', (pace, most, ramp) => {
  expect(learn(ramping(pace as Partial<Health>), learnt('none', most), rules).ramp).toBe(ramp);
});

it('a fault of ours teaches nothing', () => {
  const health = ramping({});
  expect(learn(health, learnt('ours', 10), rules)).toBe(health);
});
