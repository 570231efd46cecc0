/**
 * Every handler, called with the rules that its own module makes: two sources beside each other, and everything on that an
 * environment may have. What is wrong here is wrong in each deployed function, and in no rule.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineGateway } from 'holdfast';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { DependencyError } from '#core/errors.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { HandlersInMemory } from '#test/kit/handlers-in-memory.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
type Json = any;
const HOST = 'hooks.example.com';
const PAGES = 'arn:aws:sns:eu-central-1:123456789012:new-deaths';
const SLACK = 'arn:aws:sns:eu-central-1:123456789012:slack';
const SECRETS = { stripe: 'whsec_of_stripe', github: 'a secret of github', 'holdfast-probe': 'p'.repeat(64) };

const config = resolveConfig(
  defineGateway({
    sources: {
      stripe: {
        ...{ provider: 'stripe', searchable: { invoice: '/data/object/id' }, schemaDrift: 'notice' },
        reconcile: { types: ['invoice.*'] },
      },
      github: { provider: 'github', reconcile: { hooks: ['repos/acme/shop/hooks/7'] } },
    },
    environments: {
      test: {
        ...{ region: 'eu-central-1', probe: true, publicUrl: `https://${HOST}`, logLevel: 'debug' },
        otlp: { endpoint: 'https://otlp.example.com:4318' },
        outbound: { portal: { name: 'Acme' }, contacts: true, attemptLog: 'all' },
        routes: { github: { 'issues.*': ['outbound:acme'] } },
      } as never,
    },
  }),
  'test',
  PROVIDERS,
);

let aws: HandlersInMemory;
beforeAll(() => {
  aws = new HandlersInMemory(config, {
    ...{ PAGE_TOPIC: PAGES, PROBE_URL: `https://${HOST}/webhooks/holdfast-probe`, LANE: 'fast', OWN_HOSTS: HOST },
    API_URL: `https://${HOST}`,
    ...{ MASTER_SECRET: 'holdfast/test/_outbound', OUTBOUND: 'on' },
    ALARM_SERVICES: JSON.stringify({ [SLACK]: [{ severity: 'page', kind: 'slack', name: 'oncall', region: 'us' }] }),
  });
  vi.doMock('#handlers/index.ts', () => ({
    handlers: defineHandlers([{ source: '*', type: '*', handle: async () => done() }]),
  }));
  vi.doMock('node:fs', async original => {
    const fs = (await original()) as typeof import('node:fs');
    const page = (path: unknown): boolean => /lambdas\/portal\/page\.(?:js|css)\.txt$/.test(String(path));
    return { ...fs, readFileSync: (path: never, ...how: never[]) => (page(path) ? '' : fs.readFileSync(path, ...how)) };
  });
  for (const [id, text] of Object.entries(SECRETS)) aws.secrets.set(id as never, text);
  aws.credentials.set('holdfast/test/_outbound', 'm'.repeat(64));
});
afterAll(() => {
  vi.doUnmock('#handlers/index.ts');
  vi.doUnmock('node:fs');
  aws.close();
});

const context = (ms = 60_000) => ({ getRemainingTimeInMillis: () => ms });
const called = new Set<string>();
const load: HandlersInMemory['load'] = async name => {
  called.add(name);
  return aws.load(name);
};

function httpEvent(routeKey: string, given: Json = {}): Json {
  const [method] = routeKey.split(' ');
  const http = { method, path: '/', protocol: 'HTTP/1.1', sourceIp: '198.51.100.7', userAgent: '' };
  const iam = { userArn: 'arn:aws:iam::123456789012:user/ada' };
  return {
    routeKey,
    headers: {},
    rawQueryString: '',
    ...given,
    requestContext: { http, domainName: HOST, authorizer: { iam } },
  };
}

/** A request of the provider of a source. */
function webhook(
  source: 'stripe' | 'github' | 'holdfast-probe',
  body: Json,
  headers: Record<string, string> = {},
): Json {
  const spec = PROVIDERS[source === 'holdfast-probe' ? 'generic' : source] as never;
  const given = {
    body: Buffer.from(JSON.stringify(body)),
    headers: { 'content-type': 'application/json', ...headers },
  };
  const signed = signRequest(spec, { ...given, secret: SECRETS[source], nowMs: Date.now(), crypto: nodeCrypto });
  return httpEvent(`POST /webhooks/${source}`, { headers: signed.headers, body: given.body.toString() });
}
const stripeEvent = (id: string): Json =>
  webhook('stripe', {
    id,
    type: 'invoice.paid',
    created: Math.floor(Date.now() / 1_000),
    data: { object: { id: 'in_1' } },
  });
