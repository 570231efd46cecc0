/** Contacts of an application: whom its own people want told when webhooks fail. Each confirms before it is told anything. */
import { given } from '#core/given.ts';
import { freshId } from '#core/outbound/protocol/ids.ts';
import type { Contact, ContactKind } from '#core/outbound/protocol/items.ts';
import {
  changeContacts,
  contactsOf,
  contactWith,
  MOST_CONTACTS,
  refuseChanged,
} from '#core/outbound/registry/contacts.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';
import { toIso } from '#core/time.ts';
import { type ApiCall, activeOf, applicationOf, type Body, bodyOf, countOrRefuse, logAct } from './api-call.ts';
import { sealKey, secretOf, showSecret } from './endpoint-secret.ts';
import { refuseTarget } from './endpoints-api.ts';
import { mailAddress, url } from './fields.ts';

export const CONTACT_FIELDS = {
  email: mailAddress,
  url,
};
type ContactBody = Body<typeof CONTACT_FIELDS>;
/** The form that signs what a contact is told. */
const FORM = { signature: 'standard' } as const;

const showContact = ({ id, email, url: to, createdAt, confirmedAt }: Contact) => ({
  id,
  email: email ?? null,
  url: to ?? null,
  state: confirmedAt === undefined ? 'unconfirmed' : 'confirmed',
  created_at: toIso(createdAt),
  confirmed_at: confirmedAt === undefined ? null : toIso(confirmedAt),
});

export async function listContacts(call: ApiCall): Promise<Reply> {
  refuseOff(call);
  const { id } = await applicationOf(call);
  return json(200, { data: (await contactsOf(call.ports.store, id)).map(showContact), cursor: null });
}

/**
 * The secret of a URL is in this answer, and in no other. The same address again: while it has not confirmed, it is asked
 * again. Asking is limited, whoever asks: nobody makes us write to strangers.
 */
export async function createContact(call: ApiCall): Promise<Reply> {
  const { ports } = call;
  const kinds = refuseOff(call);
  const body = bodyOf(call, CONTACT_FIELDS);
  const wanted = addressOf(body);
  if (wanted.email !== undefined && !kinds.includes('email'))
    refuse(409, 'no_email', 'this environment sends no mail: give a url, or set outbound.email in gateway.config.ts');
  const { id: app } = await activeOf(call);
  if (wanted.url !== undefined) refuseTarget(call, wanted.url);
  // 1. What is there needs no confirmation, and a sixth gets none.
  const isSame = (contact: Contact): boolean => contact.email === wanted.email && contact.url === wanted.url;
  const contacts = await contactsOf(ports.store, app);
  const there = contacts.find(isSame);
  if (there?.confirmedAt !== undefined) return json(200, showContact(there));
  if (there === undefined && contacts.length >= MOST_CONTACTS) return refuseMore();
  // 2. The confirmation is counted before anything promises it (C5).
  await countOrRefuse(call, 'confirmation', app);
  if (wanted.email !== undefined)
    await countOrRefuse(call, 'mail', toHex(ports.crypto.hash('sha256', utf8(wanted.email.toLowerCase()))));
  // 3. Written down (C14); it is sent within a minute.
  const now = ports.clock.now();
  const id = freshId('con', now, ports.ids.uuid());
  const secret = wanted.url === undefined ? undefined : secretOf({}, ports, FORM);
  const key = secret && sealKey(ports, id, secret, 'first');
  const fresh: Contact = { id, ...wanted, ...given({ key }), createdAt: now, askedAt: now };
  const done = await changeContacts(ports.store, app, now, current => {
    const same = current.find(isSame);
    if (same?.confirmedAt !== undefined) return current;
    const again = { askedAt: now, tries: undefined, notBefore: undefined };
    if (same) return current.map(each => (each === same ? contactWith(each, again) : each));
    return current.length >= MOST_CONTACTS ? undefined : [...current, fresh];
  });
  if (done === 'refused') return refuseMore();
  if (done === 'changed') return refuseChanged();
  const kept = done.find(isSame) ?? fresh;
  logAct(call, 'a contact was asked to confirm', { application: app, contact: kept.id });
  if (kept.id !== id) return json(200, showContact(kept));
  return json(201, { ...showContact(kept), ...(key && secret ? showSecret(key.kid, secret, ports, FORM) : {}) });
}

export async function deleteContact(call: ApiCall): Promise<Reply> {
  const { ports, path } = call;
  refuseOff(call);
  const { id: app } = await activeOf(call);
  const contact = path['contact'] ?? '';
  const done = await changeContacts(ports.store, app, ports.clock.now(), contacts =>
    contacts.some(({ id }) => id === contact) ? contacts.filter(({ id }) => id !== contact) : undefined,
  );
  if (done === 'refused')
    return refuse(404, 'unknown_contact', `there is no contact ${contact.slice(0, 80)} in ${app}: give its id (con_…)`);
  if (done === 'changed') return refuseChanged();
  logAct(call, 'a contact was taken away', { application: app, contact });
  return { status: 204, headers: {}, body: '' };
}

function refuseOff({ rules }: ApiCall): readonly ContactKind[] {
  const told = 'this environment has no contacts: set outbound.contacts in gateway.config.ts and deploy';
  return rules.contacts ?? refuse(409, 'no_contacts', told);
}

function refuseMore(): never {
  return refuse(
    429,
    'quota',
    `the application has ${MOST_CONTACTS} contacts, the most that it may have: take one away`,
  );
}

/** One of the two. Throws `Refused` (400). */
function addressOf({ email, url: to }: ContactBody): ContactBody {
  if ((email === undefined) === (to === undefined)) {
    const told = email === undefined ? 'neither email nor url' : 'email and url';
    refuseProblems([{ path: '', given: told, allowed: 'one of the two', fix: 'make a contact for each address' }]);
  }
  return given({ email, url: to });
}
