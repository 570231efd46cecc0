/**
 * Every minute: contacts that wait for a confirmation get one, and every ten minutes those that confirmed are told what is
 * new. What is sent is written down before it is sent, with the item's version (C14), so two runs never send the same; and
 * no contact is told anything twice within an hour, whatever becomes of a run.
 */
import { ask, askOrSkip } from '#core/ask.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import { pagesOf } from '#core/outbound/pages.ts';
import type { Mailer, OutboundPorts } from '#core/outbound/ports.ts';
import { putContacts } from '#core/outbound/protocol/control-writes.ts';
import { type AppId, toBase32 } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, Contact } from '#core/outbound/protocol/items.ts';
import { applicationKey, contactsDue, contactsKey, type Span } from '#core/outbound/protocol/keys.ts';
import { buildEnvelope } from '#core/outbound/publish/envelope.ts';
import { changeContacts, contactWith, hasWork } from '#core/outbound/registry/contacts.ts';
import type { SignAttempt } from '#core/outbound/sign/attempt-to-sign.ts';
import type { Telemetry } from '#core/ports.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { confirmUrl, type LinkPorts, leaveUrl, newToken } from './contact-links.ts';
import { confirmMail, newsMail } from './mail-text.ts';
import { isDayOver, type News, newsOf, type State, stateOf } from './news.ts';

export interface ContactPorts extends LinkPorts, Pick<OutboundPorts, 'store' | 'sealer' | 'sender' | 'clock'> {
  readonly sign: SignAttempt;
  /** Absent: no mail is sent. */
  readonly mailer?: Mailer | undefined;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}
export interface ContactRules {
  /** Of the platform, as its customers know it. */
  readonly name: string;
  readonly portalUrl: string;
  /** Address of an endpoint's page in the platform's own application. */
  readonly pageUrl?: string | undefined;
}

/** Between two looks at one application. */
const LOOK_MS = 10 * MINUTE_MS;
/** Between two messages to one contact, and behind one of which nobody knows whether it came. */
const TURN_MS = HOUR_MS;
const MOST_TRIES = 5;
/** Clocks differ, and reads lag: what is younger is left to the next look. */
const SETTLED_MS = MINUTE_MS;
const AT_ONCE = 10;
const DEADLINE_MS = 10_000;

/**
 * Until none is due, or `until`: the next run goes on, with those that have waited longest. A run counts as one only where
 * no look failed: what nobody is told of raises an alarm.
 */
export async function tellContacts(ports: ContactPorts, rules: ContactRules, until: EpochMs): Promise<void> {
  const { store, clock, telemetry } = ports;
  let failed = 0;
  for await (const page of pagesOf(store, { ...contactsDue(clock.now()), limit: 100 })) {
    const apps = page.map(({ pk }) => pk.slice(2) as AppId);
    for (let at = 0; at < apps.length && clock.now() < until; at += AT_ONCE) {
      const looks = apps.slice(at, at + AT_ONCE).map(application =>
        askOrSkip({ telemetry, stage: 'contacts', fields: { application } }, async () => {
          await lookAt(ports, rules, application);
          return true;
        }),
      );
      failed += (await Promise.all(looks)).filter(done => done === undefined).length;
    }
    if (clock.now() >= until) break;
  }
  if (failed === 0) telemetry.count('ContactRuns');
}

/** One message, before it is sent. */
type Planned = {
  /** As it is written down. */
  readonly contact: Contact;
} & ({ readonly token: string } | { readonly news: News; readonly to: EpochMs });

async function lookAt(ports: ContactPorts, rules: ContactRules, app: AppId): Promise<void> {
  const { store, clock } = ports;
  // 1. As they are now; the index that led here lags.
  const now = clock.now();
  const [there, application] = await store.getMany([contactsKey(app), applicationKey(app)]);
  if (there?.gsk === undefined || Number(there.gsk.slice(0, 13)) > now) return;
  if (application?.state !== 'active') return;
  // 2. What each is to be sent.
  const looked = look(ports, rules, application, now);
  const planned: Planned[] = [];
  const contacts: Contact[] = [];
  for (const contact of there.contacts) {
    const plan = (contact.notBefore ?? 0) > now ? contact : await looked(contact);
    if ('contact' in plan) planned.push(plan);
    contacts.push('contact' in plan ? plan.contact : plan);
  }
  // 3. Written down first: whoever is second sends nothing.
  const claim = putContacts(app, there.version, contacts, hasWork(contacts) ? now + LOOK_MS : undefined);
  if ((await store.put(claim)).kind === 'refused') return;
  // 4. Sent, and what became of it.
  const ends = await Promise.all(planned.map(each => sendTo(ports, rules, application, each)));
  if (planned.length === 0) return;
  await changeContacts(store, app, now + LOOK_MS, current =>
    current.map(contact => {
      const at = planned.findIndex(each => each.contact.id === contact.id);
      const plan = planned[at];
      return plan === undefined ? contact : settled(contact, plan, ends[at] ?? 'unclear', now);
    }),
  );
}