const githubEvent = (id: string): Json =>
  webhook('github', { action: 'opened', issue: { id: 1 } }, { 'x-github-event': 'issues', 'x-github-delivery': id });

describe('sending', () => {
  const api = async (
    routeKey: string,
    path: Record<string, string>,
    body?: object,
    name = 'delivery-api',
    headers = {},
  ) => {
    const given = { pathParameters: path, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = (await (await load(name))(httpEvent(routeKey, given), context())) as Json;
    return { status: answer.statusCode as number, body: JSON.parse(answer.body || '{}') as Json };
  };
  let app: string;

  it('delivery-api makes an application, an endpoint, and a link to the portal that is there', async () => {
    app = (await api('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' })).body.id;
    const made = await api('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://hooks.customer.com/in' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const own = await api('POST /v1/apps/{app}/endpoints', { app }, { url: `https://${HOST}/in` });
    expect([own.status, own.body.error]).toEqual([422, 'address_not_allowed']);
    const link = await api('POST /v1/apps/{app}/portal-tokens', { app }, {});
    expect([link.status, link.body.url], JSON.stringify(link.body)).toEqual([201, expect.stringMatching(/\/portal#/)]);
    const list = 'GET /portal/v1/apps/{app}/endpoints';
    const shown = await api(list, { app }, undefined, 'portal', { authorization: `Bearer ${link.body.token}` });
    expect([shown.status, shown.body.data?.length]).toEqual([200, 1]);
    expect((await api(list, { app }, undefined, 'portal')).status).toBe(401);
  });

  it('publish takes a message, fan-out and drain bring it to the customer, tend finds nothing lost', async () => {
    const message = { key: 'k1', type: 'invoice.paid', data: { amount: 5 } };
    const published = await api('POST /v1/apps/{app}/messages', { app }, message, 'publish');
    expect(published.status, JSON.stringify(published.body)).toBe(202);
    await (await load('fan-out'))(aws.take('jobs'), context());
    const before = aws.sent.length;
    expect(await (await load('drain'))(aws.take('wake-fast'), context(90_000))).toEqual({ batchItemFailures: [] });
    expect(aws.sent.slice(before)).toMatchObject([
      { url: 'https://hooks.customer.com/in', headers: { 'webhook-id': published.body.id } },
    ]);
    // Every attempt is kept, as the configuration asks.
    expect(aws.database.dump('outbox').filter(({ pk }) => String(pk).startsWith('T#'))).toHaveLength(1);
    await (await load('tend'))({}, context());
    expect([aws.total('TendRuns'), aws.total('WakeLost'), aws.total('FanOutLost')]).toEqual([1, 0, 0]);
  });

  it('tend wakes the sender of a message whose wake-up was lost, by the queue of the fast lane', async () => {
    await api('POST /v1/apps/{app}/messages', { app }, { key: 'k2', type: 'invoice.paid', data: {} }, 'publish');
    await (await load('fan-out'))(aws.take('jobs'), context());
    expect(aws.take('wake-fast').Records).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * MINUTE_MS });
    await (await load('tend'))({}, context());
    const wakeUps = aws.take('wake-fast');
    expect([wakeUps.Records.length, aws.take('wake-slow').Records.length, aws.total('WakeLost')]).toEqual([1, 0, 1]);
    expect(await (await load('drain'))(wakeUps, context(90_000))).toEqual({ batchItemFailures: [] });
    vi.useRealTimers();
  });

  it('contacts asks a contact to confirm, by the guarded sender, and the portal takes its word', async () => {
    const made = await api('POST /v1/apps/{app}/contacts', { app }, { url: 'https://told.customer.com/in' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const before = aws.sent.length;
    await (await load('contacts'))({}, context());
    const [asked] = aws.sent.slice(before) as readonly Json[];
    expect(asked).toMatchObject({ url: 'https://told.customer.com/in' });
    const { confirm_url: link } = JSON.parse(asked.body).data;
    expect(link).toMatch(new RegExp(`^https://${HOST}/portal\\?confirm=`));
    const given = { queryStringParameters: { confirm: new URL(link).searchParams.get('confirm') } };
    const answer = (await (await load('portal'))(httpEvent('POST /portal', given), context())) as Json;
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([200, { state: 'confirmed' }]);
  });
});

describe('receiving', () => {
  it('ingest records the events of each source under it, and process completes them', async () => {
    const ingest = await load('ingest');
    expect(await ingest(stripeEvent('evt_1'), context())).toMatchObject({ statusCode: 200 });
    const delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
    expect(await ingest(githubEvent(delivery), context())).toMatchObject({ statusCode: 200 });
    expect(await ingest(httpEvent('POST /webhooks/nobody'), context())).toMatchObject({ statusCode: 404 });
    const handle = await load('process');
    expect(await handle(aws.take('work'), context())).toEqual({ batchItemFailures: [] });
    const items = aws.database.dump('events').filter(it => !String(it['pk']).startsWith('_'));
    expect(items.map(({ pk, status }) => `${pk} ${status}`).sort()).toEqual([
      `github#${delivery} completed`,
      'stripe#evt_1 completed',
    ]);
    expect([aws.total('Accepted'), aws.total('Completed')]).toEqual([2, 2]);
    // What is searchable is found: its rows are in the table of payloads.
    expect(JSON.stringify(aws.database.dump('payloads'))).toContain('_search#stripe');
  });

  it('api shows an event of each source to whoever IAM lets in', async () => {
    const api = await load('api');
    for (const id of ['evt_1', '72d3162e-cc78-11e3-81ab-4c9367dc0958']) {
      const answer = (await api(
        httpEvent('GET /events/{event_id}', { pathParameters: { event_id: id } }),
        context(),
      )) as Json;
      expect([answer.statusCode, JSON.parse(answer.body).status], answer.body).toEqual([200, 'completed']);
    }
  });

  // Before the queue is purged: for a minute a purge takes some of what is sent after it.
  it('probe sends a signed event through the front door and measures its completion', async () => {
    const [ingest, handle] = [await load('ingest'), await load('process')];
    aws.frontDoor = async (url, headers, body) => {
      const routeKey = `POST ${new URL(url).pathname}`;
      const { statusCode } = (await ingest(
        httpEvent(routeKey, { headers, body: Buffer.from(body).toString() }),
        context(),
      )) as Json;
      await handle(aws.take('work'), context());
      return statusCode;
    };
    await (await load('probe'))({}, context(20_000));
    expect(aws.lines.filter(line => line['stage'] === 'probe' && line['level'] === 'ERROR')).toEqual([]);
    expect(aws.lines.filter(line => 'ProbeLatency' in line)).toHaveLength(1);
  });

  it('sweep sends what was not sent, of each source, and says that it ran', async () => {
    const ingest = await load('ingest');
    for (const event of [stripeEvent('evt_2'), githubEvent('0b3e8e2a-cc78-11e3-81ab-4c9367dc0958')])
      await ingest(event, context());
    aws.queues.work.purge();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * MINUTE_MS });
    const sweep = await load('sweep');
    await sweep({}, context());
    // The lease of the run before is over.
    vi.setSystemTime(Date.now() + 5 * MINUTE_MS);
    await sweep({}, context());
    expect(aws.total('SweeperRuns')).toBe(2);
    const again = aws.queues.work.dump().map(({ body }) => body);
    for (const pk of ['stripe#evt_2', 'github#0b3e8e2a']) expect(again.join('\n')).toContain(pk);
    const handle = await load('process');
    await handle(aws.take('work'), context());
    vi.useRealTimers();
    expect(aws.total('Completed')).toBe(4);
  });

  it('audit looks at every record, and begins no page in the last ten seconds of its function', async () => {
    await (await load('audit'))({}, context(120_000));
    const said = aws.lines.filter(
      line => 'AuditMismatch' in line || 'LedgerMismatch' in line || line['stage'] === 'audit',
    );
    expect(said.length).toBeGreaterThan(0);
    expect(aws.lines.filter(line => line['level'] === 'ERROR')).toEqual([]);
    const scans = vi.spyOn(MemoryEventStore.prototype, 'scan');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * HOUR_MS });
    await (await load('audit'))({}, context(9_000));
    vi.useRealTimers();
    expect(scans).not.toHaveBeenCalled();
  });

  it('reconcile-providers compares the source that the schedule names, with that provider, and no other', async () => {
    const reconcile = await load('reconcile-providers');
    expect(await reconcile({ source: 'github' }, context(120_000))).toHaveLength(1);
    expect(aws.asked).toEqual(['github repos/acme/shop/hooks/7']);
    aws.asked.length = 0;
    expect(await reconcile({ source: 'stripe', dryRun: true }, context(120_000))).toHaveLength(1);
    expect(aws.asked).toEqual(['stripe ']);
    for (const source of ['holdfast-probe', 'nobody', undefined])
      await expect(reconcile({ source }, context())).rejects.toThrow(`"${source}" is not a source with \`reconcile\``);
  });
});

