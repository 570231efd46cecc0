/**
 * `holdfast out export-messages` in one environment and `holdfast out import-messages` in another, over the real API and engine:
 * the same messages, bodies and deliveries, item by item; nothing is sent before a person resumes, and then what was owed once;
 * a run that was cut off anywhere is finished by the next; what does not fit changes nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { messageKey } from '#core/outbound/protocol/keys.ts';
import { reconcileMessages, spanAt } from '#core/outbound/tend/reconcile-messages.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { Json } from '#test/kit/producer-world.ts';
import { temporaryFile } from './cli-world.ts';
import { type Environment, environment } from './sending-environment.ts';

const START = Date.parse('2026-11-22T08:00:00Z');
const AT = (ep: string) => ({ app: 'uid:acme', ep: `uid:${ep}` });
/** Too large for an item, however it is deflated. */
const LARGE = randomBytes(70_000);

/** An environment with deliveries in every state. `customers`, `messages`: what it wrote. */
async function filled() {
  const old = environment('m'.repeat(64));
  const { call } = old;
  await call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Acme', limits: { retention_days: 20 } });
  await call('PUT /v1/apps/{app}', { app: 'uid:other' }, { name: 'Other' });
  await call('PUT /v1/apps/{app}', { app: 'uid:broadcast' }, { name: 'All' });
  const types: Record<string, Json> = {
    good: { types: ['a.*', 'to.all'] },
    waits: { types: ['a.one'] },
    down: { types: ['b.*'] },
    ordered: { types: ['o.*'], ordered: true },
    gone: { types: ['a.one'] },
  };
  for (const [ep, body] of Object.entries(types))
    await call('PUT /v1/apps/{app}/endpoints/{ep}', AT(ep), { url: `https://${ep}.customer.com/in`, ...body });
  const pulled = await call('PUT /v1/apps/{app}/endpoints/{ep}', AT('pulled'), { kind: 'pull', types: ['a.one'] });
  expect(pulled.status).toBe(201);
  const elsewhere = { app: 'uid:other', ep: 'uid:all' };
  await call('PUT /v1/apps/{app}/endpoints/{ep}', elsewhere, { url: 'https://all.customer.com/in', types: ['to.all'] });
  old.answerBy(({ url }) => (/down|ordered/.test(url) ? [400, 'no'] : [200, 'thanks']));
  const published: Record<string, string> = {};
  const publish = async (key: string, type: string, more: Json = { data: { key } }): Promise<void> => {
    const made = await old.publish('uid:acme', JSON.stringify({ key, type, ...more }));
    expect(made.status, JSON.stringify(made.body)).toBe(202);
    published[key] = made.body.id;
  };
  await call('POST /v1/apps/{app}/endpoints/{ep}/pause', AT('waits'), { why: 'a holiday' });
  await publish('one', 'a.one');
  await publish('large', 'a.two', { raw: LARGE.toString('base64'), content_type: 'application/octet-stream' });
  await publish('retrying', 'b.retrying');
  await publish('dead', 'b.dead', { data: 1, max_attempts: 1 });
  await publish('replayed', 'b.replayed', { data: 2, max_attempts: 1 });
  await publish('head', 'o.head');
  await publish('behind', 'o.behind');
  await publish('erased', 'a.two');
  const all = await old.publish(undefined, '{"key":"all","type":"to.all","data":{}}');
  expect(all.status, JSON.stringify(all.body)).toBe(202);
  await old.settle();
  // The walk over all applications is a job of its own.
  await old.settle();
  await call('DELETE /v1/apps/{app}/messages/{msg}/body', { app: 'uid:acme', msg: published['erased'] ?? '' });
  const copy = { ...AT('good'), msg: published['one'] ?? '' };
  const again = { request_id: 'r1', as_new: true };
  const copied = await call('POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay', copy, again);
  expect(copied.status, JSON.stringify(copied.body)).toBeLessThan(300);
  await old.settle();
  await call('DELETE /v1/apps/{app}/endpoints/{ep}', AT('gone'));
  const customers = temporaryFile('customers.json');
  expect((await old.run(['out', 'export', customers])).code).toBe(0);
  await old.settle();
  // The old one stops sending, and a person asks for a dead one once more.
  const messages = temporaryFile('messages.ndjson');
  await call('POST /v1/apps/{app}/endpoints/{ep}/pause', AT('down'), { why: 'soon' });
  const replay = { ...AT('down'), msg: published['replayed'] ?? '' };
  const asked = await call('POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay', replay, { request_id: 'r2' });
  expect(asked.status, JSON.stringify(asked.body)).toBeLessThan(300);
  const exported = await old.run(['out', 'export-messages', messages, '--stop', '--yes', '--json']);
  expect(exported.code, exported.stderr).toBe(0);
  return { old, customers, messages, published, exported };
}

