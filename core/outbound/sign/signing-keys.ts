/** Which secrets of an endpoint sign at a time, and in which order. The rule of a rotation with overlap, in one place. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { Sealer } from '#core/outbound/ports.ts';
import type { EndpointItem, SignatureProfile, StoredKey } from '#core/outbound/protocol/items.ts';

import type { LiveKey } from './attempt-to-sign.ts';

type Lifetime = Pick<StoredKey, 'createdAt' | 'notAfter' | 'activatedAt'>;

/** Forms that have room for one signature: the receiver may still have the old secret only. */
const ONE_SIGNATURE: readonly SignatureProfile[] = ['timestamp-sha256', 'body-sha256'];

export function hasRoomForOne(profile: SignatureProfile): boolean {
  return ONE_SIGNATURE.includes(profile);
}

/** A new secret of this endpoint waits to be activated: one of its headers has room for one signature. */
export function newKeyWaits({ signature, compatibility }: Pick<EndpointItem, 'signature' | 'compatibility'>): boolean {
  return hasRoomForOne(signature) || (compatibility?.like === 'convoy' && compatibility.timed !== true);
}

/**
 * The keys that are alive at `now`, newest first; `notAfter` itself is the last moment. Behind them those that wait to be
 * activated: a form with one signature uses the first only, so the old secret signs until the new one is activated or the
 * old one ends.
 */
export function signingKeys<K extends Lifetime>(keys: readonly K[], now: EpochMs): readonly K[] {
  const live = keys.filter(key => key.notAfter === undefined || now <= key.notAfter);
  const newestFirst = live.toSorted((a, b) => b.createdAt - a.createdAt);
  const waits = (key: K): boolean => (key.activatedAt ?? 0) > now;
  return [...newestFirst.filter(key => !waits(key)), ...newestFirst.filter(waits)];
}

/** `about`: what it is sealed about. Throws RangeError where no live master secret opens it. */
export const openKey = (
  { kid, alg, plain, sealed }: StoredKey,
  about: string,
  sealer: Pick<Sealer, 'open'>,
): LiveKey => ({
  ...{ kid, alg, ...given({ plain }) },
  bytes: sealer.open(sealed, about),
});
