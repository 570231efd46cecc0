/**
 * A canary puts new versions of the functions that take events into service bit by bit. Turned on and off, it changes where
 * calls go and nothing of what takes them: the mapping of a queue is the same resource, so that Lambda is never asked for a
 * second one, and one that a person stopped stays stopped.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentConfig, GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { synthEnvironment } from './synth-environment.ts';
import { conflictsOf, type StackOf, stacksOf } from './transitions.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;
const config = (more: EnvironmentConfig): GatewayConfig => ({
  sources: { stripe: { provider: 'stripe' } },
  environments: {
    prod: { account: '123456789012', region: 'eu-central-1', outbound: { portal: { name: 'Acme' } }, ...more },
  },
});
const CANARY = { percent: 10, minutes: 5 };
const made = new Map<string, readonly StackOf[]>();
const resources = (name: string): readonly [string, Json][] =>
  (made.get(name) ?? []).flatMap(({ template }) => Object.entries<Json>(template.Resources ?? {}));
const ofType = (name: string, type: string) => resources(name).filter(([, { Type }]) => Type === type);
beforeAll(async () => {
  const all = { off: {}, on: { canary: CANARY }, warm: { ingestProvisionedConcurrency: 2 } };
  const both = { 'on, warm': { ...all.on, ...all.warm } };
  for (const [name, more] of Object.entries({ ...all, ...both }))
    made.set(name, stacksOf((await synthEnvironment('prod', config(more))).stage));
}, 120_000);

const LIVE = ['Ingest', 'Process', 'Publish', 'FanOut', 'DeliveryApi', 'Portal', 'DrainFast', 'DrainSlow'];

it('without it there is no alias, no version and nothing of CodeDeploy', () => {
  const types = resources('off').map(([, { Type }]) => Type);
  expect(types.filter(type => /CodeDeploy|Alias|Lambda::Version/.test(type))).toEqual([]);
});

describe('with it', () => {
  it('each function that takes events is called by its alias', () => {
    const aliases = ofType('on', 'AWS::Lambda::Alias').map(([id]) => id);
    expect(aliases.map(id => id.replace(/Live[0-9A-F]{8}$/, '')).sort()).toEqual([...LIVE].sort());
    const called = [
      ...ofType('on', 'AWS::ApiGatewayV2::Integration').map(([, it]) => it.Properties.IntegrationUri),
      ...ofType('on', 'AWS::Lambda::EventSourceMapping').map(([, it]) => it.Properties.FunctionName),
    ];
    const byAlias = called.filter(target => aliases.includes(target.Ref));
    expect(new Set(byAlias.map(target => target.Ref))).toEqual(new Set(aliases));
    // The status API of receiving has none.
    expect(called.length - byAlias.length).toBe(1);
  });

  it('API Gateway may call an alias before a route leads there, and a function before one leads back', () => {
    for (const name of ['on', 'off'])
      for (const [, { Properties, DependsOn = [] }] of ofType(name, 'AWS::ApiGatewayV2::Integration')) {
        const target = JSON.stringify(Properties.IntegrationUri);
        const allowed = ofType(name, 'AWS::Lambda::Permission').filter(([id]) => [DependsOn].flat().includes(id));
        expect(allowed.map(([, each]) => JSON.stringify(each.Properties.FunctionName))).toEqual([target]);
      }
  });

  it('an alias moves by CodeDeploy, a part first, and back at an alarm', () => {
    const [[, of] = []] = ofType('on', 'AWS::CodeDeploy::DeploymentConfig');
    expect(of?.Properties.TrafficRoutingConfig).toEqual({
      Type: 'TimeBasedCanary',
      TimeBasedCanary: { CanaryInterval: 5, CanaryPercentage: 10 },
    });
    const groups = new Map(ofType('on', 'AWS::CodeDeploy::DeploymentGroup'));
    for (const [, { UpdatePolicy, DependsOn }] of ofType('on', 'AWS::Lambda::Alias')) {
      const group = UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref;
      const { AlarmConfiguration, AutoRollbackConfiguration } = groups.get(group).Properties;
      expect([DependsOn].flat()).toContain(group);
      expect(AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
      expect(AlarmConfiguration).toMatchObject({ Enabled: true, Alarms: [{ Name: { Ref: expect.any(String) } }] });
    }
  });

  it('the alarm is of the new version alone: an old one that crashes cannot stop the deploy that mends it', () => {
    const versions = new Map(ofType('on', 'AWS::Lambda::Version'));
    const alarms = ofType('on', 'AWS::CloudWatch::Alarm').filter(([, it]) => /-canary-/.test(it.Properties.AlarmName));
    expect(alarms.map(([, it]) => it.Properties.AlarmName).sort()).toEqual([
      ...['delivery-api', 'drain-fast', 'drain-slow', 'fan-out', 'portal', 'publish'].map(
        name => `holdfast-prod-delivery-own-fault-canary-${name}`,
      ),
      'holdfast-prod-ingest-errors-canary-ingest',
      'holdfast-prod-process-errors-canary-process',
    ]);
    for (const [, { Properties: it }] of alarms) {
      const of = Object.fromEntries(it.Dimensions.map(({ Name, Value }: Json) => [Name, Value]));
      const [version] = of['ExecutedVersion']['Fn::GetAtt'];
      expect(versions.get(version)?.Properties.FunctionName).toEqual(of['FunctionName']);
      expect(JSON.stringify(of['Resource'])).toContain(':live');
      expect(it).toMatchObject({ MetricName: 'Errors', Threshold: 1, Period: 60, EvaluationPeriods: 1 });
      expect(it).not.toHaveProperty('AlarmActions');
    }
  });

  it('environments kept warm are those of the alias', () => {
    const alias = ofType('on, warm', 'AWS::Lambda::Alias').find(([id]) => id.startsWith('Ingest'));
    expect(alias?.[1].Properties).toMatchObject({
      Name: 'live',
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
    });
  });
});

const names = ['off', 'on', 'warm', 'on, warm'];
describe.each(names.flatMap(from => names.filter(to => to !== from).map(to => [from, to] as const)))(
  'from %s to %s',
  (from, to) => {
    it('nothing is refused, lost or made anew', () => {
      expect(conflictsOf(made.get(from) ?? [], made.get(to) ?? [])).toEqual([]);
    });

    it('each mapping is the same resource, and only what it calls changes', () => {
      const [before, after] = [from, to].map(name => new Map(ofType(name, 'AWS::Lambda::EventSourceMapping')));
      expect([...(after?.keys() ?? [])]).toEqual([...(before?.keys() ?? [])]);
      for (const [id, it] of before ?? []) {
        const next = after?.get(id);
        expect({ ...next.Properties, FunctionName: 0 }).toEqual({ ...it.Properties, FunctionName: 0 });
      }
    });

    it('functions, roles, logs and routes are the same resources', () => {
      const kept = /^AWS::(?:Lambda::Function|Logs::LogGroup|ApiGatewayV2::\w+)$/;
      const of = (name: string) => resources(name).flatMap(([id, { Type }]) => (kept.test(Type) ? [id] : []));
      expect(of(to)).toEqual(of(from));
    });
  },
);

it.each([
  [{ percent: 0, minutes: 5 }, /canary\.percent: given 0; allowed: .*1 to 99/],
  [{ percent: 100, minutes: 5 }, /canary\.percent: given 100; allowed: .*1 to 99/],
  [{ percent: 10, minutes: 1 }, /canary\.minutes: given 1; allowed: .*5 to 60/],
  [{ percent: 10, minutes: 61 }, /canary\.minutes: given 61; allowed: .*5 to 60/],
  [{ percent: 10 }, /canary\.minutes: given nothing/],
])('%j is refused with its limit', (canary, says) => {
  expect(() => resolveDeployment(config({ canary: canary as typeof CANARY }), 'prod', PROVIDERS)).toThrow(says);
});

it('is refused where CodeDeploy is not', () => {
  expect(() => resolveDeployment(config({ canary: CANARY }), 'prod', PROVIDERS, { emulated: true })).toThrow(
    /canary: given a canary with an emulated environment; allowed: none: the local AWS has no CodeDeploy/,
  );
});