/** What a contact becomes before it is sent something, or where there is nothing to send. */
function look(ports: ContactPorts, { pageUrl }: ContactRules, application: ApplicationItem, now: EpochMs) {
  let state: Promise<State> | undefined;
  return async (contact: Contact): Promise<Planned | Contact> => {
    const { askedAt, confirmedAt, tellTo, tries = 0 } = contact;
    const isConfirmation = askedAt !== undefined;
    if (!isConfirmation && confirmedAt === undefined) return contact;
    if (tries >= MOST_TRIES) return givenUp(ports, contact);
    const trying = { notBefore: now + TURN_MS, tries: tries + 1 };
    if (isConfirmation) {
      const { token, kept } = newToken(ports, now);
      return { contact: contactWith(contact, { ...trying, token: kept }), token };
    }
    const span: Span = { from: contact.toldTo ?? confirmedAt ?? now, to: tellTo ?? now - SETTLED_MS };
    state ??= stateOf(ports.store, application.id);
    const news = await newsOf(ports.store, await state, span, { application, pageUrl });
    if (news) return { contact: contactWith(contact, { ...trying, tellTo: span.to }), news, to: span.to };
    const isOver = tellTo !== undefined || isDayOver(span);
    return isOver ? contactWith(contact, { toldTo: span.to, ...NOTHING_SENT }) : contact;
  };
}

const NOTHING_SENT = { tellTo: undefined, tries: undefined, notBefore: undefined };

function givenUp({ telemetry }: ContactPorts, contact: Contact): Contact {
  const { id, tellTo, toldTo } = contact;
  telemetry.log('warn', { stage: 'contacts', cause: 'not_told', contact: id, tries: MOST_TRIES });
  return contactWith(contact, { ...NOTHING_SENT, askedAt: undefined, ...given({ toldTo: tellTo ?? toldTo }) });
}

/** `refused`: it was certainly not sent, or its receiver said no. */
type End = 'told' | 'refused' | 'unclear';

/** The contact as somebody may have changed it meanwhile. */
function settled(contact: Contact, plan: Planned, end: End, now: EpochMs): Contact {
  if (end === 'refused') return contactWith(contact, { notBefore: now + LOOK_MS });
  if ('news' in plan) {
    if (end === 'unclear') return contact;
    // The turn goes on: an hour from now on.
    return contactWith(contact, { toldTo: plan.to, tellTo: undefined, tries: undefined });
  }
  // Of a confirmation that may have come there is no second one, until somebody asks for it.
  return contact.askedAt === plan.contact.askedAt
    ? contactWith(contact, { askedAt: undefined, ...NOTHING_SENT })
    : contact;
}

async function sendTo(
  ports: ContactPorts,
  rules: ContactRules,
  application: ApplicationItem,
  plan: Planned,
): Promise<End> {
  const { contact } = plan;
  const asker = { telemetry: ports.telemetry, stage: 'contacts', fields: { contact: contact.id } };
  const asked = await ask(asker, () =>
    contact.email === undefined
      ? post(ports, rules, application, plan)
      : mail(ports, rules, application, plan, contact.email),
  );
  if (asked.ok) return asked.value;
  if (contact.email !== undefined) ports.telemetry.count('MailsNotTaken');
  return asked.error.outcome === 'not_applied' ? 'refused' : 'unclear';
}

async function mail(
  ports: ContactPorts,
  { name: platform, portalUrl }: ContactRules,
  { id, name }: ApplicationItem,
  plan: Planned,
  to: string,
): Promise<End> {
  if (ports.mailer === undefined) return 'refused';
  const leave = leaveUrl(portalUrl, id, plan.contact.id, ports);
  const told = { to, platform, application: name, leaveUrl: leave };
  await ports.mailer.send(
    'news' in plan
      ? newsMail(told, plan.news)
      : confirmMail(told, confirmUrl(portalUrl, id, plan.contact.id, plan.token)),
  );
  return 'told';
}

/** Signed as messages are, by the secret of the contact. */
async function post(
  ports: ContactPorts,
  { portalUrl }: ContactRules,
  { id: app, uid }: ApplicationItem,
  plan: Planned,
): Promise<End> {
  const { crypto, clock, sealer } = ports;
  const { id, url = '', key, tries = 1 } = plan.contact;
  if (key === undefined) return 'refused';
  const now = clock.now();
  const about = {
    application: app,
    ...given({ application_uid: uid }),
    leave_url: leaveUrl(portalUrl, app, id, ports),
  };
  const [type, data, what] =
    'news' in plan
      ? (['contact.news', { ...about, ...plan.news }, plan.to] as const)
      : ([
          'contact.confirm',
          { ...about, confirm_url: confirmUrl(portalUrl, app, id, plan.token) },
          plan.token,
        ] as const);
  const message = `msg_${toBase32(crypto.hash('sha256', utf8(`${id}\n${type}\n${what}`)))}`;
  const from = { id: message, type, at: now, mode: 'live' as const, app, key: message, pendingWebhooks: 1 };
  const { bytes: body, contentType } = buildEnvelope('standard', { ...from, data: utf8(JSON.stringify(data)) });
  const { headers } = ports.sign({
    ...{ id: message, body, n: tries, now, message: { type, contentType } },
    endpoint: { signature: 'standard', headers: {} },
    keys: [{ ...key, bytes: sealer.open(key.sealed, id) }],
  });
  const session = ports.sender.open(1);
  try {
    const answer = await session.send({ url, headers, body, deadlineMs: DEADLINE_MS }, new AbortController().signal);
    const verdict = classifyAnswer(answer, clock.now());
    ports.telemetry.log('info', { message: 'a contact was told', contact: id, type, class: verdict.class });
    if (verdict.fault === 'none') return 'told';
    return answer.kind === 'answered' ? 'refused' : 'unclear';
  } finally {
    session.close();
  }
}
