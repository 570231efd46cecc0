/**
 * `holdfast out export --secrets` in one environment and `holdfast out import --from holdfast` in another, over the real API and
 * engine: the same customers, item by item; nothing is sent and nobody is told before a person resumes; secrets open with the
 * key alone; a run that was cut off anywhere is finished by the next.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { tellContacts } from '#core/outbound/contacts/tell-contacts.ts';
import type { Mail } from '#core/outbound/ports.ts';
import { closeGate } from '#core/outbound/protocol/delivery-writes.ts';
import type { ContactId, EndpointId } from '#core/outbound/protocol/ids.ts';
import { runtimeKey } from '#core/outbound/protocol/keys.ts';
import { changeContacts, contactWith } from '#core/outbound/registry/contacts.ts';
import { PAUSED_BY_IMPORT } from '#core/outbound/registry/imported.ts';
import { eventsOf } from '#core/outbound/tend/operational-events.ts';
import { DAY_MS, HOUR_MS, toIso } from '#core/time.ts';
import type { Json } from '#test/kit/producer-world.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';
import { type Environment, environment } from './sending-environment.ts';

const START = Date.parse('2026-11-22T08:00:00Z');
const TOKEN = 'Bearer of-the-customer';
const PLAIN = 'a-secret-that-somebody-brought';

const ENDPOINTS: Readonly<Record<string, Json>> = {
  open: { headers: { authorization: TOKEN, 'x-tenant': 'acme' }, types: ['invoice.*'], metadata: { tier: 'gold' } },
  rotated: { description: 'two secrets', filter: { all: [{ path: 'amount', op: 'gt', value: 5 }] }, channels: ['eu'] },
  paused: { schedule: [5, 300], rate: { per_second: 3, burst: 9 }, timeout_seconds: 7, connect_timeout_seconds: 2 },
  'paused-by-customer': { ordered: true, head_of_line_hours: 12, payload: 'thin', mode: 'test' },
  disabled: { batch: { max_events: 5, max_bytes: 2_048 }, auto_disable_days: 3, max_concurrency: 4 },
  'disabled-by-system': { signature: 'standard-v1a', api_version: '2026-01-01' },
  plain: { signature: 'body-sha256', signature_header: 'x-signature', secret: PLAIN, key_id_in: 'none' },
  'as-svix': { compatibility: { like: 'svix' } },
};
const GATES = ['paused', 'paused-by-customer', 'disabled', 'disabled-by-system'];

/** An environment with customers in every state, and what it wrote. */
async function filled() {
  const old = environment('m'.repeat(64));
  const { call } = old;
  const put = async (app: string, name: string, body: Json): Promise<EndpointId> => {
    const path = { app: `uid:${app}`, ep: `uid:${name}` };
    const made = await call('PUT /v1/apps/{app}/endpoints/{ep}', path, {
      url: `https://${name}.customer.com/in`,
      ...body,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body.id;
  };
  await call(
    'PUT /v1/event-types/{name}',
    { name: 'invoice.paid' },
    { description: 'Paid', schema: { type: 'object' } },
  );
  await call('PUT /v1/event-types/{name}', { name: 'invoice.void' }, { group: 'invoice' });
  const settings = { name: 'Acme', metadata: { plan: 7 }, limits: { endpoints: 90, retention_days: 9 }, format: 'raw' };
  await call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { ...settings, schedule: [60], signature: 'standard' });
  await call('PUT /v1/apps/{app}', { app: 'uid:operations' }, { name: 'Operations' });
  await call('POST /v1/apps', {}, { name: 'Nameless, with no endpoint' });
  const eps: Record<string, EndpointId> = {};
  for (const [name, body] of Object.entries(ENDPOINTS)) eps[name] = await put('acme', name, body);
  await put('operations', 'ops', {});
  const pull = { app: 'uid:operations', ep: 'uid:pulled' };
  const pulled = await call('PUT /v1/apps/{app}/endpoints/{ep}', pull, { kind: 'pull', types: ['a.b'] });
  expect(pulled.status, JSON.stringify(pulled.body)).toBe(201);
  const at = (name: string) => ({ app: 'uid:acme', ep: `uid:${name}` });
  old.pass(HOUR_MS);
  await call('PATCH /v1/apps/{app}/endpoints/{ep}', at('open'), { description: 'changed once' });
  await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', at('rotated'), { grace_seconds: 600_000 });
  await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', at('plain'), { grace_seconds: 600_000 });
  await call('POST /v1/apps/{app}/endpoints/{ep}/pause', at('paused'), { why: 'a holiday' });
  await call('POST /v1/apps/{app}/endpoints/{ep}/disable', at('disabled'), { why: 'never again' });
  const customer = { by: 'customer', why: 'ours', now: old.clock.now() } as const;
  await old.store.update(closeGate(eps['paused-by-customer'] as EndpointId, 'paused', customer));
  await old.store.update({
    ...{ kind: 'update', key: runtimeKey(eps['disabled-by-system'] as EndpointId) },
    set: { gate: 'disabled', gateBy: 'system', gateWhy: '410', gateSince: old.clock.now() },
  });
  for (const body of [
    { url: 'https://told.customer.com/in' },
    { email: 'ops@customer.com' },
    { email: 'new@customer.com' },
  ])
    expect((await call('POST /v1/apps/{app}/contacts', { app: 'uid:acme' }, body)).status).toBe(201);
  // All but the last have clicked.
  const acme = (await call('GET /v1/apps/{app}', { app: 'uid:acme' })).body.id;
  await changeContacts(old.store, acme, old.clock.now(), list =>
    list.map((each, at) => contactWith(each, { askedAt: undefined, ...(at < 2 && { confirmedAt: old.clock.now() }) })),
  );
  await put('acme', 'deleted', {});
  await call('DELETE /v1/apps/{app}/endpoints/{ep}', at('deleted'));
  const identity = await generateX25519Identity();
  const [file, keyFile] = [temporaryFile('customers.json'), temporaryFile('key.txt')];
  writeFileSync(keyFile, `# created: today\n${identity}\n`, { mode: 0o600 });
  const recipient = await identityToRecipient(identity);
  const exported = await old.run(['out', 'export', file, '--secrets', recipient]);
  expect(exported).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 event types, 3 applications, 10 endpoints'),
  });
  const args = ['out', 'import', '--from', 'holdfast', file, '--identity', keyFile];
  return { old, file, keyFile, identity, recipient, eps, exported, args };
}
const empty = (): Environment => environment('n'.repeat(64), START + 2 * HOUR_MS);

