/** Contacts of an application: one item, changed as it was read (C14). */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, Sealer } from '#core/outbound/ports.ts';
import { putContacts } from '#core/outbound/protocol/control-writes.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { Contact } from '#core/outbound/protocol/items.ts';
import { contactsKey } from '#core/outbound/protocol/keys.ts';
import { refuse } from '#core/problem-reply.ts';

/** Of one application. */
export const MOST_CONTACTS = 5;
const TRIES = 4;
type Contacts = readonly Contact[];
type Store = Pick<ItemStore, 'get' | 'put'>;

export async function contactsOf(store: Pick<ItemStore, 'get'>, app: AppId): Promise<Contacts> {
  return (await store.get(contactsKey(app), 'consistent'))?.contacts ?? [];
}

/** Somebody waits for a confirmation, or is to be told. */
export const hasWork = (contacts: Contacts): boolean =>
  contacts.some(({ askedAt, confirmedAt }) => askedAt !== undefined || confirmedAt !== undefined);

/** Without the fields that are undefined, which no store takes. */
export const contactWith = (contact: Contact, change: { readonly [K in keyof Contact]?: Contact[K] | undefined }) =>
  given({ ...contact, ...change }) as unknown as Contact;

/**
 * `to`: what becomes of them; the same list changes nothing, undefined: they cannot become it. They are looked at from
 * `lookAt` on. Answers what is there then; `refused` by `to`, `changed`: others were quicker each time.
 */
export async function changeContacts(
  store: Store,
  app: AppId,
  lookAt: EpochMs,
  to: (contacts: Contacts) => Contacts | undefined,
): Promise<Contacts | 'refused' | 'changed'> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const there = await store.get(contactsKey(app), 'consistent');
    const before = there?.contacts ?? [];
    const contacts = to(before);
    if (contacts === undefined) return 'refused';
    if (contacts === before) return contacts;
    const look = hasWork(contacts) ? lookAt : undefined;
    if ((await store.put(putContacts(app, there?.version ?? 0, contacts, look))).kind === 'applied') return contacts;
  }
  return 'changed';
}

/** Of a rotation of the master secret: seals each secret anew. `lost`: contacts whose secret no key opens. */
export async function resealContacts(
  { store, sealer }: { readonly store: Store; readonly sealer: Sealer },
  app: AppId,
  now: EpochMs,
): Promise<{ readonly resealed: number; readonly lost: readonly string[] }> {
  let lost: string[] = [];
  let resealed = 0;
  const anew = (contact: Contact): Contact => {
    const { id, key } = contact;
    if (key === undefined || sealer.isCurrent(key.sealed, id)) return contact;
    try {
      const sealed = sealer.seal(sealer.open(key.sealed, id), id);
      resealed += 1;
      return { ...contact, key: { ...key, sealed } };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      lost.push(id);
      return contact;
    }
  };
  // Where others were quicker each time, the next walk meets them.
  await changeContacts(store, app, now, contacts => {
    [lost, resealed] = [[], 0];
    const sealed = contacts.map(anew);
    return resealed === 0 ? contacts : sealed;
  });
  return { resealed, lost };
}

export function refuseChanged(): never {
  return refuse(409, 'version_changed', 'contacts are being changed at the same time: send the request again');
}
