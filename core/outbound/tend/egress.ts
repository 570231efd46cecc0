/**
 * The egress guard: when many endpoints fail at once, most likely it is us. While it is on, failures are not charged and
 * nothing is disabled; one page goes out.
 */
import type { EpochMs } from '#core/glossary.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { controlKey, runtimeKey } from '#core/outbound/protocol/keys.ts';

const RECENT_MS = 5 * 60_000;
const AT_LEAST = 20;
const SHARE = 0.1;
/** The guard stays on for this long after it was last seen to be needed. */
const STAYS_ON_MS = 3 * 60_000;

/** `waiting`: endpoints of the wake index. `withTraffic`: as the last audit counted. Answers whether it is on. */
export async function guardEgress(
  store: Pick<ItemStore, 'getMany' | 'put'>,
  waiting: readonly EndpointId[],
  seen: { readonly withTraffic: number; readonly now: EpochMs },
): Promise<boolean> {
  const { withTraffic, now } = seen;
  if (waiting.length < AT_LEAST) return false;
  const items = (await store.getMany(waiting.map(runtimeKey))) as readonly (RuntimeItem | undefined)[];
  const fresh = items.filter(item => item?.holdWhy === 'breaker' && (item.holdSince ?? 0) > now - RECENT_MS);
  if (fresh.length < AT_LEAST || fresh.length < SHARE * withTraffic) return false;
  const value = JSON.stringify({ held: fresh.length, withTraffic, at: now });
  await store.put({ kind: 'put', key: controlKey(EGRESS), item: { value, version: 1, until: now + STAYS_ON_MS } });
  return true;
}
