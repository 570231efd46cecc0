/** Contacts outlive a rotation of the master secret, and nothing of them an erasure. */
import { expect, it } from 'vitest';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { findNext } from '#core/outbound/erase/find-items.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { contactsKey } from '#core/outbound/protocol/keys.ts';
import { contactsOf, resealContacts } from '#core/outbound/registry/contacts.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

async function withContact() {
  const world = await withEndpoint();
  const app = world.app as AppId;
  await world.call('POST /v1/apps/{app}/contacts', { app }, { url: 'https://told.customer.com/' });
  return { ...world, app };
}

it('seals their secrets anew, once, and names those that no key opens', async () => {
  const { app, store, clock, ports } = await withContact();
  const opened = async (sealer: typeof ports.sealer) => {
    const [contact] = await contactsOf(store, app);
    return sealer.open(contact?.key?.sealed ?? '', contact?.id ?? '');
  };
  const before = await opened(ports.sealer);
  const next = aesSealer({ current: 'n'.repeat(64), previous: 'm'.repeat(64) });
  expect(await resealContacts({ store, sealer: next }, app, clock.now())).toEqual({ resealed: 1, lost: [] });
  expect(await resealContacts({ store, sealer: next }, app, clock.now())).toEqual({ resealed: 0, lost: [] });
  expect(await opened(aesSealer({ current: 'n'.repeat(64) }))).toEqual(before);
  const other = aesSealer({ current: 'o'.repeat(64) });
  const [contact] = await contactsOf(store, app);
  expect(await resealContacts({ store, sealer: other }, app, clock.now())).toEqual({
    resealed: 0,
    lost: [contact?.id],
  });
});

it('go with the first page of a rotation of the master secret', async () => {
  const { app, call, ports, store } = await withContact();
  Object.assign(ports, { sealer: aesSealer({ current: 'n'.repeat(64), previous: 'm'.repeat(64) }) });
  const { body } = await call('POST /v1/apps/{app}/secrets/reseal', { app }, {});
  expect(body).toMatchObject({ endpoints: 1, resealed: 2, lost: [] });
  const [contact] = await contactsOf(store, app);
  expect(ports.sealer.isCurrent(contact?.key?.sealed ?? '', contact?.id ?? '')).toBe(true);
});

it('go with the application when it is erased', async () => {
  const { app, store, ports, clock, ep } = await withContact();
  const erasure = { app, phase: 'configuration', dryRun: false } as never;
  const first = await findNext({ store, blobs: ports.blobs }, erasure, clock.now());
  for (const [table, pk, sk] of first?.page?.keys ?? []) await store.delete({ table, pk, sk });
  expect(JSON.stringify(first?.page?.keys)).toContain(ep);
  const last = await findNext({ store, blobs: ports.blobs }, erasure, clock.now());
  const { table, pk, sk } = contactsKey(app);
  expect(last?.page?.keys).toContainEqual([table, pk, sk]);
});