describe('telling', () => {
  const sns = (topic: string, name: string): Json => {
    const alarm = { AlarmName: name, AlarmDescription: 'page: x', NewStateValue: 'ALARM', NewStateReason: 'because' };
    return { Records: [{ Sns: { TopicArn: topic, Subject: name, Message: JSON.stringify(alarm) } }] };
  };

  it('notify passes new deaths on to the topic of pages, and a topic of Slack to Slack', async () => {
    aws.credentials.set('holdfast-alarms/test/slack/oncall', 'https://hooks.slack.com/services/T0/B0/x');
    const notify = await load('notify');
    const looked = vi.spyOn(MemoryEventStore.prototype, 'attention');
    await notify(sns(PAGES, 'new-deaths'), context());
    expect(looked.mock.calls.map(([source]) => source)).toEqual(['stripe', 'github', 'holdfast-probe']);
    expect(aws.pages).toMatchObject([{ subject: 'new-deaths' }]);
    const before = aws.sent.length;
    await notify(sns(SLACK, 'queue-age'), context());
    expect(aws.sent.slice(before)).toMatchObject([{ url: 'https://hooks.slack.com/services/T0/B0/x' }]);
    expect(aws.pages).toHaveLength(1);
    // The page goes out without the deaths, and what was away is counted.
    looked.mockRejectedValueOnce(new DependencyError('dynamodb', 'away'));
    const said = aws.lines.length;
    await notify(sns(PAGES, 'new-deaths'), context());
    expect(aws.pages).toHaveLength(2);
    expect(aws.lines.slice(said)).toMatchObject([{ stage: 'notify', error: 'dynamodb: away' }, { DependencyError: 1 }]);
  });

  it('otlp sends what the functions printed to the endpoint of the configuration', async () => {
    const logEvents = aws.lines
      .filter(line => '_aws' in line)
      .map((line, n) => ({ id: String(n), timestamp: Date.now(), message: JSON.stringify(line) }));
    const data = { messageType: 'DATA_MESSAGE', logGroup: 'g', logStream: 's', logEvents };
    const before = aws.sent.length;
    aws.ports.length = 0;
    const otlp = await load('otlp');
    expect(aws.ports).toEqual([4318]);
    await otlp({ awslogs: { data: gzipSync(JSON.stringify(data)).toString('base64') } }, context());
    expect(aws.sent.slice(before).map(({ url }) => url)).toContain('https://otlp.example.com:4318/v1/metrics');
    // What was not taken is sent again by Lambda: it must hear of it.
    for (const status of [199, 300, 401, 503]) {
      aws.answers = status;
      const again = otlp({ awslogs: { data: gzipSync(JSON.stringify(data)).toString('base64') } }, context());
      await expect(again, `${status}`).rejects.toThrow(`otlp.example.com:4318 answered ${status} to traces`);
    }
    aws.answers = 200;
    // Without a port it is that of https.
    vi.resetModules();
    vi.stubGlobal('__HOLDFAST_CONFIG__', JSON.stringify({ ...config, otlp: { endpoint: 'https://otlp.example.com' } }));
    aws.ports.length = 0;
    await load('otlp');
    expect(aws.ports).toEqual([443]);
  });
});

it('was called: every function there is', () => {
  const all = readdirSync(join(import.meta.dirname, '../../../lambdas')).filter(name => name !== 'shared');
  expect([...called].sort()).toEqual(all.sort());
});
