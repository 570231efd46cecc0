/** The loads that are run, and a row of each: predicted beside measured, beside the reference. */

import type { DeliveryCounts } from '#operator/cost/delivery-bill.ts';
import type { Level } from './gauge.ts';
import { type Load, type Predicted, predict, settingsOf } from './load.ts';
import type { PlainResult } from './plain-queue.ts';
import type { Measured } from './run-load.ts';
import type { Times } from './times.ts';

const TWENTY = { fanOut: 20, endpoints: 1_000 };
/** Of a platform with a million events a day and twenty who want each; the same while its retries add 370 a second. */
const [USUAL, PEAK] = [231, 600];
export const WIDE = 10_000;

export const LOADS = {
  single: { name: '231/s, one endpoint a message', perSecond: USUAL, fanOut: 1, endpoints: 1_000, seconds: 15 },
  usual: { name: '231/s, 20 endpoints a message', perSecond: USUAL, ...TWENTY, seconds: 20 },
  peak: { name: '600/s, 20 endpoints a message', perSecond: PEAK, ...TWENTY, seconds: 12 },
  fail: { name: 'the same, 100 of 1,000 answer 500', perSecond: PEAK, ...TWENTY, unhealthy: 'fail', seconds: 15 },
  hang: { name: 'the same, 100 of 1,000 hang', perSecond: PEAK, ...TWENTY, unhealthy: 'hang', seconds: 25 },
  hangMany: {
    ...{ name: 'the same, 1,000 of 10,000 hang', perSecond: PEAK, fanOut: 20, endpoints: 10_000 },
    ...{ unhealthy: 'hang', seconds: 18 },
  },
  hangSlots: {
    ...{ name: 'and `slots: 700`', perSecond: PEAK, fanOut: 20, endpoints: 10_000 },
    ...{ unhealthy: 'hang', seconds: 18, slots: 700 },
  },
  wide: {
    ...{ name: '231/s, and one message to 10,000', perSecond: USUAL, ...TWENTY, seconds: 10, wide: WIDE },
  },
} as const satisfies Readonly<Record<string, Load>>;
export type LoadName = keyof typeof LOADS;

/** Numbers of one load, as they are kept. */
export interface Kept {
  readonly sessions: Level;
  readonly runs: Level;
  /** Of the fast function, and of all functions, at most. */
  readonly fast: number;
  readonly allRuns: number;
  readonly times: Times;
  /** Until the last endpoint has the wide message: ours, and the reference. */
  readonly wideMost?: number;
  readonly plain: { readonly p99: number; readonly wideMost?: number };
  readonly writes: Measured['writes'];
  readonly readsOfKey: number;
  /** Of one delivery. */
  readonly counts: DeliveryCounts;
}

/** A load and what is predicted of it, with its numbers. */
export interface Row extends Kept {
  readonly load: Load;
  /** Of the fast function. */
  readonly slots: number;
  readonly predicted: Predicted;
}

export function rowOf(load: Load, kept: Kept): Row {
  return { ...kept, load, slots: settingsOf(load).slots.fast, predicted: predict(load) };
}

const whole = ({ mean, most }: Level): Level => ({ mean: Math.round(mean * 10) / 10, most });
const roundTimes = ({ deliveries, first, delivered }: Times): Times => {
  const ms = ({ p50, p99, most }: Times['first']) => ({
    ...{ p50: Math.round(p50), p99: Math.round(p99), most: Math.round(most) },
  });
  return { deliveries, first: ms(first), delivered: ms(delivered) };
};
const wideMost = ({ wide }: Pick<Measured, 'wide'>) => wide && { wideMost: Math.round(wide.delivered.most) };

export function keptOf(ours: Measured, plain: PlainResult): Kept {
  return {
    ...{ sessions: whole(ours.sessions), runs: whole(ours.runs), fast: ours.fast.most, allRuns: ours.allRuns.most },
    times: roundTimes(ours.times),
    ...wideMost(ours),
    plain: { p99: Math.round(plain.times.first.p99), ...wideMost(plain) },
    ...{ writes: ours.writes, readsOfKey: ours.readsOfKey, counts: ours.perDelivery },
  };
}

/** What a wide message adds to a run, of one of its deliveries: the run's counts without those of the load beside it. */
export function marginOf(all: DeliveryCounts, beside: DeliveryCounts, deliveries: number): DeliveryCounts {
  const margin = (name: keyof DeliveryCounts): number =>
    (all[name] * (deliveries + WIDE) - beside[name] * deliveries) / WIDE;
  const counted = Object.keys(all).map(name => [name, margin(name as keyof DeliveryCounts)]);
  return { ...(Object.fromEntries(counted) as DeliveryCounts), sentBytes: all.sentBytes };
}
