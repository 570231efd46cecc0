/** Applications: one customer of the producer each. Inputs are checked by the API; here only what the table must hold. */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import {
  changeRevoked,
  changeApplication as changeWrite,
  createApplication as createWrites,
  type SeenOfApplication,
} from '#core/outbound/protocol/control-writes.ts';
import { type AppId, freshId, LONGEST_ID } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem } from '#core/outbound/protocol/items.ts';
import { APPS, applicationKey, appNameKey, listedAt } from '#core/outbound/protocol/keys.ts';

export type RegistryPorts = Pick<OutboundPorts, 'store' | 'clock' | 'ids'>;

export type NewApplication = Pick<ApplicationItem, 'name' | 'metadata' | 'limits' | 'format'> &
  Partial<Pick<ApplicationItem, 'uid' | Optional>>;
/** Null takes an optional one away. */
export const OPTIONAL = ['schedule', 'defaultApiVersion', 'signature', 'signatureHeader', 'keyId'] as const;
type Optional = (typeof OPTIONAL)[number];
export type ApplicationChange = Partial<Omit<NewApplication, 'uid' | Optional>> & {
  readonly [K in Optional]?: ApplicationItem[K] | null;
} & { readonly tokensRevokedAt?: EpochMs };

/** The application of an id or of `uid:<uid>`. */
export async function findApplication(
  store: Pick<ItemStore, 'get'>,
  ref: string,
): Promise<ApplicationItem | undefined> {
  if (ref.length > LONGEST_ID) return undefined;
  const id = ref.startsWith('uid:') ? (await store.get(appNameKey(ref.slice(4)), 'consistent'))?.id : ref;
  return id === undefined ? undefined : store.get(applicationKey(id as AppId), 'consistent');
}

/** `uid_taken`: another application has it. Made twice with one uid, it is the same. */
export async function createApplication(
  { store, clock, ids }: RegistryPorts,
  given: NewApplication,
): Promise<{ readonly kind: 'created'; readonly application: ApplicationItem } | { readonly kind: 'uid_taken' }> {
  const now = clock.now();
  const id = freshId('app', now, ids.uuid());
  const application: ApplicationItem = {
    ...given,
    id,
    endpointVersion: 0,
    endpoints: 0,
    state: 'active',
    createdAt: now,
    ...listedAt(APPS, now, id),
  };
  const result = await store.transact(createWrites(application), ids.uuid());
  return result.kind === 'applied' ? { kind: 'created', application } : { kind: 'uid_taken' };
}

const TRIES = 4;

/**
 * `change`: what changes, of what is there, looked at again where others were quicker with one of `asRead`. `gone`: there is
 * none, or it is being erased; `changed`: others were quicker each time.
 */
export async function changeApplication(
  store: Pick<ItemStore, 'get' | 'update'>,
  id: AppId,
  asRead: readonly (keyof SeenOfApplication)[],
  change: (there: ApplicationItem) => ApplicationChange,
): Promise<ApplicationItem | 'gone' | 'changed'> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const there = await store.get(applicationKey(id), 'consistent');
    if (there?.state !== 'active') return 'gone';
    const given = Object.entries(change(there)).filter(([, value]) => value !== undefined);
    const set = Object.fromEntries(given.filter(([, value]) => value !== null));
    const remove = given.filter(([, value]) => value === null).map(([name]) => name as Optional);
    const seen = Object.fromEntries(asRead.map(name => [name, there[name]]));
    const result = await store.update(changeWrite(id, { set, remove }, seen));
    if (result.kind === 'applied') return result.item;
  }
  return 'changed';
}

/**
 * Revokes one token more. `change`: what is stored then, of what is stored now; undefined: it cannot be one more.
 * `changed`: others revoked at the same moment, try again.
 */
export async function revokeToken(
  store: Pick<ItemStore, 'get' | 'update'>,
  id: AppId,
  change: (stored: string | undefined) => string | undefined,
): Promise<'done' | 'too_many' | 'gone' | 'changed'> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const there = await store.get(applicationKey(id), 'consistent');
    if (there?.state !== 'active') return 'gone';
    const tokensRevoked = change(there.tokensRevoked);
    if (tokensRevoked === undefined) return 'too_many';
    const result = await store.update(changeRevoked(id, there.tokensRevoked, tokensRevoked));
    if (result.kind === 'applied') return 'done';
  }
  return 'changed';
}
