/** What a POST of a link does, for whoever has it: there is no token of a customer, and no answer says anything of one. */
import { answering } from '#core/outbound/api/answering.ts';
import type { ApiPorts } from '#core/outbound/api/api-call.ts';
import { LINK_ROUTE } from '#core/outbound/portal/portal-routes.ts';
import type { Contact } from '#core/outbound/protocol/items.ts';
import { changeContacts, contactWith, refuseChanged } from '#core/outbound/registry/contacts.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { isConfirmedBy, isLeave, readLink } from './contact-links.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** `?confirm=` or `?leave=`; doing it again changes nothing. */
export function answerLink(ports: ApiPorts, { confirm, leave }: Query): Promise<Reply> {
  return answering(`portal ${LINK_ROUTE}`, ports, () => {
    if (confirm !== undefined) return confirmContact(ports, confirm);
    if (leave !== undefined) return leaveContact(ports, leave);
    return refuse(
      400,
      'invalid_request',
      'open the link as it stands in the message: it ends in ?confirm=… or ?leave=…',
    );
  });
}

async function confirmContact(ports: ApiPorts, text: string): Promise<Reply> {
  const now = ports.clock.now();
  const link = readLink(text) ?? refuseLink();
  const confirmed = (contact: Contact): Contact =>
    contact.confirmedAt === undefined
      ? contactWith(contact, { confirmedAt: now, askedAt: undefined, toldTo: now })
      : contact;
  const done = await changeContacts(ports.store, link.app, now, contacts => {
    const mine = contacts.find(({ id }) => id === link.id);
    if (mine === undefined || !isConfirmedBy(mine, link, ports, now)) return undefined;
    return mine.confirmedAt === undefined ? contacts.map(each => (each === mine ? confirmed(each) : each)) : contacts;
  });
  if (done === 'refused') return refuseLink();
  if (done === 'changed') return refuseChanged();
  ports.telemetry.log('info', { message: 'a contact was confirmed', application: link.app, contact: link.id });
  return json(200, { state: 'confirmed' });
}

async function leaveContact(ports: ApiPorts, text: string): Promise<Reply> {
  const link = readLink(text);
  if (link === undefined || !isLeave(link, ports)) return refuseLink();
  const done = await changeContacts(ports.store, link.app, ports.clock.now(), contacts =>
    contacts.some(({ id }) => id === link.id) ? contacts.filter(({ id }) => id !== link.id) : contacts,
  );
  if (done === 'changed') return refuseChanged();
  ports.telemetry.log('info', { message: 'a contact left', application: link.app, contact: link.id });
  return json(200, { state: 'removed' });
}

function refuseLink(): never {
  return refuse(
    404,
    'unknown_link',
    'this link is cut, was taken back, or is older than 24 hours: ask for another where the address was added',
  );
}
