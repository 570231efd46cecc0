/** Prices of doors, against sums made by hand. */
import { expect, it } from 'vitest';
import { behindFlatPlan, httpApi, loadBalancer } from './door-prices.ts';

it('an HTTP API is cheaper above 300 million requests', () => {
  expect([0, 1e6, 300e6, 400e6].map(httpApi)).toEqual([0, 1, 300, 390]);
});

it('a flat plan is the smallest that takes the requests, and comes on top', () => {
  expect([1e6, 2e6, 10e6, 125e6, 500e6].map(behindFlatPlan)).toEqual([1, 17, 25, 325, 1_480]);
  expect(behindFlatPlan(500e6 + 1)).toBeUndefined();
});

it('a load balancer is billed by its largest dimension', () => {
  expect(loadBalancer(0, 6_000)).toBeCloseTo(16.425, 3);
  // 730 hours; 90,000 requests an hour are 25 connections a second, one unit; so are 0.4 GB an hour.
  expect(loadBalancer(90_000 * 730, 100)).toBeCloseTo(16.425 + 5.84, 3);
  expect(loadBalancer(90_000 * 730, 400_000_000_000 / 90_000 / 500)).toBeCloseTo(16.425 + 2 * 5.84, 2);
});
