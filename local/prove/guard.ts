/** Where `holdfast prove` may run, and what it may take: decided before anything is changed. */
import type { Deployment } from '#core/config/deployment.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';

/** Why this environment is not broken on purpose; empty: it may be. Asks nobody. */
export function problemsOf(deployment: Deployment): readonly string[] {
  const { disposable, edge, domain, alarmTargets, config, encryptionKey, canary } = deployment;
  const { environment } = config;
  const told = Object.values(alarmTargets).some(targets => targets.length > 0);
  const make = `give prove an environment of its own: prove: { disposable: true, outbound: {} }`;
  return [
    ...(disposable ? [] : [`${environment} is not disposable, and prove deletes what it made; ${make}`]),
    ...(told ? [`${environment} tells somebody of its alarms, and prove makes them ring; ${make}`] : []),
    ...(edge || domain || encryptionKey || canary
      ? [`${environment} has edge, domain, encryptionKey or canary, which are not made for an hour; leave them out`]
      : []),
  ];
}

export interface FoundStack {
  readonly name: string;
  readonly isOurs: boolean;
}

/** Undefined: all that is there was made by an earlier run, or nothing is there. */
export function refusalOf(environment: string, stacks: readonly FoundStack[]): string | undefined {
  const others = stacks.filter(each => !each.isOurs).map(each => each.name);
  if (others.length === 0) return undefined;
  return `Nothing was changed: ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} deployed and ${others.length === 1 ? 'was' : 'were'} not made by holdfast prove. It breaks what it runs on. Name an environment that nobody has deployed (this one is ${environment}).`;
}

/** Lambda refuses to reserve what would leave less than this to all others. */
const LEFT_TO_OTHERS = 100;
/** Of the sweeper, when it may run again. */
export const SWEEP = 2;
const SHARE_OF_FREE = 1 / 5;
const LEAST = 20;

export interface Share {
  readonly ingest: number;
  readonly process: number;
  readonly prove: number;
}

/** How many runs of functions each part may have at once, of `free` ones; or why there are too few. */
export function shareOf(free: number): Share | string {
  const all = Math.min(Math.floor(free * SHARE_OF_FREE), free - LEFT_TO_OTHERS - SWEEP, 500);
  if (all < LEAST)
    return `Nothing was changed: ${free} functions may run at once here beside what is reserved. A fifth of them, which is all that prove takes, is ${Math.max(0, Math.floor(free * SHARE_OF_FREE))}; it needs ${LEAST}, and Lambda keeps ${LEFT_TO_OTHERS} for all others. Ask for 1,000 (Service Quotas, Lambda, "Concurrent executions").`;
  const prove = Math.max(2, Math.floor(all / 5));
  const process = Math.max(4, Math.floor(all / 5));
  return { prove, process, ingest: all - prove - process };
}

/** Messages, each to every endpoint of a customer. */
export interface Size {
  readonly events: number;
  readonly customers: number;
  readonly messages: number;
}

const FULL: Size = { events: 1_000_000, customers: 200, messages: 10 };
const SHORT: Size = { events: 10_000, customers: 4, messages: 10 };
const ON_A_LAPTOP: Size = { events: 500, customers: 1, messages: 6 };

export const sizeOf = (emulated: boolean, short: boolean): Size => (emulated ? ON_A_LAPTOP : short ? SHORT : FULL);

/** Of a body of ours; more than it has. */
export const BODY_BYTES = 400;
/** Duplicates, retries and refused ones: about as much work again. */
const MORE = 1.3;
/** Predicted, small fan-out (bench/RESULTS.md: "sending: dollars per million deliveries"), with retries. */
const DELIVERY_MILLION = 12.2;
/** Of the function that sends and receives: 1 GB for 20 ms each. */
export const PROVE_MILLION = 0.6;
/** Alarms, metrics, secrets and schedules of an hour, and reading it all back. */
export const FIXED = 0.3;

/** Dollars, predicted from list prices. */
export function priceOf({ events, customers, messages }: Size): number {
  const { perMillion } = predictCost(1e6, BODY_BYTES, 'none');
  const deliveries = customers * messages * 5;
  return (events * MORE * (perMillion + PROVE_MILLION) + deliveries * MORE * DELIVERY_MILLION) / 1e6 + FIXED;
}

/** Minutes, predicted: deploying, settling and removing, the breaks' waits, and the events at the rate that a share allows. */
export function minutesOf({ events }: Size, waitsMs: number, share: Share, emulated: boolean): number {
  const perSecond = share.ingest * 10;
  return Math.ceil((emulated ? 3 : 12) + waitsMs / 60_000 + events / perSecond / 60);
}
