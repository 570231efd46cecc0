/** Applications, endpoints and contacts of another environment, under their own ids. Nothing is sent by it, and nobody is told. */
import type { ItemResult, ItemStore, ItemsTransactResult, OutboundPorts } from '#core/outbound/ports.ts';
import { createApplication, putContacts } from '#core/outbound/protocol/control-writes.ts';
import { createEndpoint } from '#core/outbound/protocol/delivery-writes.ts';
import type { ApplicationItem, Contact, ContactsItem, EndpointItem, StoredKey } from '#core/outbound/protocol/items.ts';
import { APPS, listedAt } from '#core/outbound/protocol/keys.ts';
import { type ClosedGate, newRuntime } from './endpoints.ts';

interface Ports extends Pick<OutboundPorts, 'ids'> {
  readonly store: Pick<ItemStore, 'transact'>;
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
  return store.transact(createEndpoint(endpoint, { keys, version: 1 }, newRuntime(endpoint, gate), limit), ids.uuid());
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
