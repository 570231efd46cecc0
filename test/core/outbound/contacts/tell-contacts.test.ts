/**
 * Contacts of an application: each confirms first, is told what it must know, and never more than once an hour, whatever
 * fails and however often it is asked for.
 */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { answerLink } from '#core/outbound/contacts/answer-link.ts';
import { type ContactPorts, tellContacts } from '#core/outbound/contacts/tell-contacts.ts';
import type { Mail } from '#core/outbound/ports.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { contactsKey, deadListed, recordKey, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { MemoryMailBox } from '#test/kit/memory/memory-mail-box.ts';
import { type Json, withEndpoint } from '#test/kit/producer-world.ts';

const ADD = 'POST /v1/apps/{app}/contacts';
const LIST = 'GET /v1/apps/{app}/contacts';
const RULES = {
  name: 'Acme',
  portalUrl: 'https://api.acme.com/portal',
  pageUrl: 'https://app.acme.com/{app}/{endpoint}',
};

/** An application with one endpoint; mails lie in `box`. */
async function world() {
  const it = await withEndpoint();
  const app = it.app as AppId;
  const ep = it.ep as EndpointId;
  const mailer = new MemoryMailBox();
  const box = mailer.mails;
  let seed = 0;
  const ports: ContactPorts = {
    ...it.ports,
    mailer,
    randomBytes: count => new Uint8Array(count).fill(++seed),
  };
  const run = (with_: Partial<ContactPorts> = {}) =>
    tellContacts({ ...ports, ...with_ }, RULES, it.clock.now() + 40_000);
  /** Minutes of runs. */
  const minutes = async (count: number, with_?: Partial<ContactPorts>): Promise<void> => {
    for (let n = 0; n < count; n++) {
      it.pass(MINUTE_MS);
      await run(with_);
    }
  };
  const follow = async (url: string): Promise<{ status: number; body: Json }> => {
    const query = Object.fromEntries(new URL(url).searchParams);
    const reply = await answerLink(it.ports, query);
    return { status: reply.status, body: JSON.parse(reply.body) };
  };
  const add = (body: object) => it.call(ADD, { app }, body);
  const list = async (): Promise<readonly Json[]> => (await it.call(LIST, { app })).body.data;
  const confirmIn = (mail: Mail | undefined): string => /https:\S+confirm=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  const confirmed = async (email: string): Promise<void> => {
    await add({ email });
    await minutes(1);
    expect((await follow(confirmIn(box.at(-1)))).status).toBe(200);
    box.length = 0;
  };
  const change = async (with_: Partial<RuntimeItem>, of = ep): Promise<void> => {
    const there = (await it.store.get(runtimeKey(of), 'consistent')) as RuntimeItem;
    await it.store.put({ kind: 'put', key: runtimeKey(of), item: { ...there, ...with_ } });
  };
  const die = async (msg: string, at: number): Promise<void> => {
    const id = { ep, msg: msg as never, createdAt: at };
    const item = { gen: 1, status: 'dead', app, expiresAt: 9e9, ...deadListed(ep, at, id.msg) };
    await it.store.put({ kind: 'put', key: recordKey(id), item: item as never });
    await change({ dead: 1 });
  };
  const failing = (why: MemoryMailBox['fault']): void => {
    mailer.fault = why;
  };
  return { ...it, app, ep, box, ports, run, minutes, follow, add, list, confirmIn, confirmed, change, die, failing };
}

it('asks an address to confirm, tells it nothing before, and opens no door to whoever only opens the link', async () => {
  const { add, list, minutes, box, confirmIn, follow, change, clock, app, store } = await world();
  const made = await add({ email: 'ops@customer.com' });
  expect(made).toMatchObject({ status: 201, body: { email: 'ops@customer.com', url: null, state: 'unconfirmed' } });
  await change({ gate: 'disabled', gateBy: 'system', gateWhy: 'gone', gateSince: clock.now() + 1 });
  await minutes(90);
  expect(box).toHaveLength(1);
  const [mail] = box;
  expect(mail).toMatchObject({ to: 'ops@customer.com', leaveUrl: expect.stringContaining('?leave=app_') });
  // The token is in the mail and nowhere else.
  const link = confirmIn(mail);
  const token = link.split('.').at(-1) ?? '';
  expect(token).toHaveLength(26);
  expect(JSON.stringify(await store.get(contactsKey(app), 'consistent'))).not.toContain(token);
  const another = link.slice(0, -1) + (link.endsWith('z') ? 'y' : 'z');
  for (const wrong of [
    another,
    link.slice(0, -1),
    'https://x/?confirm=',
    'https://x/?other=1',
    link.replace('app_', 'app_0'),
  ])
    expect([400, 404]).toContain((await follow(wrong)).status);
  expect((await list())[0].state).toBe('unconfirmed');
  expect(await follow(link)).toEqual({ status: 200, body: { state: 'confirmed' } });
  expect(await follow(link)).toEqual({ status: 200, body: { state: 'confirmed' } });
  // What was before it is not told.
  await minutes(30);
  expect(box).toHaveLength(1);
});

