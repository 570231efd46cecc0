/** Endpoints of an application: W16 and W19, each one transaction with the application's `endpointVersion`. */

import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { FIRST_PACE } from '#core/outbound/drain/pace.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import {
  changeEndpoint as changeWrites,
  createEndpoint as createWrites,
  deleteEndpoint as deleteWrites,
  ENDPOINT_WRITES,
  type GateAct,
} from '#core/outbound/protocol/delivery-writes.ts';
import { type AppId, type EndpointId, freshId, LONGEST_ID } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, EndpointItem, RuntimeItem, StoredKey } from '#core/outbound/protocol/items.ts';
import { applicationKey, endpointKey, endpointNameKey, endpointsRange } from '#core/outbound/protocol/keys.ts';
import { rowExpiry } from '#core/outbound/protocol/timings.ts';
import type { RegistryPorts } from './applications.ts';

export const DEFAULT_ENDPOINT_LIMIT = 50;
const TRIES = 4;

export type NewEndpoint = Omit<
  EndpointItem,
  'id' | 'app' | 'subscribedAt' | 'version' | 'createdAt' | 'changedAt' | 'deletedAt' | 'expiresAt'
>;
/** What may change; an `undefined` takes an optional field away. */
export type EndpointChange = { readonly [K in Exclude<keyof NewEndpoint, 'uid'>]?: NewEndpoint[K] | undefined };

export type EndpointRefusal = 'uid_taken' | 'quota' | 'not_active' | 'version_changed' | 'unknown_endpoint';
export type EndpointResult =
  | { readonly kind: 'done'; readonly endpoint: EndpointItem }
  | { readonly kind: 'refused'; readonly cause: EndpointRefusal };

const refused = (cause: EndpointRefusal): EndpointResult => ({ kind: 'refused', cause });

/** The endpoint of an id or of `uid:<uid>`; a deleted one is none. */
export async function findEndpoint(
  store: Pick<ItemStore, 'get'>,
  app: AppId,
  ref: string,
): Promise<EndpointItem | undefined> {
  if (ref.length > LONGEST_ID) return undefined;
  const id = ref.startsWith('uid:') ? (await store.get(endpointNameKey(app, ref.slice(4)), 'consistent'))?.id : ref;
  const endpoint = id === undefined ? undefined : await store.get(endpointKey(app, id as EndpointId), 'consistent');
  return endpoint?.deletedAt === undefined ? endpoint : undefined;
}

/** A page of those that are there. */
export async function listEndpoints(
  store: Pick<ItemStore, 'query'>,
  app: AppId,
  page: { readonly limit: number; readonly cursor?: string },
) {
  const { items, cursor } = await store.query({ ...endpointsRange(app), ...page });
  return { items: items.filter(({ deletedAt }) => deletedAt === undefined), ...given({ cursor }) };
}

/** An id before the item is: secrets are sealed about it. */
export const newEndpointId = ({ clock, ids }: RegistryPorts): EndpointId => freshId('ep', clock.now(), ids.uuid());

/** As nothing has been sent to it. */
export const newRuntime = ({ id: ep, app, kind }: EndpointItem, gate: ClosedGate): RuntimeItem => ({
  ...{ ep, app, ...(kind === 'pull' ? { pulled: true } : {}), ...gate },
  ...{ crashes: 0, opens: 0, probes: 0, dead: 0, ...FIRST_PACE },
});
export type ClosedGate = Pick<RuntimeItem, 'gate' | 'gateBy' | 'gateWhy' | 'gateSince'>;

/** W19 for a new one, with its secrets (sealed about `id`). */
export async function createEndpoint(
  { store, clock, ids }: RegistryPorts,
  application: ApplicationItem,
  given: NewEndpoint,
  secret: { readonly id: EndpointId; readonly keys: readonly StoredKey[] },
): Promise<EndpointResult> {
  const now = clock.now();
  const { id, keys } = secret;
  const endpoint: EndpointItem = { ...given, id, app: application.id, subscribedAt: now, version: 1, createdAt: now };
  const runtime = newRuntime(endpoint, { gate: 'open', gateSince: now });
  const limit = application.limits.endpoints ?? DEFAULT_ENDPOINT_LIMIT;
  for (let attempt = 1; ; attempt++) {
    const result = await store.transact(createWrites(endpoint, { keys, version: 1 }, runtime, limit), ids.uuid());
    if (result.kind === 'applied') return { kind: 'done', endpoint };
    if (result.kind === 'refused') {
      if (result.index === ENDPOINT_WRITES.name) return refused('uid_taken');
      if (result.index !== ENDPOINT_WRITES.application) return refused('version_changed');
      const there = await store.get(applicationKey(application.id), 'consistent');
      return refused(there?.state === 'active' ? 'quota' : 'not_active');
    }
    if (attempt >= TRIES) return refused('version_changed');
  }
}

