/**
 * Two gateways of one configuration, with everything that an environment can have, in one account and region: no name, metric or
 * secret of one is the other's. Without a prefix the names are those of every release before: secrets too, as a new secret is a
 * new key.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { HoldfastGateway, HoldfastStage } from 'holdfast/cdk';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { bundleFunctions, placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';
import { CONFIGURATIONS, exportsOf, type StackOf, stacksOf } from './transitions.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;

const EVERYTHING = CONFIGURATIONS['everything'] as GatewayConfig;

/** Names that are one in an account and region, by the type of what has them. What is not here CloudFormation names itself. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::CompositeAlarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::ApiGatewayV2::Api': 'Name',
};
/** Of something inside of a resource, which no other gateway sees. */
const INSIDE =
  /^AWS::(?:IAM::Policy PolicyName|ApiGatewayV2::Stage StageName|Lambda::Alias Name|Logs::MetricFilter \w+|CloudWatch::Alarm MetricName)$|^Custom::RouteThrottles StageName$/;
const ITS_OWN = new Set(['FunctionName', 'TopicArn', 'RoleName', 'DomainName', 'AliasName', 'QueueName']);

function namesOf(stacks: readonly StackOf[]): string[] {
  const found: string[] = [];
  for (const { name, template } of stacks) {
    if (!name.includes('/')) found.push(`stack ${name}`);
    for (const exported of exportsOf(template).keys()) found.push(`export ${exported}`);
    for (const { Type, Properties = {} } of Object.values<Json>(template.Resources ?? {}))
      for (const [key, value] of Object.entries(Properties)) {
        if (!/Name$/.test(key) || typeof value !== 'string') continue;
        if (NAMES[Type] === key) found.push(`${Type} ${value}`);
        else if (!INSIDE.test(`${Type} ${key}`) && !ITS_OWN.has(key))
          found.push(`${Type} ${key} ${value}, which NAMES lacks`);
      }
  }
  return found;
}

/** Every metric of ours that an alarm, a graph or a filter names: its namespace and dimensions. */
function metricsOf(stacks: readonly StackOf[]): string[] {
  const text = JSON.stringify(stacks);
  const spaces = [...text.matchAll(/Namespace\\*":\\*"([^"\\]+)/g), ...text.matchAll(/SEARCH\('\{([^,]+),/g)];
  return [...new Set(spaces.map(([, space = '']) => space))].filter(space => /holdfast/i.test(space)).sort();
}

/** What policies say of secrets, as patterns. */
function secretPatterns(stacks: readonly StackOf[]): RegExp[] {
  const found = [...JSON.stringify(stacks).matchAll(/:secret:([\w/*?-]+)/g)].map(([, pattern = '']) => pattern);
  return [...new Set(found)].map(each => new RegExp(`^${each.replaceAll('*', '.*').replaceAll('?', '.')}$`));
}
const secretsOf = (stacks: readonly StackOf[]): string[] =>
  namesOf(stacks).flatMap(name => /^AWS::SecretsManager::Secret (.+)$/.exec(name)?.[1] ?? []);

const made = new Map<string, readonly StackOf[]>();
const of = (prefix: string | undefined): readonly StackOf[] => made.get(String(prefix)) ?? [];
const PREFIXES = [undefined, 'payments', 'orders'];
beforeAll(async () => {
  for (const prefix of PREFIXES) {
    const config = prefix === undefined ? EVERYTHING : { ...EVERYTHING, prefix };
    made.set(String(prefix), stacksOf((await synthEnvironment('prod', config)).stage));
  }
}, 120_000);

const pairs = PREFIXES.flatMap(a => PREFIXES.filter(b => b !== a).map(b => [a, b] as const));

it('names are looked at in every template', () => {
  const names = namesOf(of('payments'));
  expect(names.filter(name => name.endsWith('lacks'))).toEqual([]);
  expect(names.filter(name => /^(?:stack|export|AWS::\S+) (?!payments-holdfast[-/])/.test(name))).toEqual([]);
  expect(names.filter(name => name.startsWith('stack'))).toEqual(
    ['data', 'gateway', 'delivery', 'edge'].map(each => `stack payments-holdfast-prod-${each}`),
  );
  for (const type of Object.keys(NAMES)) expect(names.join('\n')).toContain(type);
  expect(names.length).toBeGreaterThan(150);
  expect(secretsOf(of('payments'))).toContain('payments-holdfast/prod/_outbound');
});

describe.each(pairs)('%s beside %s', (a, b) => {
  it('they have no name in common', () => {
    const theirs = new Set(namesOf(of(b)));
    expect(namesOf(of(a)).filter(name => theirs.has(name))).toEqual([]);
  });

  it('they have no metric in common', () => {
    expect(metricsOf(of(a)).length).toBeGreaterThan(1);
    expect(metricsOf(of(a)).filter(space => metricsOf(of(b)).includes(space))).toEqual([]);
  });

  it('no role of one may read a secret of the other', () => {
    const patterns = secretPatterns(of(a));
    expect(patterns.length).toBeGreaterThan(5);
    const read = secretsOf(of(b)).filter(name => patterns.some(pattern => pattern.test(`${name}-Ab1Cd2`)));
    expect(read).toEqual([]);
  });
});

it('a prefix changes names, and no resource: what a deploy makes is the same', () => {
  const types = (stacks: readonly StackOf[]) =>
    stacks.flatMap(({ template }) =>
      Object.entries<Json>(template.Resources ?? {}).map(
        ([id, { Type }]) => `${id.replace(/[0-9a-f]{32}$/, '')} ${Type}`,
      ),
    );
  expect(types(of('payments'))).toEqual(types(of(undefined)));
});

it('holdfast/cdk takes two gateways of one configuration into one app', async () => {
  // CloudFormation's own rules, which every environment passes in environments.test.ts, take seconds to load.
  const app = new App({ analyticsReporting: false, builtinCloudFormationValidation: false });
  const around = new Stack(app, 'Platform', { env: { account: '123456789012', region: 'eu-central-1' } });
  const prepared = async (prefix: string) => ({
    deployment: resolveDeployment({ ...gateway, prefix }, 'dev', PROVIDERS),
    bundles: await placeholderBundles('dev'),
  });
  const first = new HoldfastGateway(around, 'Payments', { prepared: await prepared('payments') });
  const second = new HoldfastStage(app, 'Orders', { prepared: await prepared('orders') });
  expect([first.data.stackName, second.data.stackName]).toEqual([
    'payments-holdfast-dev-data',
    'orders-holdfast-dev-data',
  ]);
  expect(JSON.stringify(Template.fromStack(first.gateway).toJSON())).not.toContain('orders-holdfast');
});

it('their code is in folders of its own, with the prefix in it', async () => {
  const outputFolder = await mkdtemp(join(tmpdir(), 'holdfast-two-'));
  const [plain, prefixed] = await Promise.all(
    [{}, { prefix: 'payments' }].map(async more => {
      const { config } = resolveDeployment({ ...gateway, ...more }, 'dev', PROVIDERS);
      const bundled = await bundleFunctions({ configs: [config], functions: ['notify'], outputFolder });
      return bundled.get('dev')?.notify ?? '';
    }),
  );
  expect([relative(outputFolder, plain ?? ''), relative(outputFolder, prefixed ?? '')]).toEqual([
    'dev/notify',
    'payments/dev/notify',
  ]);
  await rm(outputFolder, { recursive: true });
});
