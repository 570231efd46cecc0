/**
 * Secrets of an endpoint: a new key signs at once, the old one until its end. Where a form has room for one signature the
 * old key goes on until the new one is activated or the old one ends, so that no receiver is ever too late.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, Sealer } from '#core/outbound/ports.ts';
import { changeSecrets } from '#core/outbound/protocol/control-writes.ts';
import { noteChange } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { SecretsItem, StoredKey } from '#core/outbound/protocol/items.ts';
import { secretsKey } from '#core/outbound/protocol/keys.ts';

const MAX_LIVE_KEYS = 3;
const TRIES = 4;

export type Rotation =
  | { readonly kind: 'done'; readonly secrets: SecretsItem }
  | { readonly kind: 'refused'; readonly cause: 'too_many_secrets' | 'unknown_endpoint' | 'version_changed' };

/** `fresh`: the new key, sealed. `oldUntil`: when those that are alive end, where they have no earlier end. */
export function rotate(
  store: Pick<ItemStore, 'get' | 'update'>,
  ep: EndpointId,
  fresh: StoredKey,
  rules: { readonly now: EpochMs; readonly oldUntil: EpochMs },
): Promise<Rotation> {
  return change(store, ep, keys => {
    // A repeated request finds its own key.
    if (keys.some(({ kid }) => kid === fresh.kid)) return keys;
    const live = keys.filter(({ notAfter }) => (notAfter ?? rules.now) >= rules.now);
    const ending = live.map(key => ({ ...key, notAfter: Math.min(key.notAfter ?? rules.oldUntil, rules.oldUntil) }));
    // Without a grace none of them stays, not for the millisecond: a secret that is known to others is replaced at any time.
    const staying = ending.filter(({ notAfter }) => notAfter > rules.now);
    return staying.length >= MAX_LIVE_KEYS ? 'too_many_secrets' : [fresh, ...staying];
  });
}

/** The newest key becomes the one that a form with room for one signature uses. */
export function activate(store: Pick<ItemStore, 'get' | 'update'>, ep: EndpointId, now: EpochMs): Promise<Rotation> {
  return change(store, ep, ([newest, ...rest]) =>
    newest === undefined
      ? 'unknown_endpoint'
      : [{ ...newest, activatedAt: Math.min(newest.activatedAt ?? now, now) }, ...rest],
  );
}

/** `lost`: a key that neither master secret opens. */
export type Resealed = 'done' | 'nothing to do' | 'lost' | 'version_changed';

/** Seals each live key anew that is not under the current master secret. The keys stay the same, so no session is told. */
export async function reseal(
  { store, sealer }: { readonly store: Pick<ItemStore, 'get' | 'update'>; readonly sealer: Sealer },
  ep: EndpointId,
  now: EpochMs,
): Promise<Resealed> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const there = await store.get(secretsKey(ep), 'consistent');
    // Who is over opens nothing any more.
    const isOld = ({ sealed, notAfter }: StoredKey): boolean =>
      (notAfter ?? now) >= now && !sealer.isCurrent(sealed, ep);
    if (there === undefined || !there.keys.some(isOld)) return 'nothing to do';
    let keys: readonly StoredKey[];
    try {
      const anew = (sealed: string): string => sealer.seal(sealer.open(sealed, ep), ep);
      keys = there.keys.map(key => (isOld(key) ? { ...key, sealed: anew(key.sealed) } : key));
    } catch (error) {
      if (error instanceof RangeError) return 'lost';
      throw error;
    }
    if ((await store.update(changeSecrets(ep, there.version, keys))).kind === 'applied') return 'done';
  }
  return 'version_changed';
}

async function change(
  store: Pick<ItemStore, 'get' | 'update'>,
  ep: EndpointId,
  to: (keys: readonly StoredKey[]) => readonly StoredKey[] | 'too_many_secrets' | 'unknown_endpoint',
): Promise<Rotation> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    // 1. The keys, as their version was read.
    const there = await store.get(secretsKey(ep), 'consistent');
    if (there === undefined) return { kind: 'refused', cause: 'unknown_endpoint' };
    const keys = to(there.keys);
    if (typeof keys === 'string') return { kind: 'refused', cause: keys };
    const known = keys === there.keys;
    const result = known ? undefined : await store.update(changeSecrets(ep, there.version, keys));
    if (result?.kind === 'refused') continue;
    // 2. Sessions read them from the next request on, also where an earlier try died before it said so.
    await store.update(noteChange(ep));
    return { kind: 'done', secrets: result?.item ?? there };
  }
  return { kind: 'refused', cause: 'version_changed' };
}