let texts: Promise<{ readonly customers: string; readonly messages: string }> | undefined;
/** Its two files, made once for all that only read them. */
function files() {
  texts ??= filled().then(({ customers, messages }) => ({
    customers: readFileSync(customers, 'utf8'),
    messages: readFileSync(messages, 'utf8'),
  }));
  return texts;
}

/** With the customers, and no message. */
async function empty(customers: string, at = START + 2 * MINUTE_MS): Promise<Environment> {
  const target = environment('n'.repeat(64), at);
  const args = ['out', 'import', '--from', 'holdfast', customers, '--new-secrets', '--yes'];
  const { code, stderr } = await target.run(args);
  expect(code, stderr).toBe(0);
  return target;
}
const bring = (file: string) => ['out', 'import-messages', file, '--yes', '--json'];

type Stored = ReadonlyMap<string, string>;
/** What is stored of messages and deliveries, by its name: without places that depend on the time of the import. */
async function storedIn({ items, ports }: Environment): Promise<Stored> {
  const found = new Map<string, string>();
  for (const [key, item] of await items('outbox')) {
    // Attempts, notes of replays and of rows, and batches stay behind.
    if (/^[TGN]#/.test(key)) continue;
    const { expiresAt: _, ref, ...kept } = item;
    const { n, gen, msg } = kept;
    const name = key.startsWith('Q#')
      ? `${item.pk} ${key.includes('#p#') ? 'p' : item.sk.slice(0, 20)} ${msg} ${gen} ${n}`
      : key;
    const body = ref === undefined ? kept.body : await ports.blobs.get(ref);
    const { sk: __, ...rest } = kept;
    const all = { ...rest, ...(body && { body: Buffer.from(body).toString('hex') }) };
    found.set(name, JSON.stringify(Object.entries(all).sort()));
  }
  return found;
}

/** Names of items that are not the same in both; of deleted endpoints none move. `was`: what is stored in the first. */
async function differences(one: Environment, two: Environment, was?: Stored): Promise<readonly string[]> {
  const gone = [...(await one.items('registry')).values()].filter(({ deletedAt }) => deletedAt !== undefined);
  const is = await storedIn(two);
  was ??= await storedIn(one);
  return [...new Set([...was.keys(), ...is.keys()])].filter(
    key => was.get(key) !== is.get(key) && !gone.some(({ id }) => key.includes(id)),
  );
}

const statesOf = async ({ call }: Environment, msg: string | undefined): Promise<Json> => {
  const { body } = await call('GET /v1/apps/{app}/messages/{msg}/deliveries', { app: 'uid:acme', msg: msg ?? '' });
  return body.data.map(({ status, held }: Json) => `${status}${held ? ' held' : ''}`).sort();
};
const everyone = (environment: Environment): Promise<unknown> =>
  environment.run(['out', 'resume', 'uid:acme', 'uid:waits', '--why', 'moved']);

describe('messages in another environment', () => {
  it('are the same, item by item; nothing is sent; what was owed is sent once a person resumes', async () => {
    const { old, customers, messages, published, exported } = await filled();
    expect(JSON.parse(exported.stdout)).toMatchObject({ messages: 10, without_body: 1, paused: 4 });
    expect(statSync(messages).mode & 0o777).toBe(0o600);
    const target = await empty(customers, old.clock.now());
    const dry = JSON.parse((await target.run(['out', 'import-messages', messages, '--dry-run', '--json'])).stdout);
    expect((await target.items('outbox')).size).toBe(0);
    const brought = await target.run(bring(messages));
    expect(brought.code, brought.stderr + brought.stdout).toBe(0);
    const counts = JSON.parse(brought.stdout);
    expect(counts).toMatchObject({
      ...{ messages: 10, made: 10, there: 0, expired: 0, without_body: 1, left: [] },
      deliveries: { there: 0, ended: 0, waiting: 6 },
    });
    expect({ ...dry, dry_run: false }).toEqual(counts);
    expect(await differences(old, target)).toEqual([]);
    expect((await storedIn(target)).size).toBeGreaterThan(25);

    const [one, two] = [await statesOf(old, published['one']), await statesOf(target, published['one'])];
    // The endpoint that was deleted had it, too.
    expect(['delivered', ...two]).toEqual(one);
    expect(two).toEqual(['delivered', 'pending held', 'pending held']);
    const shown = async (it: Environment, msg: string | undefined): Promise<Json> =>
      (await it.call('GET /v1/apps/{app}/messages/{msg}/body', { app: 'uid:acme', msg: msg ?? '' })).body;
    expect(Buffer.from((await shown(target, published['large'])).base64, 'base64')).toEqual(LARGE);

    // Hours pass, a pass of the repairs looks at all of it, and the producer repeats: nothing is sent.
    await target.publish('uid:acme', '{"key":"one","type":"a.one","data":{"key":"one"}}');
    for (let hour = 0; hour < 3; hour++) {
      target.pass(HOUR_MS);
      await target.minute();
    }
    const ports = { ...target.ports, jobs: { send: async (list: Json) => void target.jobs.push(...list) } };
    const repairs = { ...ports, endpoints: endpointsOf(target.store) };
    const span = { span: { ...spanAt(target.clock.now(), START), from: START - HOUR_MS }, place: undefined };
    const pass = await reconcileMessages(repairs as never, { ...span, until: target.clock.now() + HOUR_MS });
    expect(pass).toEqual({ place: undefined, lostSince: undefined });
    await target.settle();
    expect(target.sent).toEqual([]);

    await target.run(['out', 'import', '--from', 'holdfast', customers, '--resume', '--yes']);
    await everyone(target);
    for (let minute = 0; minute < 30; minute++) await target.minute();
    const ids = target.sent.map(
      ({ headers, url }) => `${new URL(url).hostname.split('.')[0]} ${headers['webhook-id']}`,
    );
    const owed = [
      ...['retrying', 'replayed'].map(key => `down ${published[key]}`),
      ...['head', 'behind'].map(key => `ordered ${published[key]}`),
      `waits ${published['one']}`,
    ];
    expect(ids.toSorted()).toEqual(owed.toSorted());
    expect(await statesOf(target, published['one'])).toEqual(['delivered', 'delivered', 'pending held']);
  });

  it('what ended since the first import ends here, too; what was replayed since waits', async () => {
    const { old, customers, messages, published } = await filled();
    const target = await empty(customers);
    await target.run(bring(messages));
    old.answerBy(() => [200, 'thanks']);
    for (const ep of ['down', 'ordered', 'waits'])
      await old.call('POST /v1/apps/{app}/endpoints/{ep}/resume', AT(ep), { why: 'not yet' });
    for (let minute = 0; minute < 30; minute++) await old.minute();
    await old.call('POST /v1/apps/{app}/endpoints/{ep}/pause', AT('down'), { why: 'now' });
    const replay = { ...AT('down'), msg: published['dead'] ?? '' };
    await old.call('POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay', replay, { request_id: 'r3' });
    const last = temporaryFile('last.ndjson');
    await old.run(['out', 'export-messages', last, '--stop', '--yes']);
    const { stdout } = await target.run(bring(last));
    expect(JSON.parse(stdout)).toMatchObject({
      made: 0,
      there: 10,
      left: [],
      deliveries: { made: 1, ended: 5, waiting: 1 },
    });
    const records = (each: string): boolean => !each.startsWith('Q#');
    expect((await differences(old, target)).filter(records)).toEqual([]);
    await target.run(['out', 'import', '--from', 'holdfast', customers, '--resume', '--yes']);
    for (let minute = 0; minute < 30; minute++) await target.minute();
    expect(target.sent.map(({ headers }) => headers['webhook-id'])).toEqual([published['dead']]);
  });

  it('a second run changes nothing, also after the resume', async () => {
    const { customers, messages } = await filled();
    const target = await empty(customers);
    await target.run(bring(messages));
    const first = await target.items('outbox');
    target.pass(HOUR_MS);
    const again = JSON.parse((await target.run(bring(messages))).stdout);
    expect(again).toMatchObject({ made: 0, there: 10, left: [], deliveries: { made: 0, ended: 0, waiting: 0 } });
    expect(await target.items('outbox')).toEqual(first);
    await target.run(['out', 'import', '--from', 'holdfast', customers, '--resume', '--yes']);
    for (let minute = 0; minute < 30; minute++) await target.minute();
    const [sent, stored] = [target.sent.length, await target.items('outbox')];
    expect((await target.run(bring(messages))).code).toBe(0);
    for (let minute = 0; minute < 5; minute++) await target.minute();
    expect([target.sent.length, await target.items('outbox')]).toEqual([sent, stored]);
  });

  it.each(['small', 'large'])(
    'an original that was erased here since (%s) keeps its copy without a body',
    async size => {
      const { customers, messages, published } = await filled();
      const lines = readFileSync(messages, 'utf8').trimEnd().split('\n');
      const copy = lines.map(line => JSON.parse(line)).find(({ record }) => record.copyOf !== undefined);
      const original = published['one'] ?? '';
      expect(copy.record.copyOf).toBe(original);
      if (size === 'large') {
        const body_sha256 = createHash('sha256').update(LARGE).digest('hex');
        const { body: _, ...kept } = copy;
        const large = { ...kept, body_base64: LARGE.toString('base64'), body_sha256 };
        lines.splice(lines.indexOf(JSON.stringify(copy)), 1);
        lines.push(JSON.stringify({ ...large, record: { ...copy.record, size: LARGE.length } }));
      }
      const [first, all] = [temporaryFile('first.ndjson'), temporaryFile('all.ndjson')];
      writeFileSync(first, lines.filter(line => JSON.parse(line).id === original).join('\n'));
      writeFileSync(all, lines.join('\n'));
      const target = await empty(customers);
      await target.run(bring(first));
      const place = { app: 'uid:acme', msg: original };
      expect((await target.call('DELETE /v1/apps/{app}/messages/{msg}/body', place)).status).toBeLessThan(300);
      const { code, stderr } = await target.run(bring(all));
      expect(code, stderr).toBe(0);
      const stored = await target.store.get(messageKey(copy.id), 'consistent');
      const erased = await target.store.get(messageKey(original as MessageId), 'consistent');
      expect(erased?.bodyRemovedAt).toBeGreaterThan(0);
      expect(stored).toMatchObject({ copyOf: original, bodyRemovedAt: erased?.bodyRemovedAt });
      expect([stored?.body, stored?.ref]).toEqual([undefined, undefined]);
      // Empty objects are not listed.
      expect((await target.ports.blobs.list(`outbound/${copy.record.app}/${copy.id}/`)).keys).toEqual([]);
    },
  );

  it('a copy whose original is busy is written with it, or the import says so', async () => {
    const { customers, messages, published } = await filled();
    const target = await empty(customers);
    const store = await target.gateway.outbound?.();
    if (store === undefined) throw new Error('no store');
    const busy = (times: number): ItemStore => {
      let left = times;
      const transact: ItemStore['transact'] = async (writes, token) =>
        writes.length === 3 && writes[2]?.kind === 'check' && left-- > 0
          ? { kind: 'conflict' }
          : store.transact(writes, token);
      return Object.assign(Object.create(store) as ItemStore, { transact });
    };
    const always = await target.run(bring(messages), { outbound: () => Promise.resolve(busy(Infinity)) });
    expect(always).toMatchObject({ code: 1, stderr: expect.stringContaining('import again') });
    const before = [...(await target.items('outbox')).values()].filter(({ copyOf }) => copyOf !== undefined);
    expect(before).toEqual([]);
    const once = await target.run(bring(messages), { outbound: () => Promise.resolve(busy(1)) });
    expect(once.code, once.stderr).toBe(0);
    const place = { app: 'uid:acme', msg: published['one'] ?? '' };
    await target.call('DELETE /v1/apps/{app}/messages/{msg}/body', place);
    const [copy] = [...(await target.items('outbox')).values()].filter(({ copyOf }) => copyOf !== undefined);
    expect(copy).toMatchObject({ copyOf: place.msg, bodyRemovedAt: expect.any(Number) });
  });

  it('an application that is being erased is left alone: neither paused nor exported', async () => {
    const old = environment('m'.repeat(64));
    const endpoint = { url: 'https://good.customer.com/in' };
    for (const app of ['uid:acme', 'uid:leaving']) {
      await old.call('PUT /v1/apps/{app}', { app }, { name: 'A customer' });
      await old.call('PUT /v1/apps/{app}/endpoints/{ep}', { app, ep: 'uid:all' }, endpoint);
      await old.publish(app, '{"key":"one","type":"a.one","data":1}');
    }
    await old.settle();
    expect((await old.run(['out', 'apps', 'erase', 'uid:leaving', '--yes'])).code).toBe(0);
    const file = temporaryFile('messages.ndjson');
    const { code, stdout, stderr } = await old.run(['out', 'export-messages', file, '--stop', '--yes', '--json']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ messages: 1, paused: 1 });
    const acts = await old.call('GET /v1/apps/{app}/endpoints/{ep}/health', { app: 'uid:acme', ep: 'uid:all' });
    expect(acts.body).toMatchObject({ gate: 'paused' });
    expect(JSON.stringify(acts.body)).toContain('ada: moved to another environment');
  });

  it('cut off at any write, done or not, it is finished by the next run', async () => {
    const { old, customers, messages } = await filled();
    const was = await storedIn(old);
    let writes = 0;
    for (let n = 0; ; n++) {
      const [left, late] = [n >> 1, n % 2 === 1];
      const broken = await empty(customers, old.clock.now());
      broken.cutAfter(left, late);
      const { code } = await broken.run(bring(messages));
      broken.mend();
      expect([broken.jobs, broken.wakeUps, broken.sent], `${n}`).toEqual([[], [], []]);
      expect((await broken.run(bring(messages))).code, `${n}`).toBe(0);
      expect(await differences(old, broken, was), `stopped at write ${left}`).toEqual([]);
      if (code === 0) break;
      writes = left + 1;
    }
    expect(writes).toBeGreaterThan(20);
  });

  it('names what is here and is another, and what would be sent at once, and leaves both', async () => {
    const { customers, messages, published } = await filled();
    const target = await empty(customers);
    // Its producer had no answer, and publishes it here.
    await target.publish('uid:acme', '{"key":"one","type":"a.one","data":{"key":"one"}}');
    await target.call('POST /v1/apps/{app}/endpoints/{ep}/resume', AT('ordered'), { why: 'too early' });
    const before = await target.call('GET /v1/apps/{app}/messages/{msg}', {
      app: 'uid:acme',
      msg: published['one'] ?? '',
    });
    for (const more of ['--dry-run', '--yes']) {
      const { code, stdout } = await target.run(['out', 'import-messages', messages, more]);
      expect(code).toBe(more === '--yes' ? 5 : 0);
      expect(stdout).toMatch(/messages of acme, e\.g\. msg_\w+ \(1\): others are here under their ids/);
      expect(stdout).toMatch(/deliveries to app_\w+\/ep_\w+ that wait \(2\): the endpoint is open here\n +out pause/);
    }
    const after = await target.call('GET /v1/apps/{app}/messages/{msg}', {
      app: 'uid:acme',
      msg: published['one'] ?? '',
    });
    expect(after).toEqual(before);
    for (let minute = 0; minute < 5; minute++) await target.minute();
    expect(target.sent).toEqual([]);

    const strangers = environment('n'.repeat(64), START);
    const { code, stdout } = await strangers.run(['out', 'import-messages', messages, '--yes']);
    expect({ code, told: stdout }).toMatchObject({ code: 5, told: expect.stringContaining('import customers first') });
    expect((await strangers.items('outbox')).size).toBe(0);
  });

  it('leaves out what another customer’s endpoint would get, and what is too old', async () => {
    const { old, customers, messages } = await filled();
    const all = (await old.items('registry')).values();
    const other = [...all].find(({ uid }) => uid === 'all');
    const lines = readFileSync(messages, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    for (const each of lines.filter(({ type }) => type === 'b.dead'))
      each.deliveries = [
        { ...each.deliveries[0], record: undefined, row: 'live', endpoint: other.id, application: other.app },
      ];
    writeFileSync(messages, lines.map(line => JSON.stringify(line)).join('\n'));
    const target = await empty(customers);
    const { stdout } = await target.run(['out', 'import-messages', messages, '--yes']);
    expect(stdout).toMatch(/deliveries of app_\w+ to app_\w+ \(1\): the endpoint is another customer’s/);
    expect([...(await target.items('outbox')).keys()].filter(key => key.startsWith(`Q#${other.id}`))).toEqual([]);

    const late = await empty(customers, START + 21 * 24 * HOUR_MS);
    expect(JSON.parse((await late.run(bring(messages))).stdout)).toMatchObject({ expired: 9, made: 1 });
  });

  it.each<[string, (line: Json) => unknown]>([
    ['no JSON object', () => 'x'],
    ['record: allowed', ({ record: _, ...line }) => line],
    ['record: id: allowed', line => ({ ...line, record: { ...line.record, id: 'msg_../../../etc/passwd' } })],
    ['record: app: allowed', line => ({ ...line, record: { ...line.record, app: 'app_../x' } })],
    ['another message', line => ({ ...line, id: 'msg_4z6' })],
    ['a later day', line => ({ ...line, record: { ...line.record, createdAt: START + 48 * HOUR_MS } })],
    ['record: createdAt: allowed', line => ({ ...line, record: { ...line.record, createdAt: 5 } })],
    ['record: size: allowed', line => ({ ...line, record: { ...line.record, size: 300_000 } })],
    ['changed since', line => ({ ...line, body: `${line.body} ` })],
    ['another body', line => ({ ...line, record: { ...line.record, size: 1 } })],
    ['no deliveries', ({ deliveries: _, ...line }) => line],
    ['an endpoint of msg_', line => spoilt(line, { endpoint: '../x' })],
    ['record says', line => spoilt(line, { application: 'app_1' })],
    ['it ended, with a row', line => spoilt(line, { row: 'live' })],
    ['row: allowed', line => spoilt(line, { row: 'soon' })],
    ['it waits, without a row', line => spoilt(line, { record: undefined })],
    ['status: allowed', line => spoilt(line, { record: { ...line.deliveries[0].record, status: 'sent' } })],
    [
      'exchange: allowed: base64',
      line => spoilt(line, { record: { ...line.deliveries[0].record, exchange: 'AAAAA' } }),
    ],
    [
      'exchange: allowed: base64',
      line => spoilt(line, { record: { ...line.deliveries[0].record, exchange: 'AAA==' } }),
    ],
    ['unknown', line => ({ ...line, record: { ...line.record, gsk: 'x' } })],
    ['twice', line => ({ ...line, deliveries: [line.deliveries[0], line.deliveries[0]] })],
    ['a second time', line => `${JSON.stringify(line)}\n${JSON.stringify(line)}`],
  ])('a file with a line that is wrong (%s) writes nothing', async (says, spoil) => {
    const texts = await files();
    const customers = temporaryFile('customers.json');
    writeFileSync(customers, texts.customers);
    const lines = texts.messages.trimEnd().split('\n');
    const [first = '', ...rest] = lines.toSorted(
      (a, b) => Number(b.includes('"b.dead"')) - Number(a.includes('"b.dead"')),
    );
    const wrong = spoil(JSON.parse(first));
    const file = temporaryFile('wrong.ndjson');
    writeFileSync(file, [...rest, typeof wrong === 'string' ? wrong : JSON.stringify(wrong)].join('\n'));
    const target = await empty(customers);
    const { code, stdout, stderr } = await target.run(['out', 'import-messages', file, '--yes']);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says === 'unknown' ? 'gsk' : says);
    expect(stderr).toMatch(/allowed: .*\n +fix: /);
    expect((await target.items('outbox')).size).toBe(0);
  });
});

const spoilt = (line: Json, with_: Json): Json => ({
  ...line,
  deliveries: line.deliveries.map((each: Json) => ({ ...each, ...with_ })),
});