/** What the registry says, with secrets opened and without what an environment counts for itself. */
async function customersOf({ items, master }: Environment): Promise<ReadonlyMap<string, Json>> {
  const sealer = aesSealer({ current: master });
  const kept = [...(await items('registry'))].flatMap(([key, item]) => {
    const { endpointVersion: _, changedEndpoint: __, subscribedAt: ___, version: ____, ...rest } = item;
    if (/^[RNCJ]#/.test(key) || item.deletedAt !== undefined || /#deleted$/.test(item.pk)) return [];
    if (key.startsWith('K#')) {
      const contacts = item.contacts.flatMap(({ toldTo, key: sealed, ...each }: Json) => {
        const opened = sealed && Buffer.from(sealer.open(sealed.sealed, each.id as ContactId)).toString('hex');
        return each.confirmedAt === undefined ? [] : [{ ...each, opened, kid: sealed?.kid }];
      });
      return [[key, contacts] as const];
    }
    if (!key.startsWith('S#')) return [[key.startsWith('T#') ? item.sk : key, rest] as const];
    const keys = item.keys.map(({ sealed, ...each }: Json) => {
      const opened = sealer.open(sealed, item.pk.slice(2));
      return { ...each, key: Buffer.from(opened).toString('hex') };
    });
    return [[key, keys] as const];
  });
  const found = new Map<string, Json>(kept);
  // The secrets of what was deleted went with it.
  return found;
}

/** Names of items that are not the same in both. */
async function differences(one: Environment, two: Environment): Promise<readonly string[]> {
  const [was, is] = [await customersOf(one), await customersOf(two)];
  const text = (item: Json): string =>
    JSON.stringify(item, (_, part) =>
      typeof part === 'object' && part !== null && !Array.isArray(part) ? Object.entries(part).sort() : part,
    );
  return [...new Set([...was.keys(), ...is.keys()])].filter(key => text(was.get(key)) !== text(is.get(key)));
}

const gates = async ({ call }: Environment): Promise<Json> => {
  const { body } = await call('GET /v1/apps/{app}/endpoints', { app: 'uid:acme' });
  return Object.fromEntries(body.data.map(({ uid, gate, closed_by, why }: Json) => [uid, { gate, closed_by, why }]));
};

describe('customers in another environment', () => {
  it('are the same, item by item; nothing is sent and nobody is told; a person resumes what was open', async () => {
    const { old, args, file } = await filled();
    const target = empty();
    const dry = await target.run([...args, '--dry-run', '--json']);
    const all = {
      types: { made: 2, there: 0 },
      applications: { made: 3, there: 0 },
      endpoints: { made: 10, there: 0 },
      contacts: { made: 2, there: 0 },
    };
    const unconfirmed = [
      expect.objectContaining({
        what: expect.stringMatching(/^application acme: contact con_/),
        why: 'it never confirmed',
      }),
    ];
    expect(JSON.parse(dry.stdout)).toEqual({ dry_run: true, ...all, closed: 4, left: unconfirmed });
    expect((await target.items('registry')).size).toBe(0);

    const { code, stdout, stderr } = await target.run([...args, '--yes', '--json']);
    expect({ code, told: JSON.parse(stdout) }, stderr).toEqual({
      code: 0,
      told: { dry_run: false, ...all, closed: 4, left: unconfirmed },
    });
    expect(await differences(old, target)).toEqual([]);
    expect((await customersOf(target)).size).toBeGreaterThan(30);

    // Gates: what was closed is as it was, since when nobody knows; the others wait.
    const [was, is] = [await gates(old), await gates(target)];
    for (const name of Object.keys(ENDPOINTS)) {
      const waits = { gate: 'paused', closed_by: 'operator', why: PAUSED_BY_IMPORT };
      expect(is[name], name).toEqual(GATES.includes(name) ? was[name] : waits);
    }
    const { body } = await target.call('GET /v1/apps/{app}/endpoints', { app: 'uid:acme' });
    for (const { uid, closed_at } of body.data)
      expect(closed_at, uid).toBe(GATES.includes(uid) ? null : toIso(target.clock.now()));
    // Nothing was sent, told or queued; nothing is about to be told of what the old one disabled an hour ago.
    const quiet = async (): Promise<Json> => ({ sent: target.sent, outbox: (await target.items('outbox')).size });
    expect([target.jobs, target.wakeUps, await quiet()]).toEqual([[], [], { sent: [], outbox: 0 }]);
    for (const [key, item] of await target.items('registry'))
      if (key.startsWith('R#')) expect([eventsOf(item, target.clock.now()), item.gpk], key).toEqual([[], undefined]);

    const runtimes = [...(await target.items('registry'))].filter(([key]) => key.startsWith('R#'));
    expect(runtimes.filter(([, { pulled }]) => pulled === true)).toHaveLength(1);

    // What is published waits.
    await target.publish('uid:acme', '{"key":"k1","type":"invoice.paid","data":{"amount":1}}');
    await target.settle();
    for (let minute = 0; minute < 5; minute++) await target.minute();
    expect(target.sent).toEqual([]);

    const looked = await target.run(['out', 'import', '--from', 'holdfast', file, '--resume', '--dry-run', '--json']);
    expect(JSON.parse(looked.stdout)).toEqual({ dry_run: true, resumed: 6, others: 4 });
    const resumed = await target.run(['out', 'import', '--from', 'holdfast', file, '--resume', '--yes', '--json']);
    expect(JSON.parse(resumed.stdout)).toEqual({ resumed: 6, others: 4 });
    await target.settle();
    const secretOf = async (name: string): Promise<string> => {
      const path = { app: 'uid:acme', ep: `uid:${name}` };
      return (await old.call('GET /v1/apps/{app}/endpoints/{ep}/secret', path)).body.data[0].secret;
    };
    const sent = target.sent.find(({ url }) => url.includes('open.'));
    expect(sent?.headers).toMatchObject({ authorization: TOKEN, 'x-tenant': 'acme' });
    const now = Date.now;
    Date.now = () => target.clock.now();
    try {
      new Webhook(await secretOf('open')).verify(Buffer.from(sent?.body ?? []).toString(), sent?.headers ?? {});
    } finally {
      Date.now = now;
    }
    expect(new Set(target.sent.map(({ url }) => new URL(url).hostname.split('.')[0]))).toEqual(
      new Set(['open', 'plain', 'as-svix']),
    );
    expect(JSON.parse((await target.run([...args.slice(0, 5), '--resume', '--yes', '--json'])).stdout)).toEqual({
      ...{ resumed: 0, others: 10 },
    });
  });

  it('a second run changes nothing, also after the resume; a loss is seen by the comparison', async () => {
    const { old, args, file, eps } = await filled();
    const target = empty();
    await target.run([...args, '--yes']);
    const first = await target.items('registry');
    target.pass(DAY_MS);
    const again = await target.run([...args, '--yes', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      ...{
        types: { made: 0, there: 2 },
        applications: { made: 0, there: 3 },
        endpoints: { made: 0, there: 10 },
        contacts: { made: 0, there: 3 },
        left: [],
      },
    });
    expect(await target.items('registry')).toEqual(first);
    await target.run(['out', 'import', '--from', 'holdfast', file, '--resume', '--yes']);
    expect((await target.run([...args, '--yes'])).code).toBe(0);
    const ep = eps['plain'] ?? '';
    for (const key of [...first.keys()].filter(it => it.includes(ep))) {
      const [pk = '', sk = ''] = key.split(' ');
      await target.store.delete({ table: 'registry', pk, sk });
    }
    expect((await differences(old, target)).filter(key => key.includes(ep))).toHaveLength(2);
  });

  it('contacts that confirmed stay so, and hear of nothing that was before; who left does not come back', async () => {
    const { old, args } = await filled();
    const target = empty();
    await target.run([...args, '--yes']);
    const mails: Mail[] = [];
    const ports = { ...target.ports, mailer: { send: async (mail: Mail) => void mails.push(mail) } };
    const rules = { name: 'Acme', portalUrl: 'https://api.acme.com/portal' };
    for (let hour = 0; hour < 30; hour++) {
      await tellContacts(ports, rules, target.clock.now() + HOUR_MS);
      target.pass(HOUR_MS);
    }
    expect([mails, target.sent]).toEqual([[], []]);
    // What fails here from now on is told, signed with the secret that it has.
    await target.store.update({
      ...{ kind: 'update', key: runtimeKey((await idOf(target, 'open')) as EndpointId) },
      set: { gate: 'disabled', gateBy: 'system', gateWhy: '410', gateSince: target.clock.now() },
    });
    target.pass(HOUR_MS);
    await tellContacts(ports, rules, target.clock.now() + HOUR_MS);
    expect([mails.map(({ to }) => to), target.sent.map(({ url }) => url)]).toEqual([
      ['ops@customer.com'],
      ['https://told.customer.com/in'],
    ]);

    const list = async (it: Environment): Promise<readonly Json[]> =>
      (await it.call('GET /v1/apps/{app}/contacts', { app: 'uid:acme' })).body.data;
    expect(await list(target)).toEqual((await list(old)).slice(0, 2));
    for (const { id } of await list(target))
      await target.call('DELETE /v1/apps/{app}/contacts/{contact}', { app: 'uid:acme', contact: id });
    expect((await target.run([...args, '--yes'])).code).toBe(0);
    expect(await list(target)).toEqual([]);
  });

  it('contacts stay behind where the environment has none of their kind, or nobody gave their secret', async () => {
    const { args, file } = await filled();
    const contacts = async (it: Environment): Promise<readonly string[]> =>
      [...(await it.items('registry')).keys()].filter(key => key.startsWith('K#'));
    const target = empty();
    const { deployment } = target.gateway;
    const { contacts: _, email: __, ...outbound } = deployment?.config.outbound ?? {};
    const none = { ...deployment, config: { ...deployment?.config, outbound } };
    const { stdout } = await target.run([...args, '--yes'], { deployment: none as never });
    expect(stdout.match(/contact con_\w+: this environment has none of its kind/g)).toHaveLength(3);
    expect(await contacts(target)).toEqual([]);
    const unsealed = empty();
    const brought = await unsealed.run(['out', 'import', '--from', 'holdfast', file, '--new-secrets', '--yes']);
    expect(brought.stdout).toMatch(/contact con_\w+: its secret is not in the file/);
    expect(await contacts(unsealed)).toHaveLength(1);
  });

  it('cut off at any write, done or not, it is finished by the next run', async () => {
    const { old, args } = await filled();
    const writes = 2 + 3 + 10 + 1;
    for (let n = 0; n <= 2 * writes; n++) {
      const [left, late] = [n >> 1, n % 2 === 1];
      const broken = empty();
      broken.cutAfter(left, late);
      expect((await broken.run([...args, '--yes'])).code, `${n}`).toBe(left < writes ? 1 : 0);
      expect([broken.jobs, broken.wakeUps, broken.sent], `${n}`).toEqual([[], [], []]);
      broken.mend();
      expect((await broken.run([...args, '--yes'])).code, `${n}`).toBe(0);
      expect(await differences(old, broken), `stopped at write ${left}`).toEqual([]);
      const open = Object.values(await gates(broken)).filter((each: Json) => each.gate === 'open');
      expect(open, `${n}`).toEqual([]);
    }
  });

  it('names what is there with other content, leaves it, and prints no value', async () => {
    const { args, eps } = await filled();
    const target = empty();
    await target.run([...args, '--yes']);
    const at = (name: string) => ({ app: 'uid:acme', ep: `uid:${name}` });
    await target.call('PATCH /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Other' });
    await target.call('PUT /v1/event-types/{name}', { name: 'invoice.void' }, { group: 'other' });
    await target.call('PATCH /v1/apps/{app}/endpoints/{ep}', at('open'), { headers: { authorization: 'x' } });
    await target.call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', at('paused'), {});
    await target.call('DELETE /v1/apps/{app}/endpoints/{ep}', at('disabled'));
    const before = await target.items('registry');
    const { code, stdout } = await target.run([...args, '--yes']);
    expect(code).toBe(5);
    expect(stdout).toContain('event type invoice.void: it is here, and is other in group');
    expect(stdout).toContain('application acme: it is here, and is other in name');
    expect(stdout).toMatch(/endpoint app_\w+\/open: it is here, and is other in headers/);
    expect(stdout).toMatch(/endpoint app_\w+\/paused: it is here, and is other in its secrets/);
    expect(stdout).toMatch(/endpoint app_\w+\/disabled: it was deleted here/);
    expect(stdout).not.toContain(TOKEN);
    expect(await target.items('registry')).toEqual(before);

    const named = empty();
    await named.call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Another' });
    for (const more of ['--dry-run', '--yes']) {
      const refused = await named.run([...args, more]);
      expect(refused.stdout).toMatch(/application acme: app_\w+ here has its uid; its endpoints are left out, too/);
    }
    expect(await named.store.get(runtimeKey(eps['open'] as EndpointId), 'consistent')).toBeUndefined();
  });

  it('without their secrets they come only where somebody says so, and what is missing is named', async () => {
    const { old, file } = await filled();
    const target = empty();
    const args = ['out', 'import', '--from', 'holdfast', file];
    const refused = await target.run([...args, '--yes']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/Neither --identity nor --new-secrets\n +allowed: .*\n +fix: /);
    expect((await target.items('registry')).size).toBe(0);
    const { code, stdout } = await target.run([...args, '--new-secrets', '--yes']);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/header authorization: its value is not in the file/);
    const open = Object.keys(ENDPOINTS).length + 1;
    expect((await differences(old, target)).filter(key => key.startsWith('S#'))).toHaveLength(open);
    expect((await differences(old, target)).filter(key => !key.startsWith('S#'))).toHaveLength(2);
    expect((await target.run([...args, '--new-secrets', '--yes'])).code).toBe(0);
  });

  it.each([
    ['no event_types', (all: Json) => ({ applications: all.applications })],
    ['no id \\(app_', (all: Json) => ({ ...all, applications: [{ ...all.applications[0], id: 'x' }] })],
    ['url: allowed', (all: Json) => spoilt(all, { url: 7 })],
    ['signature_header: allowed', (all: Json) => spoilt(all, CLASH)],
    ['no id \\(ep_', (all: Json) => spoilt(all, { id: 'ep_1' })],
    ['no created_at, updated_at or version', (all: Json) => spoilt(all, { version: 'x' })],
    ['no created_at', (all: Json) => spoilt(all, { created_at: 'once' })],
    ['no id \\(con_', (all: Json) => told(all, { id: 'con_../x' })],
    ['email: allowed', (all: Json) => told(all, { email: 'nobody' })],
    ['neither email nor url, or both', (all: Json) => told(all, { email: 'a@b.example', url: 'https://b.example' })],
    ['no list of up to 5 contacts', (all: Json) => told(all, {}, 2)],
  ])('a file that is wrong (%s) writes nothing', async (says, spoil) => {
    const { args, file } = await filled();
    writeFileSync(file, JSON.stringify(spoil(JSON.parse(readFileSync(file, 'utf8')))));
    const target = empty();
    const { code, stderr } = await target.run([...args, '--yes']);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${says}.*\n +allowed: .*\n +fix: `));
    expect((await target.items('registry')).size).toBe(0);
  });
});

/** Two signatures in one header. */
const CLASH = { signature: 't-v1', signature_header: 'x-convoy-signature', compatibility: { like: 'convoy' } };
const spoilt = (all: Json, with_: Json): Json => ({
  ...all,
  applications: all.applications.map((app: Json) => ({
    ...app,
    endpoints: app.endpoints.map((each: Json) => ({ ...each, ...with_ })),
  })),
});

/** Contacts so, `times` each. */
const told = (all: Json, with_: Json, times = 1): Json => ({
  ...all,
  applications: all.applications.map((app: Json) => ({
    ...app,
    contacts: Array.from({ length: times }, () => app.contacts.map((each: Json) => ({ ...each, ...with_ }))).flat(),
  })),
});

const idOf = async ({ call }: Environment, name: string): Promise<unknown> =>
  (await call('GET /v1/apps/{app}/endpoints/{ep}', { app: 'uid:acme', ep: `uid:${name}` })).body.id;

/** With another last letter. */
const mistyped = (key: string): string =>
  key.slice(0, -1) + (/q$/i.test(key) ? 'P' : 'Q')[key === key.toUpperCase() ? 'toUpperCase' : 'toLowerCase']();

describe('secrets', () => {
  it('are written for the key alone, in a file of their owner, and who took them is noted before', async () => {
    const { old, file, identity, recipient, exported } = await filled();
    const sealed = readFileSync(`${file}.secrets.age`, 'utf8');
    expect(statSync(`${file}.secrets.age`).mode & 0o777).toBe(0o600);
    expect(sealed).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    const everything = readFileSync(file, 'utf8') + sealed + JSON.stringify(exported);
    for (const secret of [TOKEN, PLAIN, identity, 'whsec_', 'whsk_']) expect(everything).not.toContain(secret);
    await old.cli.world.clock.advanceBy(1_000);
    const names = await old.cli.gateway.control.list('secrets-taken#');
    expect(names).toHaveLength(1);
    expect(JSON.parse((await old.cli.gateway.control.read(names[0] ?? ''))?.value ?? '')).toEqual({
      ...{ at: old.clock.now(), by: 'ada', of: 'endpoints', count: 11, to: recipient },
    });
    const doctor = await old.run(['doctor']);
    expect(doctor.stdout).toMatch(new RegExp(`ada exported those of 11 endpoints .*for ${recipient}`));

    const unnoted = temporaryFile('unnoted.json');
    const control = { ...old.cli.gateway.control, write: () => Promise.reject(new Error('away')) };
    expect(
      (await old.run(['out', 'export', unnoted, '--secrets', recipient], { control: control as never })).code,
    ).toBe(1);
    expect([existsSync(unnoted), existsSync(`${unnoted}.secrets.age`)]).toEqual([false, false]);
  });

  it('are not opened with another key, a public one, none, or a file that was cut', async () => {
    const { args, file, keyFile, recipient, identity } = await filled();
    const target = empty();
    const refused = async (says: RegExp): Promise<void> => {
      const { code, stdout, stderr } = await target.run([...args, '--yes']);
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(says);
      expect(stderr).toMatch(/allowed: .*\n +fix: /);
      expect(stderr).not.toContain(identity.slice(20));
    };
    writeFileSync(keyFile, await generateX25519Identity());
    await refused(/no key in the file opens the secrets/);
    for (const wrong of [recipient, identity.slice(0, -1), mistyped(identity), 'hello']) {
      writeFileSync(keyFile, wrong);
      await refused(/holds something else than private keys/);
    }
    writeFileSync(keyFile, '# nothing\n');
    await refused(/no key in the file opens/);
    writeFileSync(keyFile, identity);
    const sealed = readFileSync(`${file}.secrets.age`, 'utf8');
    writeFileSync(`${file}.secrets.age`, sealed.slice(0, sealed.length / 2));
    await refused(/no key in the file opens/);
    expect((await target.items('registry')).size).toBe(0);
  });

  it('are refused without a key, for a private one, which is never repeated, and for one that is not whole', async () => {
    const { old, identity, recipient } = await filled();
    for (const command of [['out', 'export'], ['export']])
      for (const [key, says] of [
        [undefined, 'without a key'],
        [identity, 'this is a private key'],
        [identity.toLowerCase(), 'this is a private key'],
        [mistyped(recipient), `${recipient.slice(0, 12)}… is no key, or not whole`],
        ['my passphrase', 'a text of 13 characters is no key'],
      ] as const) {
        const file = temporaryFile('x.json');
        const { code, stdout, stderr } = await old.run([...command, file, '--secrets', ...(key ? [key] : [])]);
        expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
        expect(stderr).toContain(says);
        expect(stderr).toMatch(/allowed: a public key of age \(age1…\)\n +fix: /);
        expect(stderr.toLowerCase()).not.toContain(identity.slice(20, 40).toLowerCase());
        expect(stderr).not.toContain('passphrase');
        expect([existsSync(file), existsSync(`${file}.secrets.age`)]).toEqual([false, false]);
      }
  });

  it('whoever may not read them gets one sentence, and no file', async () => {
    const { old, recipient } = await filled();
    const denied = Object.assign(new Error('ada may not'), { name: 'AccessDeniedException' });
    const secrets = { read: () => Promise.reject(denied), write: () => Promise.reject(denied) };
    for (const [command, right] of [
      [['out', 'export'], 'dynamodb:BatchGetItem'],
      [['export'], 'secretsmanager:DescribeSecret'],
    ] as const) {
      const file = temporaryFile('x.json');
      const { code, stderr } = await old.run([...command, file, '--secrets', recipient], { secrets });
      expect(code).toBe(4);
      expect(stderr).toContain('You may not read secrets of local: that needs ');
      expect(stderr).toContain(right);
      expect([existsSync(file), existsSync(`${file}.secrets.age`)]).toEqual([false, false]);
    }
  });

  it('are not left where the file that they belong to cannot be written', async () => {
    const { old, recipient } = await filled();
    for (const command of [['out', 'export'], ['export']]) {
      const file = temporaryFile('x.json');
      mkdirSync(`${file}.part`);
      const { code, stderr } = await old.run([...command, file, '--secrets', recipient]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`Cannot write ${file}.part`) });
      expect([existsSync(file), existsSync(`${file}.secrets.age`)], command.join(' ')).toEqual([false, false]);
    }
  });

  it('of sources move with their events: set where there is none, left where there is another', async () => {
    const { old, recipient, identity } = await filled();
    const [file, keyFile] = [temporaryFile('events.ndjson'), temporaryFile('key.txt')];
    writeFileSync(keyFile, identity, { mode: 0o600 });
    old.cli.world.start();
    await old.cli.happen(['good-1']);
    old.cli.world.stop();
    const clock = old.cli.world.clock;
    old.cli.vault.stored.set('holdfast/local/pay', {
      kind: 'set',
      text: '{"current":"canary-1","previous":"canary-2"}',
    });
    const exported = await old.cli.run(['export', file, '--secrets', recipient], { realTime: true });
    expect(exported.code, exported.stderr).toBe(0);
    expect(
      readFileSync(file, 'utf8') + readFileSync(`${file}.secrets.age`, 'utf8') + JSON.stringify(exported),
    ).not.toContain('canary');
    expect(statSync(`${file}.secrets.age`).mode & 0o777).toBe(0o600);

    const target = new CliWorld();
    void target.world.clock.advanceBy(clock.now() - target.world.clock.now());
    target.vault.stored.set('holdfast/local/pay', { kind: 'empty' });
    target.vault.stored.set('holdfast/local/shop', { kind: 'set', text: 'another' });
    const args = ['import', file, '--identity', keyFile];
    const dry = await target.json([...args, '--dry-run'], { realTime: true });
    expect(dry.value).toMatchObject({ secrets: { set: ['pay'], there: [], left: ['shop'] } });
    expect(target.vault.stored.get('holdfast/local/pay')?.kind).toBe('empty');
    const brought = await target.run([...args, '--yes'], { realTime: true });
    expect(brought).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('another secret here or no place for one: shop'),
    });
    expect(target.vault.stored.get('holdfast/local/pay')?.text).toContain('canary-1');
    expect(target.vault.stored.get('holdfast/local/shop')?.text).toBe('another');
    expect((await target.json([...args, '--yes'], { realTime: true })).value).toMatchObject({
      secrets: { set: [], there: ['pay'], left: ['shop'] },
    });
    expect(JSON.stringify(brought)).not.toContain('canary');
  });
});
