/** The delivery stack's template: numbers that must agree with the code, rights one by one, and nothing without `outbound`. */
import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { CONTACT_ROUTES, DELIVERY_ROUTES, PORTAL_TOKEN_ROUTES, PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { LINK_ROUTE, PAGE_ROUTES, PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { LISTED } from '#core/outbound/protocol/keys.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { deliveryApiEnv } from '#lambdas/delivery-api/env.ts';
import { drainEnv } from '#lambdas/drain/env.ts';
import { fanOutEnv } from '#lambdas/fan-out/env.ts';
import { outboundRouteEnv } from '#lambdas/process/env.ts';
import { publishEnv } from '#lambdas/publish/env.ts';
import { tendEnv } from '#lambdas/tend/env.ts';
import type { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { functionsIn } from '#operator/aws/stopped-functions.ts';
import { QUEUED } from '#operator/health/doctor.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;

const synth = async (environments: GatewayConfig['environments']): Promise<GatewayStage> =>
  (await synthEnvironment('prod', { ...gateway, environments })).stage;

let on: GatewayStage;
let template: Template;
let data: Template;
beforeAll(async () => {
  // With a route to customers, which is all of it that the gateway stack may notice.
  on = await synth({ prod: { outbound: {}, routes: { stripe: { 'invoice.*': ['outbound:acme'] } } } });
  template = Template.fromStack(on.delivery as NonNullable<typeof on.delivery>);
  data = Template.fromStack(on.data);
});
const all = (type: string, of: Template = template): readonly (readonly [string, Resource])[] =>
  Object.entries(of.findResources(type)).map(([id, each]) => [id, each['Properties']] as const);

describe('without outbound', () => {
  let off: GatewayStage;
  beforeAll(async () => {
    off = await synth({ prod: {} });
  });

  it('there is no third stack and no word of it in the gateway stack, and the data stack is the same', () => {
    expect(off.delivery).toBeUndefined();
    const text = JSON.stringify(Template.fromStack(off.gateway).toJSON());
    expect(text).not.toMatch(/outbound|Delivery|registry|outbox|wake/i);
    // Customers outlive the setting: docs/decisions/a-setting-changes-only-its-own-resources.md.
    expect(Template.fromStack(off.data).toJSON()).toEqual(data.toJSON());
  });

  it('with it the gateway stack keeps every resource as it was, but for the dashboard and the function with a route to customers', () => {
    const before = Template.fromStack(off.gateway).toJSON()['Resources'] as Record<string, unknown>;
    const after = Template.fromStack(on.gateway).toJSON()['Resources'] as Record<string, unknown>;
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    const changed = Object.keys(before).filter(id => JSON.stringify(before[id]) !== JSON.stringify(after[id]));
    expect(changed.map(id => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'Dashboard',
      'ProcessFunction',
      'ProcessRoleDefaultPolicy',
    ]);
  });

  it('and that function may read applications, put a message and send its job, and no more than before', () => {
    const statements = (stage: GatewayStage): readonly string[] =>
      Object.entries(Template.fromStack(stage.gateway).findResources('AWS::IAM::Policy'))
        .filter(([id]) => id.startsWith('ProcessRole'))
        .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Resource[])
        .flatMap(linesOf);
    const before = statements(off);
    const after = statements(on);
    expect(before.filter(line => !after.includes(line))).toEqual([]);
    expect(after.filter(line => !before.includes(line)).sort()).toEqual([
      'jobs: sqs:SendMessage',
      'outbox M#*: PutItem',
      'registry A#* U#*: GetItem',
    ]);
    const variablesOf = (stage: GatewayStage): readonly string[] => {
      const found = all('AWS::Lambda::Function', Template.fromStack(stage.gateway));
      return Object.keys(found.find(([id]) => id.startsWith('Process'))?.[1].Environment.Variables);
    };
    const added = variablesOf(on).filter(name => !variablesOf(off).includes(name));
    expect(added.sort()).toEqual(Object.keys(outboundRouteEnv).sort());
  });
});

describe('tables', () => {
  it('are two, on demand, restorable, protected, with the index and TTL that the code uses', () => {
    const tables = all('AWS::DynamoDB::GlobalTable', data).filter(([id]) => id.startsWith('Outbound'));
    expect(tables.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['OutboundRegistry', 'OutboundOutbox']);
    for (const [, table] of tables) {
      expect(table).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        Replicas: [
          { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
        ],
      });
      const [index] = table.GlobalSecondaryIndexes;
      expect(index.IndexName).toBe(LISTED.name);
      expect(index.KeySchema.map((it: Resource) => it.AttributeName)).toEqual([LISTED.partition, LISTED.sort]);
    }
    expect(tables[1]?.[1].GlobalSecondaryIndexes[0].Projection).toEqual({
      NonKeyAttributes: ['type'],
      ProjectionType: 'INCLUDE',
    });
  });
});

describe('queues', () => {
  const queue = (name: string): Resource =>
    all('AWS::SQS::Queue', data).find(([id]) => id.replace(/[0-9A-F]{8}$/, '') === `Delivery${name}`)?.[1] ?? {};

  it('hide a wake-up for longer than a dead session keeps its lease, and a job for longer than its function runs, and less than a minute', () => {
    const { drainTimeoutMs, leaseMs, wakeVisibilityMs } = OUTBOUND_TIMINGS;
    expect(wakeVisibilityMs).toBeGreaterThanOrEqual(drainTimeoutMs + leaseMs + 10_000);
    for (const name of ['WakeFast', 'WakeSlow'])
      expect(queue(name)).toMatchObject({
        VisibilityTimeout: wakeVisibilityMs / 1_000,
        RedrivePolicy: { maxReceiveCount: 1_000 },
      });
    const { fanOutTimeoutMs, jobsVisibilityMs } = OUTBOUND_TIMINGS;
    expect(jobsVisibilityMs).toBeGreaterThan(fanOutTimeoutMs);
    expect(jobsVisibilityMs).toBeLessThan(60_000);
    const fanOut = all('AWS::Lambda::Function').find(([id]) => id.startsWith('FanOut'))?.[1];
    expect(fanOut?.Timeout).toBe(fanOutTimeoutMs / 1_000);
    const hidden = jobsVisibilityMs / 1_000;
    expect(queue('Jobs')).toMatchObject({ VisibilityTimeout: hidden, RedrivePolicy: { maxReceiveCount: 500 } });
  });

  it('keep what died for longer than what waits', () => {
    for (const [source, dead] of [
      ['Jobs', 'JobsDead'],
      ['WakeFast', 'WakesDead'],
      ['WakeSlow', 'WakesDead'],
    ] as const)
      expect(queue(dead).MessageRetentionPeriod).toBeGreaterThan(queue(source).MessageRetentionPeriod);
  });
});

describe('functions', () => {
  const functions = () =>
    Object.fromEntries(
      all('AWS::Lambda::Function').map(([id, each]) => [id.replace(/Function[0-9A-F]{8}$/, ''), each]),
    );

  it('are these, each with exactly the variables it declares, a timeout, and no way around TLS', () => {
    const contracts = {
      ...{ Publish: publishEnv, FanOut: fanOutEnv, DeliveryApi: deliveryApiEnv, Tend: tendEnv },
      ...{ DrainFast: drainEnv, DrainSlow: drainEnv },
    };
    expect(Object.keys(functions()).sort()).toEqual(Object.keys(contracts).sort());
    for (const [name, contract] of Object.entries(contracts))
      expect(Object.keys(functions()[name].Environment.Variables).sort(), name).toEqual(Object.keys(contract).sort());
    // The local AWS puts an address there that opens (local/stacks/assembly.ts).
    expect(functions()['DeliveryApi'].Environment.Variables.API_URL).toEqual({
      'Fn::GetAtt': [expect.any(String), 'ApiEndpoint'],
    });
    const shown = Object.entries(functions()).map(([name, each]) => [name, each.Timeout, each.MemorySize]);
    expect(Object.fromEntries(shown.map(([name, ...rest]) => [name, rest]))).toEqual({
      Publish: [10, 512],
      FanOut: [20, 512],
      DeliveryApi: [29, 512],
      Tend: [55, 512],
      DrainFast: [OUTBOUND_TIMINGS.drainTimeoutMs / 1_000, 256],
      DrainSlow: [OUTBOUND_TIMINGS.drainTimeoutMs / 1_000, 256],
    });
    expect(JSON.stringify(template.toJSON())).not.toMatch(/NODE_TLS_REJECT|NODE_USE_ENV_PROXY|NODE_EXTRA_CA|VpcConfig/);
  });

  it('that send to what invokes them may, and only they', () => {
    const allowed = Object.entries(functions()).filter(([, each]) => each.RecursiveLoop === 'Allow');
    expect(allowed.map(([name]) => name).sort()).toEqual(['DrainFast', 'DrainSlow', 'FanOut']);
  });

  it('take batches whose messages fail one by one, within their slots', () => {
    const mappings = all('AWS::Lambda::EventSourceMapping').map(([, each]) => each);
    expect(mappings).toHaveLength(3);
    for (const each of mappings)
      expect(each).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
    // What doctor looks for.
    const called = functionsIn(new Map(Object.keys(functions()).map(name => [`${name}Function`, name]))).filter(
      ([, id]) => mappings.some(each => JSON.stringify(each.FunctionName).includes(`"${id}`)),
    );
    expect(called.map(([name]) => name).sort()).toEqual([...QUEUED].sort());
    expect(mappings.map(each => each.ScalingConfig.MaximumConcurrency).sort((a, b) => a - b)).toEqual([20, 50, 150]);
  });
});

describe('the API', () => {
  it('has every route of the code, and no other, each behind IAM', () => {
    const routes = all('AWS::ApiGatewayV2::Route').map(([, each]) => each);
    const off: readonly string[] = [...PORTAL_TOKEN_ROUTES, ...CONTACT_ROUTES];
    const producers = DELIVERY_ROUTES.filter(route => !off.includes(route));
    expect(routes.map(each => each.RouteKey).sort()).toEqual([...PUBLISH_ROUTES, ...producers].sort());
    for (const each of routes) expect(each.AuthorizationType, each.RouteKey).toBe('AWS_IAM');
    const page = readFileSync('docs/api/delivery.md', 'utf8');
    // Not the pattern of a permission, which has a *.
    const told = [...page.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/v1[^`* ]*)`/g)].map(([, route]) => route);
    expect([...new Set(told)].sort(), 'docs/api/delivery.md').toEqual([...PUBLISH_ROUTES, ...DELIVERY_ROUTES].sort());
  });
});

describe('alarms', () => {
  const descriptionOf = ({ AlarmDescription: text }: Resource): string =>
    typeof text === 'string'
      ? text
      : text['Fn::Join'][1].map((it: unknown) => (typeof it === 'string' ? it : '<…>')).join('');

  it('have a severity, a meaning, a command and a runbook each', () => {
    const alarms = all('AWS::CloudWatch::Alarm').map(([, each]) => each);
    expect(alarms.length).toBe(28);
    const metrics = alarms.map(each => each.Metrics?.filter((it: Resource) => it.MetricStat).length ?? 1);
    expect(
      metrics.reduce((sum, count) => sum + count, 0),
      'docs/api/delivery.md states it',
    ).toBe(32);
    for (const each of alarms) {
      const text = descriptionOf(each);
      expect(text).toMatch(
        /^(page|ticket|notice): [A-Z].{20,}\nFirst: npm run holdfast -- .+\nRunbook: npm run holdfast -- runbook [a-z-]+ --env [a-z]+$/,
      );
      expect(['breaching', 'notBreaching']).toContain(each.TreatMissingData);
      expect(each.AlarmActions).toEqual(each.OKActions);
    }
  });

  it('that wake somebody are ours: no failing customer pages', () => {
    const pages = all('AWS::CloudWatch::Alarm').filter(([, each]) => descriptionOf(each).startsWith('page'));
    const names = pages.map(([, each]) => String(each.AlarmName).replace('holdfast-prod-delivery-', ''));
    expect(names.filter(name => /^dead$|success|retry|disabled|forbidden/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
  });

  it('keep what means lost or stuck with alarms essential, and none without alarms', async () => {
    const idsWith = async (alarms: 'essential' | 'none'): Promise<string[]> => {
      const { delivery } = await synth({ prod: { outbound: {}, alarms } });
      const found = all('AWS::CloudWatch::Alarm', Template.fromStack(delivery as NonNullable<typeof delivery>));
      return found.map(([, each]) => String(each.AlarmName).replace('holdfast-prod-delivery-', '')).sort();
    };
    expect(await idsWith('essential')).toEqual(['fan-out-lost', 'jobs-dead', 'not-tending', 'publish-errors']);
    expect(await idsWith('none')).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('has three rows more with outbound, on the same dashboard', () => {
    const body = JSON.stringify(all('AWS::CloudWatch::Dashboard', Template.fromStack(on.gateway)));
    for (const row of ['Do customers get their webhooks?', 'Whose servers fail?', 'Does sending keep up?'])
      expect(body).toContain(row);
    expect(all('AWS::CloudWatch::Dashboard')).toEqual([]);
  });

  it('shows in them each of these numbers, and no other', () => {
    const [[, dashboard]] = all('AWS::CloudWatch::Dashboard', Template.fromStack(on.gateway)) as [[string, Resource]];
    const parts: unknown[] = dashboard.DashboardBody['Fn::Join'][1];
    const { widgets } = JSON.parse(parts.map(it => (typeof it === 'string' ? it : 'reference')).join(''));
    const from = widgets.findIndex((it: Resource) => it.properties.markdown?.includes('Do customers get'));
    const until = widgets.findIndex(
      (it: Resource, n: number) => n > from && it.type !== 'metric' && it.type !== 'text',
    );
    const graphs = widgets.slice(from, until === -1 ? undefined : until).filter((it: Resource) => it.type === 'metric');
    const nameOf = (row: Resource): string => {
      const { label = row[1], stat = '' } = row.find((it: Resource) => typeof it === 'object');
      return /^p\d/.test(stat) ? `${label} ${stat}` : label;
    };
    const shown = graphs.map(({ properties }: Resource) => [
      properties.title,
      properties.metrics.map(nameOf).join(', '),
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      'Published, delivered': 'Published, Delivered, PublishRefused, PublishReported',
      '202 to first byte, ms': 'FirstAttemptDelay p50, FirstAttemptDelay p99',
      'First attempts': 'FirstAttempts, FirstAttemptsOk, WaitingOldestHealthyAge',
      'Failed attempts, by class': 'timeout, connect, dns, tls, server_error, busy, denied, message_refused',
      Endpoints: 'EndpointsOnHold, EndpointsShut, EndpointsDisabled',
      'Ended without success': 'DeadDeliveries, EndedUnsent, DeliveryRetries',
      'Oldest, seconds': 'job, fast, slow',
      Waiting: 'jobs, fast, slow, DeliveriesWaiting, dead jobs, dead wake-ups',
      'Safety net': 'TendRuns, WakeLost, FanOutLost, SessionsRobbed, OwnFault',
    });
  });
});

/** A resource as short text. */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const known: readonly [RegExp, string][] = [
    [/OutboundRegistry.*index\/listed/, 'registry/listed'],
    [/OutboundRegistry/, 'registry'],
    [/OutboundOutbox.*index\/listed/, 'outbox/listed'],
    [/OutboundOutbox/, 'outbox'],
    [/OutboundMaster/, 'master'],
    [/StoreBodies.*\/outbound\/\*/, 'bodies/outbound/*'],
    [/StoreBodies/, 'bodies'],
    [/DeliveryJobsDead/, 'jobs-dead'],
    [/DeliveryJobs/, 'jobs'],
    [/DeliveryWakeFast/, 'wake-fast'],
    [/DeliveryWakeSlow/, 'wake-slow'],
    [/DeliveryWakesDead/, 'wakes-dead'],
    [/Logs[0-9A-F]{8}/, 'own log'],
    [/"TendFunction/, 'tend'],
  ];
  return known.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
/** What a statement allows, as lines of text. */
function linesOf(statement: Resource): readonly string[] {
  const keys = statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  const actions = list(statement.Action).map(it => String(it).replace(/^dynamodb:/, ''));
  return list(statement.Resource).map(
    resource => `${nameOf(resource)}${keys ? ` ${keys.join(' ')}` : ''}: ${actions.sort().join(' ')}`,
  );
}
function rights(of: Template = template): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [id, policy] of all('AWS::IAM::Policy', of)) {
    const lines = policy.PolicyDocument.Statement.flatMap(linesOf);
    found[id.replace(/(?:RoleDefaultPolicy|DefaultPolicy).*$/, '')] = lines.sort();
  }
  return found;
}
const LOG = 'own log: logs:CreateLogStream logs:PutLogEvents';
const consume = (queue: string): string[] => [
  `${queue}: sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:GetQueueUrl sqs:ReceiveMessage`,
];
/** It sends jobs; it asks for attributes at a start, which warms the client. */
const JOBS = 'jobs: sqs:GetQueueAttributes sqs:SendMessage';
const DRAIN = [
  LOG,
  'bodies/outbound/*: s3:GetObject',
  'bodies: s3:ListBucket',
  JOBS,
  'master: secretsmanager:GetSecretValue',
  'outbox D#*: GetItem UpdateItem',
  'outbox M#* D#*: BatchGetItem',
  'outbox Q#* G#*: DeleteItem PutItem Query',
  'outbox T#*: GetItem PutItem',
  'registry A#* S#* R#* C#*: BatchGetItem GetItem',
  'registry R#*: ConditionCheckItem UpdateItem',
  'wake-slow: sqs:SendMessage',
  'wakes-dead: sqs:SendMessage',
];

describe('the portal', () => {
  let withPortal: Template;
  beforeAll(async () => {
    const portal = { name: 'Acme', origins: ['https://app.acme.com'] };
    const { delivery } = await synth({ prod: { outbound: { portal } } });
    withPortal = Template.fromStack(delivery as NonNullable<typeof delivery>);
  });

  it('is not there without a word in the configuration', () => {
    const text = JSON.stringify(template.toJSON());
    expect(text).not.toMatch(/portal|CorsConfiguration/i);
  });

  it('adds its own routes and one function: public are these and no others', () => {
    const routes = all('AWS::ApiGatewayV2::Route', withPortal).map(([, each]) => each);
    const publicOnes = routes.filter(each => each.AuthorizationType !== 'AWS_IAM').map(each => each.RouteKey);
    const there = (key: string): boolean => !CONTACT_ROUTES.some(it => it === key);
    expect(publicOnes.sort()).toEqual([...PAGE_ROUTES, ...PORTAL_ROUTES.filter(there).map(publicRoute)].sort());
    const others = routes.map(each => each.RouteKey).filter(key => !publicOnes.includes(key));
    expect(others.sort()).toEqual([...PUBLISH_ROUTES, ...DELIVERY_ROUTES.filter(there)].sort());
    const idsOf = (of: Template): string[] => all('AWS::Lambda::Function', of).map(([id]) => id);
    const added = idsOf(withPortal).filter(id => !idsOf(template).includes(id));
    expect(added.map(id => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['PortalFunction']);
    // Every route is throttled by the stage.
    const [[, stage] = []] = all('AWS::ApiGatewayV2::Stage', withPortal);
    expect(stage.DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 });
  });

  it('may do what its routes do: no application is made or erased, nothing is published or scanned', () => {
    expect(rights(withPortal)['Portal']).toEqual(
      [
        LOG,
        'bodies/outbound/*: s3:GetObject',
        JOBS,
        'master: secretsmanager:GetSecretValue',
        'outbox D#*: UpdateItem',
        'outbox Q#* T#* N#*: PutItem',
        'outbox Q#*: DeleteItem',
        'outbox/listed: Query',
        'outbox: BatchGetItem GetItem Query',
        'registry A#* S#* R#* J#*: PutItem UpdateItem',
        'registry A#* U#* S#* R#* T#* J#* C#backlog#*: BatchGetItem GetItem Query',
        'registry C#test#*: UpdateItem',
        'registry S#* U#*: DeleteItem',
        'registry/listed: Query',
        'wake-fast: sqs:SendMessage',
      ].sort(),
    );
    const others = { ...rights(withPortal) };
    delete others['Portal'];
    expect(others).toEqual(rights());
  });

  it('lets the scripts of the named origins call it, and is cheap to have: no alarm, no metric, no secret of its own', () => {
    const [[, api] = []] = all('AWS::ApiGatewayV2::Api', withPortal);
    expect(api.CorsConfiguration).toMatchObject({
      AllowOrigins: ['https://app.acme.com'],
      AllowHeaders: ['authorization', 'content-type'],
    });
    expect(api.CorsConfiguration.AllowCredentials).toBeUndefined();
    for (const type of ['AWS::CloudWatch::Alarm', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue'])
      expect(all(type, withPortal).length, type).toBe(all(type).length);
  });
});

describe('contacts', () => {
  it('add a function that reads how endpoints are and writes contacts alone, routes, and one public link', async () => {
    const { delivery } = await synth({ prod: { outbound: { portal: { name: 'Acme' }, contacts: true } } });
    const withContacts = Template.fromStack(delivery as NonNullable<typeof delivery>);
    const rightsOf = rights(withContacts);
    expect(rightsOf['Contacts']).toEqual(
      [
        LOG,
        'master: secretsmanager:GetSecretValue',
        'outbox/listed: Query',
        'registry A#* K#* R#*: BatchGetItem',
        'registry A#*: Query',
        'registry K#*: GetItem PutItem',
        'registry/listed: Query',
      ].sort(),
    );
    expect(rightsOf['Portal']).toContain('registry K#*: GetItem PutItem');
    const routes = all('AWS::ApiGatewayV2::Route', withContacts).map(([, each]) => each);
    const publicOnes = routes.filter(each => each.AuthorizationType !== 'AWS_IAM').map(each => each.RouteKey);
    expect(publicOnes.sort()).toEqual([...PAGE_ROUTES, LINK_ROUTE, ...PORTAL_ROUTES.map(publicRoute)].sort());
    const others = routes.map(each => each.RouteKey).filter(key => !publicOnes.includes(key));
    expect(others.sort()).toEqual([...PUBLISH_ROUTES, ...DELIVERY_ROUTES].sort());
  });
});

describe('alarms of contacts', () => {
  const idsWith = async (outbound: object): Promise<readonly string[]> => {
    const { delivery } = await synth({ prod: { outbound: { portal: { name: 'Acme' }, ...outbound } } });
    const made = Template.fromStack(delivery as NonNullable<typeof delivery>);
    const names = all('AWS::CloudWatch::Alarm', made).map(([, each]) => String(each.AlarmName));
    return names.filter(name => /contacts|mails/.test(name)).map(name => name.replace('holdfast-prod-delivery-', ''));
  };

  it('are there with them alone, that of mails with mails, and are tickets', async () => {
    expect(await idsWith({})).toEqual([]);
    expect(await idsWith({ contacts: true })).toEqual(['contacts-untold']);
    const withMails = { contacts: true, email: { from: 'alerts@acme.com' } };
    expect((await idsWith(withMails)).toSorted()).toEqual(['contacts-untold', 'mails-not-taken']);
  });
});

describe('mails', () => {
  it('give contacts the right to send as this sender, and nobody else, and nothing without a word of it', async () => {
    const sending = async (email: object) => {
      const outbound = { portal: { name: 'Acme' }, contacts: true, ...email };
      const { delivery } = await synth({ prod: { outbound } });
      const made = Template.fromStack(delivery as NonNullable<typeof delivery>);
      return all('AWS::IAM::Policy', made).flatMap(([id, policy]) =>
        policy.PolicyDocument.Statement.filter((each: Resource) => JSON.stringify(each.Action).includes('ses:')).map(
          (each: Resource) => [id, each] as const,
        ),
      );
    };
    const [[id, statement] = [], ...others] = await sending({ email: { from: 'alerts@acme.com' } });
    expect(id).toMatch(/^Contacts/);
    expect(others).toEqual([]);
    expect(statement).toMatchObject({
      ...{ Action: 'ses:SendEmail', Effect: 'Allow' },
      Condition: { StringEquals: { 'ses:FromAddress': 'alerts@acme.com' } },
    });
    const identities = list(statement.Resource).map(each => /identity\/[^"]+/.exec(JSON.stringify(each))?.[0]);
    expect(identities.sort()).toEqual(['identity/acme.com', 'identity/alerts@acme.com']);
    expect(JSON.stringify(statement.Resource)).not.toContain('*');
    const [[, withSet] = []] = await sending({ email: { from: 'alerts@acme.com', configurationSet: 'contacts' } });
    expect(list(withSet.Resource)).toHaveLength(3);
    expect(JSON.stringify(withSet.Resource)).toMatch(/:configuration-set\/contacts"/);
    expect(await sending({})).toEqual([]);
  });
});

describe('who may do what', () => {
  it('is this list and nothing else', () => {
    const wanted: Record<string, string[]> = {
      Publish: [
        LOG,
        'bodies/outbound/*: s3:PutObject',
        JOBS,
        'outbox M#* N#*: PutItem',
        'outbox Q#*: BatchWriteItem',
        'registry A#* T#* U#*: GetItem',
        'registry A#*: Query',
        'registry C#rate#*: UpdateItem',
        'wake-fast: sqs:SendMessage',
      ],
      FanOut: [
        LOG,
        `${consume('jobs')[0]} sqs:SendMessage`,
        'bodies/outbound/*: s3:GetObject s3:PutObject',
        'bodies: s3:ListBucket',
        'jobs-dead: sqs:SendMessage',
        'outbox M#*: GetItem PutItem',
        'outbox N#*: PutItem',
        'outbox Q#*: BatchWriteItem',
        'registry A#* U#*: GetItem',
        'registry A#*: Query',
        'registry/listed: Query',
        'wake-fast: sqs:SendMessage',
      ],
      DrainFast: [...DRAIN, ...consume('wake-fast')],
      DrainSlow: [...DRAIN, ...consume('wake-slow')],
      DeliveryApi: [
        LOG,
        'bodies/outbound/*: s3:GetObject s3:PutObject',
        'bodies: s3:ListBucket',
        JOBS,
        'master: secretsmanager:GetSecretValue',
        'outbox D#* M#*: UpdateItem',
        'outbox M#*: ConditionCheckItem',
        'outbox Q#* T#* M#* N#*: PutItem',
        'outbox Q#*: DeleteItem',
        'outbox/listed: Query',
        'outbox: BatchGetItem GetItem Query',
        'registry/listed: Query',
        'registry: BatchGetItem DeleteItem GetItem PutItem Query UpdateItem',
        'wake-fast: sqs:SendMessage',
      ],
      Tend: [
        LOG,
        'bodies/outbound/*: s3:GetObject s3:PutObject',
        'bodies: s3:ListBucket',
        JOBS,
        'outbox/listed: Query',
        'outbox: BatchGetItem DeleteItem GetItem PutItem Query UpdateItem',
        'registry/listed: Query',
        'registry: BatchGetItem DeleteItem GetItem PutItem Query Scan UpdateItem',
        'wake-fast: sqs:SendMessage',
        'wake-slow: sqs:SendMessage',
      ],
      TendSchedule: ['tend: lambda:InvokeFunction'],
    };
    const sorted = Object.fromEntries(Object.entries(wanted).map(([name, lines]) => [name, lines.sort()]));
    expect(rights()).toEqual(sorted);
  });

  it('opens secrets for the two that send, scans for tend, and purges for nobody', () => {
    const holders = (pattern: RegExp): string[] =>
      Object.entries(rights()).flatMap(([name, lines]) => (lines.some(it => pattern.test(it)) ? [name] : []));
    expect(holders(/GetSecretValue/).sort()).toEqual(['DeliveryApi', 'DrainFast', 'DrainSlow']);
    expect(holders(/Scan/)).toEqual(['Tend']);
    expect(holders(/Purge/)).toEqual([]);
  });
});