/** What an item has besides what was asked for. */
const MADE: ReadonlySet<string> = new Set(['pk', 'sk', 'id', 'app', 'subscribedAt', 'version', 'createdAt']);

/** True while it is as it was made of `wanted`. */
export const isMadeOf = (there: EndpointItem, wanted: NewEndpoint): boolean =>
  there.version === 1 && stableText(asked(there)) === stableText(asked(wanted));
const asked = (item: object): object => Object.fromEntries(Object.entries(item).filter(([name]) => !MADE.has(name)));

/** Whatever order a store gives the names of a field's object in. */
function stableText(item: object): string {
  return JSON.stringify(item, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/**
 * W19. `ifVersion`: only if it is still this one; without, the change goes over what is there. `judge`: throws where what
 * becomes of it may not be, asked again where others were quicker.
 */
export async function changeEndpoint(
  { store, clock, ids }: RegistryPorts,
  app: AppId,
  id: EndpointId,
  change: {
    readonly fields: EndpointChange;
    readonly ifVersion?: number;
    readonly judge?: (changed: EndpointItem) => void;
  },
): Promise<EndpointResult> {
  for (let attempt = 1; ; attempt++) {
    const there = await findEndpoint(store, app, id);
    if (there === undefined) return refused('unknown_endpoint');
    if (change.ifVersion !== undefined && there.version !== change.ifVersion) return refused('version_changed');
    const endpoint = changed(there, change.fields, clock.now());
    change.judge?.(endpoint);
    const result = await store.transact(changeWrites(endpoint, there.version), ids.uuid());
    if (result.kind === 'applied') return { kind: 'done', endpoint };
    if (result.kind === 'refused' && result.index === ENDPOINT_WRITES.application) return refused('not_active');
    if (attempt >= TRIES) return refused('version_changed');
  }
}

/** Who is asked for older messages, too, that were lost: whoever wanted the same all the time. */
const wantedBy = ({ types, channels, filter, mode, apiVersion }: EndpointItem): string =>
  stableText({ types, channels, filter, mode, apiVersion });

/** What it wants counts from the change on: reconcile leaves older messages alone. A form that is saved gives all of it again. */
function changed(there: EndpointItem, fields: EndpointChange, now: number): EndpointItem {
  const merged = { ...there, ...fields, version: there.version + 1, changedAt: now };
  const known = Object.entries(merged).filter(([, value]) => value !== undefined);
  const item = Object.fromEntries(known) as unknown as EndpointItem;
  return wantedBy(item) === wantedBy(there) ? item : { ...item, subscribedAt: now };
}

/**
 * W16, then a wake-up: what waits ends as canceled. Deleting twice is deleting once. The tombstone outlives its deliveries:
 * an erasure finds them by it. False: there is no such endpoint. Throws DependencyError where others were quicker each time.
 */
export async function deleteEndpoint(
  { store, clock, ids, wake }: RegistryPorts & Pick<OutboundPorts, 'wake'>,
  app: AppId,
  id: EndpointId,
  by: Pick<GateAct, 'by' | 'why'> & { readonly retentionMs: number },
): Promise<boolean> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const there = await store.get(endpointKey(app, id), 'consistent');
    if (there === undefined) return false;
    if (there.deletedAt === undefined) {
      const now = clock.now();
      const { retentionMs, ...act } = by;
      const expiresAt = rowExpiry(now, retentionMs);
      const result = await store.transact(deleteWrites(there, { ...act, now, expiresAt }), ids.uuid());
      if (result.kind !== 'applied') continue;
    }
    await wake.send([{ v: 1, ep: id }]);
    return true;
  }
  throw new DependencyError('dynamodb', 'others change the endpoint or its application', { outcome: 'not_applied' });
}
