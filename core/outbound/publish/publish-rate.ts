/** How many messages an application may publish in a second, where that is limited: a counter for each second. */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { ApplicationItem } from '#core/outbound/protocol/items.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';

/** A counter of a past second is read by nobody. */
const KEPT_SECONDS = 600;

/** Counts one more; false: this second is full. Asks nothing where there is no limit. */
export async function mayPublish(
  store: Pick<ItemStore, 'update'>,
  { id, limits }: Pick<ApplicationItem, 'id' | 'limits'>,
  now: EpochMs,
): Promise<boolean> {
  const { publishPerSecond } = limits;
  if (publishPerSecond === undefined) return true;
  const second = Math.floor(now / 1_000);
  const counted = await store.update({
    kind: 'update',
    key: controlKey(`rate#${id}#${second}`),
    set: { expiresAt: second + KEPT_SECONDS },
    add: { version: 1 },
  });
  return counted.kind === 'applied' && counted.item.version <= publishPerSecond;
}
