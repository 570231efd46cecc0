/** What a door in front of `ingest` costs a month, in dollars: the one there is, and the two that we did not take: for docs/operate/costs.md. */
import { DAYS_PER_MONTH, PRICES } from '#operator/cost/prices.ts';

/** Of doors to the internet, read on 2026-11-27. */
const DOORS = {
  httpApiMillionAbove: {
    dollars: 0.9,
    per: 'million requests above 300M',
    source: 'aws.amazon.com/api-gateway/pricing',
  },
  loadBalancerHour: { dollars: 0.0225, per: 'hour', source: 'aws.amazon.com/elasticloadbalancing/pricing' },
  /** A capacity unit and hour, and what one takes. */
  lcu: {
    dollars: 0.008,
    connectionsPerSecond: 25,
    lambdaGbPerHour: 0.4,
    source: 'handbook.vantage.sh/aws/services/elb-pricing',
  },
  /** A month, for a distribution with its web ACL; above its requests AWS slows down or asks for the next one. */
  flatPlans: [
    { dollars: 0, requests: 1_000_000 },
    { dollars: 15, requests: 10_000_000 },
    { dollars: 200, requests: 125_000_000 },
    { dollars: 1_000, requests: 500_000_000 },
  ],
} as const;

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
