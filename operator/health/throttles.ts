/** Which limit of DynamoDB throttled calls have met, as the lines of the functions tell it: each asks for another answer. */
import type { EpochMs } from '#core/glossary.ts';
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
/** A screen that is open asks each ten seconds, and a storm leaves very many lines. */
const KEPT_MS = MINUTE_MS;
const kept = new WeakMap<Operator, { readonly at: EpochMs; readonly words: Promise<readonly string[]> }>();

/** Alarms on throttled tables are named so. */
export function isThrottled({ name, state }: Pick<AlarmView, 'name' | 'state'>): boolean {
  return state === 'ALARM' && name.includes('-table-throttled-');
}

/**
 * In words, what came most often first: `one key is hot in Events/index/timeline (12 in 15 min)`, as it was within the last
 * minute. Empty: no line tells, or no logs are kept. Throws what the log does; that is asked again with the next call.
 */
export function readThrottles(operator: Operator): Promise<readonly string[]> {
  const at = operator.clock.now();
  const before = kept.get(operator);
  if (before !== undefined && at - before.at < KEPT_MS) return before.words;
  const words = countThrottles(operator, at - LOOKED_BACK_MS);
  kept.set(operator, { at, words });
  words.catch(() => kept.delete(operator));
  return words;
}

async function countThrottles(operator: Operator, since: EpochMs): Promise<readonly string[]> {
  const { logs } = await operator.gateway();
  // Each reason of DynamoDB ends so, known here or not.
  const lines = (await logs?.read(since, '%Exceeded%')) ?? [];
  const counts = new Map<string, number>();
  for (const { text } of lines)
    for (const [, limit = '', resource = ''] of text.matchAll(REASON)) {
      const words = `${LIMITS[limit] ?? `${limit} is met by`} ${resource}`;
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
  return [...counts].sort(([, a], [, b]) => b - a).map(([words, n]) => `${words} (${n} in 15 min)`);
}
