/**
 * The egress guard: when endpoints of many customers do not answer at once, most likely it is us. While it is on, a failure
 * without an answer is not charged and disables nothing; one page goes out. An HTTP answer, whatever it says, proves that our
 * way out works, and never counts.
 */
import type { EpochMs } from '#core/glossary.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import { type ItemStore, NO_ANSWER_CAUSES } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ControlItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { controlKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { MINUTE_MS } from '#core/time.ts';

const RECENT_MS = 5 * MINUTE_MS;
export const AT_LEAST = 20;
/** Endpoints of one application that count: no single customer is our way out. */
const OF_ONE_APPLICATION = 3;
const SHARE = 0.1;
/** The guard stays on for this long after it was last seen to be needed. */
const STAYS_ON_MS = 3 * MINUTE_MS;

/** What the guard's control item says. */
export interface GuardSeen {
  /** Endpoints that opened their breakers without an answer, of any number of one application; and those that count. */
  readonly held: number;
  readonly counted: number;
  readonly withTraffic: number;
  readonly at: EpochMs;
}

/** `waiting`: endpoints of the wake index. `withTraffic`: as the last audit counted. Answers whether it is on. */
export async function guardEgress(
  store: Pick<ItemStore, 'getMany' | 'put'>,
  waiting: readonly EndpointId[],
  seen: { readonly withTraffic: number; readonly now: EpochMs },
): Promise<boolean> {
  const { withTraffic, now } = seen;
  if (waiting.length < AT_LEAST) return false;
  const items = await store.getMany(waiting.map(runtimeKey));
  const silent = items.filter(item => item !== undefined && isSilent(item, now)) as readonly RuntimeItem[];
  const counted = countedOf(silent);
  if (counted < AT_LEAST || silent.length < SHARE * withTraffic) return false;
  const value = JSON.stringify({ held: silent.length, counted, withTraffic, at: now } satisfies GuardSeen);
  await store.put({ kind: 'put', key: controlKey(EGRESS), item: { value, version: 1, until: now + STAYS_ON_MS } });
  return true;
}

/** Its breaker opened a moment ago, and its last failure had no answer. Nobody sends to a closed one. */
function isSilent({ gate, holdWhy, holdSince = 0, lastClass }: RuntimeItem, now: EpochMs): boolean {
  const unanswered = NO_ANSWER_CAUSES.some(cause => cause === lastClass && cause !== 'own_fault');
  return gate === 'open' && holdWhy === 'breaker' && holdSince > now - RECENT_MS && unanswered;
}

function countedOf(silent: readonly RuntimeItem[]): number {
  const byApp = new Map<string, number>();
  for (const { app } of silent) byApp.set(app, Math.min(OF_ONE_APPLICATION, (byApp.get(app) ?? 0) + 1));
  return [...byApp.values()].reduce((sum, count) => sum + count, 0);
}

/** What the guard saw, while it is on. */
export function guardOf(item: ControlItem | undefined, now: EpochMs): GuardSeen | undefined {
  return item === undefined || (item.until ?? 0) <= now ? undefined : (JSON.parse(item.value) as GuardSeen);
}