it('takes a confirmation for 24 hours, and not a moment longer', async () => {
  const { add, minutes, box, confirmIn, follow, pass, list } = await world();
  await add({ email: 'ops@customer.com' });
  await minutes(1);
  pass(DAY_MS + 1);
  expect(await follow(confirmIn(box[0]))).toMatchObject({ status: 404, body: { error: 'unknown_link' } });
  // The next day it may be asked again; the link of before stays dead.
  expect((await add({ email: 'ops@customer.com' })).status).toBe(200);
  await minutes(1);
  expect((await follow(confirmIn(box[0]))).status).toBe(404);
  expect((await follow(confirmIn(box[1]))).status).toBe(200);
  expect(await list()).toHaveLength(1);
});

it('promises three confirmations an hour to an application and one a day to an address, to fifty at once, too', async () => {
  const { add, call, minutes, box, sent, pass } = await world();
  const all = await Promise.all(Array.from({ length: 50 }, (_, n) => add({ url: `https://h${n}.customer.com/` })));
  expect(all.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(3);
  expect(all.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(47);
  await minutes(5);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThanOrEqual(3);
  pass(HOUR_MS);
  // The address of a stranger, by fifty applications.
  const apps = await Promise.all(Array.from({ length: 50 }, (_, n) => call('POST /v1/apps', {}, { name: `${n}` })));
  const asked = await Promise.all(apps.map(({ body }) => call(ADD, { app: body.id }, { email: 'Victim@other.com' })));
  expect(asked.filter(({ status }) => status === 201)).toHaveLength(1);
  expect((await add({ email: 'victim@other.com' })).body.error).toBe('quota');
  await minutes(5);
  expect(box).toHaveLength(1);
});

it('has at most five contacts, each address once', async () => {
  const { add, list, pass } = await world();
  for (let n = 0; n < 5; n++) {
    expect((await add({ url: `https://h${n}.customer.com/` })).status).toBe(201);
    pass(HOUR_MS);
  }
  expect((await add({ url: 'https://h5.customer.com/' })).body).toMatchObject({ error: 'quota' });
  expect((await add({ url: 'https://h4.customer.com/' })).status).toBe(200);
  expect(await list()).toHaveLength(5);
});

it.each([
  [{}, 'neither email nor url'],
  [{ email: 'a@b.co', url: 'https://a.customer.com/' }, 'email and url'],
  [{ email: 'ops@customer.com\r\nBcc: x@y.zz' }, 'one mail address'],
  [{ email: 'Ops <ops@customer.com>' }, 'one mail address'],
  [{ email: 'a@b.co,c@d.ee' }, 'one mail address'],
  [{ email: `${'a'.repeat(65)}@customer.com` }, 'one mail address'],
])('refuses %j and says what is allowed', async (body, told) => {
  const { add } = await world();
  const { status, body: refused } = await add(body);
  expect([status, refused.detail]).toEqual([400, expect.stringContaining(told)]);
});

it('calls no address that an endpoint could not have', async () => {
  const { add } = await world();
  for (const url of ['http://a.customer.com/', 'https://10.0.0.1/', 'https://api.acme.com/', 'https://x.internal/'])
    expect((await add({ url })).body.error, url).toBe('address_not_allowed');
});

it('tells of an endpoint that has failed for an hour, and that one was disabled, with what a person looks up', async () => {
  const { confirmed, minutes, box, change, clock, ep } = await world();
  await confirmed('ops@customer.com');
  await change({ failingSince: clock.now() });
  await minutes(59);
  expect(box).toEqual([]);
  await minutes(15);
  expect(box).toHaveLength(1);
  expect(box[0]?.subject).toBe('Webhooks of Acme: 1 endpoint failing');
  expect(box[0]?.text).toContain(
    `- hooks[.]customer[.]com/in (${ep}), since 2026-11-22 08:01 UTC\n  https://app.acme.com/acme/${ep}`,
  );
  await change({ gate: 'disabled', gateBy: 'system', gateWhy: 'failing', gateSince: clock.now() });
  // Not within the hour.
  await minutes(44);
  expect(box).toHaveLength(1);
  await minutes(30);
  expect(box).toHaveLength(2);
  expect(box[1]?.text).toContain('disabled');
  // Told once.
  await minutes(300);
  expect(box).toHaveLength(2);
});

it('does not tell customers what they did themselves, and not why the platform did it', async () => {
  const { confirmed, minutes, box, change, clock } = await world();
  await confirmed('ops@customer.com');
  await change({ gate: 'disabled', gateBy: 'customer', gateSince: clock.now() + 1 });
  await minutes(30);
  expect(box).toEqual([]);
  await change({ gate: 'disabled', gateBy: 'operator', gateWhy: 'they do not pay', gateSince: clock.now() });
  await minutes(30);
  expect(box).toHaveLength(1);
  expect(JSON.stringify(box)).not.toContain('pay');
});

it('tells deaths once a day, when the day is over, those that are dead still', async () => {
  const { confirmed, minutes, box, die, clock } = await world();
  await confirmed('ops@customer.com');
  await die('msg_1', clock.now());
  await die('msg_2', clock.now() + 1);
  await minutes(15 * 60);
  expect(box).toEqual([]);
  await minutes(2 * 60);
  expect(box).toHaveLength(1);
  expect(box[0]?.subject).toBe('Webhooks of Acme: 2 undelivered');
  expect(box[0]?.text).toContain(
    '2 deliveries ended undelivered between 2026-11-22 00:00 UTC and 2026-11-23 00:00 UTC',
  );
  await minutes(26 * 60);
  expect(box).toHaveLength(1);
});

it('signs what a URL is told with a secret of its own, which is shown once', async () => {
  const { add, minutes, sent, list, follow, change, clock, ep } = await world();
  const made = await add({ url: 'https://told.customer.com/in' });
  const { secret } = made.body;
  expect(secret).toMatch(/^whsec_/);
  expect(JSON.stringify(await list())).not.toContain(secret);
  await minutes(1);
  const told = (at: number): Json => JSON.parse(new TextDecoder().decode(sent[at]?.body));
  expect(sent[0]?.url).toBe('https://told.customer.com/in');
  const { headers = {}, body = new Uint8Array() } = sent[0] ?? {};
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  mac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(body);
  expect(headers['webhook-signature']).toBe(`v1,${mac.digest('base64')}`);
  expect(told(0)).toMatchObject({ type: 'contact.confirm', data: { confirm_url: expect.any(String) } });
  await follow(told(0).data.confirm_url);
  await change({ gate: 'disabled', gateBy: 'system', gateWhy: 'gone', gateSince: clock.now() + 1 });
  await minutes(15);
  expect(told(1)).toMatchObject({
    type: 'contact.news',
    data: {
      application_uid: 'acme',
      failing: [],
      disabled: [{ endpoint: ep, url: 'https://hooks.customer.com/in', reason: 'gone', since: expect.any(String) }],
      more: 0,
    },
  });
  expect(sent).toHaveLength(2);
  expect(await follow(told(1).data.leave_url)).toEqual({ status: 200, body: { state: 'removed' } });
  expect(await list()).toEqual([]);
});

it('is left by the link of any mail, after a rotation of the master secret, too, and by no made-up one', async () => {
  const { confirmed, minutes, box, change, clock, follow, list, ports, app } = await world();
  await confirmed('ops@customer.com');
  await change({ gate: 'disabled', gateBy: 'system', gateSince: clock.now() + 1 });
  const rotated = [new TextEncoder().encode('n'.repeat(32)), ...ports.portalKeys];
  await minutes(15, { portalKeys: rotated });
  const leave = box[0]?.leaveUrl ?? '';
  expect(box[0]?.text).toContain(leave);
  const id = (await list())[0].id as string;
  expect((await follow(`https://x/?leave=${app}.${id}.${'0'.repeat(26)}`)).status).toBe(404);
  // This process has not read the new secret; one that has knows both.
  expect((await follow(leave)).status).toBe(404);
  expect(
    (await answerLink({ ...ports, portalKeys: rotated } as never, { leave: leave.split('leave=')[1] })).status,
  ).toBe(200);
  expect(
    (await answerLink({ ...ports, portalKeys: rotated } as never, { leave: leave.split('leave=')[1] })).status,
  ).toBe(200);
  expect(await list()).toEqual([]);
});

it('repeats a mail that was certainly not sent, a limited number of times, and one that may have come an hour later', async () => {
  const { confirmed, minutes, box, change, clock, failing, telemetry, pass } = await world();
  await confirmed('ops@customer.com');
  await change({ gate: 'disabled', gateBy: 'system', gateSince: clock.now() + 1 });
  failing('not_applied');
  await minutes(25);
  expect(box).toEqual([]);
  failing(undefined);
  await minutes(15);
  expect(box).toHaveLength(1);
  // Nobody knows: it is said again, once an hour, with the same words, five times.
  pass(HOUR_MS);
  await change({ gateSince: clock.now() });
  failing('unknown');
  await minutes(59);
  expect(box).toHaveLength(2);
  await minutes(10 * 60);
  expect(box).toHaveLength(6);
  expect(new Set(box.slice(1).map(({ text }) => text)).size).toBe(1);
  expect(telemetry.lines.map(line => JSON.stringify(line)).join()).toContain('not_told');
  failing(undefined);
  await minutes(DAY_MS / MINUTE_MS);
  expect(box).toHaveLength(6);
});

it('repeats no confirmation that may have come', async () => {
  const { add, minutes, box, failing } = await world();
  failing('unknown');
  await add({ email: 'ops@customer.com' });
  await minutes(300);
  expect(box).toHaveLength(1);
});

it('sends nothing twice where two runs meet, and nothing within the hour after one that died while it sent', async () => {
  const { confirmed, minutes, run, box, change, clock, pass } = await world();
  await confirmed('ops@customer.com');
  await change({ gate: 'disabled', gateBy: 'system', gateSince: clock.now() + 1 });
  pass(15 * MINUTE_MS);
  await Promise.all(Array.from({ length: 10 }, () => run()));
  expect(box).toHaveLength(1);
  await minutes(120);
  expect(box).toHaveLength(1);
  await change({ gateSince: clock.now() });
  pass(15 * MINUTE_MS);
  // Its process ends: the mail went out, and nothing of it is written down.
  await new Promise<void>(resolve => {
    const send = (mail: Mail): Promise<void> => {
      box.push(mail);
      resolve();
      return new Promise<void>(() => undefined);
    };
    void run({ mailer: { send } });
  });
  expect(box).toHaveLength(2);
  await minutes(55);
  expect(box).toHaveLength(2);
  await minutes(20);
  expect(box).toHaveLength(3);
  await minutes(180);
  expect(box).toHaveLength(3);
});

it('looks at an application every ten minutes, and at none without contacts', async () => {
  const { confirmed, run, pass, store, call, app, list, ports } = await world();
  await confirmed('ops@customer.com');
  let looks = 0;
  const counting = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (name === 'getMany') looks += 1;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const hour = async (): Promise<number> => {
    looks = 0;
    for (let n = 0; n < 60; n++) {
      pass(MINUTE_MS);
      await run({ ...ports, store: counting });
    }
    return looks;
  };
  // The item and its application, then the runtimes of its endpoints.
  expect(await hour()).toBeLessThanOrEqual(2 * 7);
  const [{ id }] = (await list()) as [Json];
  expect((await call('DELETE /v1/apps/{app}/contacts/{contact}', { app, contact: id })).status).toBe(204);
  await hour();
  expect(await hour()).toBe(0);
});

it('says the same again where nobody knows whether it came, and what happened since only afterwards', async () => {
  const { confirmed, minutes, box, change, clock, failing, call, app } = await world();
  const url = 'https://second.customer.com/in';
  const second = (await call('POST /v1/apps/{app}/endpoints', { app }, { url })).body.id as EndpointId;
  await confirmed('ops@customer.com');
  await change({ gate: 'disabled', gateBy: 'system', gateSince: clock.now() + 1 });
  failing('unknown');
  await minutes(15);
  await change({ gate: 'disabled', gateBy: 'system', gateSince: clock.now() }, second);
  failing(undefined);
  await minutes(3 * 60);
  expect(box).toHaveLength(3);
  expect(box[1]?.text).toBe(box[0]?.text);
  expect(box[1]?.text).not.toContain(second);
  expect(box[2]?.text).toContain(second);
});

it('leaves alone what an index that lags brings too early', async () => {
  const { confirmed, minutes, store, app } = await world();
  await confirmed('ops@customer.com');
  await minutes(1);
  const before = await store.get(contactsKey(app), 'consistent');
  const lagging = new Proxy(store, {
    get: (target, name) => {
      if (name === 'query') return async () => ({ items: [{ pk: contactsKey(app).pk }] });
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  await minutes(9, { store: lagging });
  expect(await store.get(contactsKey(app), 'consistent')).toEqual(before);
});

it('counts a run in which no look failed, and each mail that was not taken', async () => {
  const { add, minutes, failing, telemetry, ports, store, app } = await world();
  const counted = () => [telemetry.total('ContactRuns'), telemetry.total('MailsNotTaken')];
  await minutes(2);
  expect(counted()).toEqual([2, 0]);
  await add({ email: 'ops@customer.com' });
  const query = ports.store.query.bind(ports.store);
  const away = { query, getMany: () => Promise.reject(new DependencyError('dynamodb', 'away', {})) };
  await minutes(1, { store: away as unknown as typeof store });
  expect(counted()).toEqual([2, 0]);
  expect(await store.get(contactsKey(app), 'consistent')).toMatchObject({
    contacts: [{ askedAt: expect.any(Number) }],
  });
  failing('not_applied');
  await minutes(1);
  expect(counted()).toEqual([3, 1]);
  failing('unknown');
  await minutes(60);
  expect(counted()[1]).toBe(2);
});
