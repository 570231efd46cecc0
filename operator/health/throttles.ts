/** Which limit of DynamoDB throttled calls have met, as the lines of the functions tell it: each asks for another answer. */
import { MINUTE_MS } from '#core/time.ts';
import type { AlarmView } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';

/** AWS's kinds of limits (API_ThrottlingReason), and what they mean here. */
const LIMITS: Readonly<Record<string, string>> = {
  KeyRangeThroughputExceeded: 'one key is hot in',
  AccountLimitExceeded: "the account's limit is met by",
  MaxOnDemandThroughputExceeded: 'the maximum that was set is met by',
  ProvisionedThroughputExceeded: 'the provisioned capacity is met by',
};
const REASON = /\b(?:Table|Index)(?:Read|Write)(\w+Exceeded) of ([\w.\-/]+)/g;
/** A throttling that rings has been going on for minutes. */
const LOOKED_BACK_MS = 15 * MINUTE_MS;

/** Alarms on throttled tables are named so. */
export function isThrottled(alarms: readonly Pick<AlarmView, 'name' | 'state'>[]): boolean {
  return alarms.some(({ name, state }) => state === 'ALARM' && /-table-throttled-/.test(name));
}

/** In words, what came most often first: `one key is hot in Events/index/timeline (12 calls in 15 min)`. */
export async function readThrottles(operator: Operator): Promise<readonly string[]> {
  const { logs } = await operator.gateway();
  const lines = (await logs?.read(operator.clock.now() - LOOKED_BACK_MS, '%ThroughputExceeded|LimitExceeded%')) ?? [];
  const counts = new Map<string, number>();
  for (const { text } of lines)
    for (const [, limit = '', resource = ''] of text.matchAll(REASON)) {
      const words = `${LIMITS[limit] ?? `${limit} is met by`} ${resource}`;
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
  return [...counts].sort(([, a], [, b]) => b - a).map(([words, n]) => `${words} (${n} in 15 min)`);
}
