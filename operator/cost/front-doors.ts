/** What a door in front of `ingest` costs a month, in dollars: the one there is, and the two that we did not take. */
import { DAYS_PER_MONTH, FRONT_DOOR_PRICES as DOORS, PRICES } from './prices.ts';

const MONTH_HOURS = DAYS_PER_MONTH * 24;
const BYTES_OF_GB = 1_000_000_000;
/** Requests a month up to which API Gateway takes its first price. */
const FIRST_TIER = 300_000_000;
const MILLION = 1_000_000;

/** API Gateway's HTTP API; requests of at most 512 KB. */
export function httpApi(requests: number): number {
  const first = Math.min(requests, FIRST_TIER);
  return (first * PRICES.httpApiMillion.dollars + (requests - first) * DOORS.httpApiMillionAbove.dollars) / MILLION;
}

/** The same behind CloudFront on the smallest flat plan that takes so many. Undefined: none takes them. */
export function behindFlatPlan(requests: number): number | undefined {
  const plan = DOORS.flatPlans.find(each => each.requests >= requests);
  return plan && httpApi(requests) + plan.dollars;
}

/**
 * An Application Load Balancer with Lambda as its target, evenly through the month, each request on a connection of its own:
 * billed is the largest of its dimensions.
 * @param bytes Of a request and its answer together.
 */
export function loadBalancer(requests: number, bytes: number): number {
  const perHour = requests / MONTH_HOURS;
  const units = Math.max(
    perHour / 3_600 / DOORS.lcu.connectionsPerSecond,
    (perHour * bytes) / BYTES_OF_GB / DOORS.lcu.lambdaGbPerHour,
  );
  return MONTH_HOURS * (DOORS.loadBalancerHour.dollars + units * DOORS.lcu.dollars);
}
