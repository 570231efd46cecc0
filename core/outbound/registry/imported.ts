/** Applications, endpoints and contacts of another environment, under their own ids. Nothing is sent by it, and nobody is told. */
import { FIRST_PACE } from '#core/outbound/drain/pace.ts';
import type { ItemResult, ItemStore, ItemsTransactResult } from '#core/outbound/ports.ts';
import { createApplication, putContacts } from '#core/outbound/protocol/control-writes.ts';
import { createEndpoint } from '#core/outbound/protocol/delivery-writes.ts';
import type {
  ApplicationItem,
  Contact,
  ContactsItem,
  EndpointItem,
  RuntimeItem,
  StoredKey,
} from '#core/outbound/protocol/items.ts';
import { APPS, listedAt } from '#core/outbound/protocol/keys.ts';
import type { Ids } from '#core/ports.ts';

interface Ports {
  readonly store: Pick<ItemStore, 'transact'>;
  readonly ids: Ids;
}

/** Why an imported endpoint is paused: whoever resumes all of them knows them by it. */
export const PAUSED_BY_IMPORT = 'imported: resume it when the environment that it comes from has stopped';

export type ImportedApplication = Omit<
  ApplicationItem,
  'gpk' | 'gsk' | 'endpoints' | 'endpointVersion' | 'changedEndpoint' | 'state'
>;

/** Without endpoints. Refused: its id or its name is there. */
export function importApplication({ store, ids }: Ports, given: ImportedApplication): Promise<ItemsTransactResult> {
  const { id, createdAt } = given;
  const counts = { endpointVersion: 0, endpoints: 0, state: 'active' } as const;
  return store.transact(createApplication({ ...given, ...counts, ...listedAt(APPS, createdAt, id) }), ids.uuid());
}

export type ClosedGate = Pick<RuntimeItem, 'gate' | 'gateBy' | 'gateWhy' | 'gateSince'>;

/** Who opened it here opens it: an open one is paused by the operator. One that was closed stays so; since when, nobody knows. */
export const gateOfImported = (was: Partial<ClosedGate>, now: number): ClosedGate =>
  was.gate === 'paused' || was.gate === 'disabled'
    ? { ...was, gate: was.gate, gateSince: 0 }
    : { gate: 'paused', gateBy: 'operator', gateWhy: PAUSED_BY_IMPORT, gateSince: now };

/** W19 with a shut gate. `limit`: endpoints of its application. Refused: as `createEndpoint`. */
export function importEndpoint(
  { store, ids }: Ports,
  endpoint: EndpointItem,
  keys: readonly StoredKey[],
  { gate, limit }: { readonly gate: ClosedGate; readonly limit: number },
): Promise<ItemsTransactResult> {
  const { id: ep, app } = endpoint;
  const pulled = endpoint.kind === 'pull' ? ({ pulled: true } as const) : {};
  const runtime: RuntimeItem = { ep, app, ...pulled, ...gate, crashes: 0, opens: 0, probes: 0, dead: 0, ...FIRST_PACE };
  return store.transact(createEndpoint(endpoint, { keys, version: 1 }, runtime, limit), ids.uuid());
}

export type ImportedContact = Pick<Contact, 'id' | 'email' | 'url' | 'key' | 'createdAt'> &
  Required<Pick<Contact, 'confirmedAt'>>;

/**
 * C14: contacts that have confirmed; what happened until now is told by the environment that they come from. Refused: its
 * application has had contacts here, and who left since does not come back.
 */
export function importContacts(
  { store }: { readonly store: Pick<ItemStore, 'put'> },
  app: ApplicationItem['id'],
  contacts: readonly ImportedContact[],
  now: number,
): Promise<ItemResult<ContactsItem>> {
  return store.put(
    putContacts(
      app,
      0,
      contacts.map(each => ({ ...each, toldTo: now })),
      now,
    ),
  );
}
