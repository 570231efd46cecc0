/** An environment with two reconciled sources and a handler that fetches. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

let prod: SynthesizedEnvironment;
let template: Template;
beforeAll(async () => {
  const sources = {
    ...gateway.sources,
    stripe: { provider: 'stripe', reconcile: { types: ['invoice.*'] } },
    github: { provider: 'github', reconcile: { hooks: ['app'], everyMinutes: 30 } },
    shopify: { provider: 'shopify', apiCredential: true },
  };
  prod = await synthEnvironment('prod', { sources, environments: { prod: {} } });
  template = prod.gateway;
});

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const policyOf = (role: string): string[] => {
  const found = Object.entries<Resource>(template.findResources('AWS::IAM::Policy')).filter(([id]) =>
    id.startsWith(role),
  );
  expect(found).toHaveLength(1);
  const statements: Resource[] = found[0]?.[1].Properties.PolicyDocument.Statement;
  return statements
    .flatMap(({ Effect, Action, Resource: on, Condition }) => {
      const effect = Effect === 'Allow' ? '' : `${Effect} `;
      const condition = Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`;
      return [Action].flat().map((action: string) => `${effect}${action} ${JSON.stringify(on)}${condition}`);
    })
    .filter(right => !right.startsWith('logs:'));
};

/** Names of the secrets that carry a tag: the condition of a right is worth what is tagged. */
const tagged = (key: string): string[] =>
  Object.values<Resource>(prod.data.findResources('AWS::SecretsManager::Secret'))
    .filter(it => it.Properties.Tags.some((tag: Resource) => tag.Key === key && tag.Value === 'true'))
    .map(it => it.Properties.Name)
    .sort();

describe('the reconciler', () => {
  it('runs for each source at its pace, with its name, and nobody else may start it', () => {
    const schedules = Object.values<Resource>(template.findResources('AWS::Scheduler::Schedule')).map(
      it => it.Properties,
    );
    const own = schedules.filter(it => it.Target.Input !== undefined);
    expect(own.map(it => [it.ScheduleExpression, it.Target.Input, it.Target.RetryPolicy.MaximumRetryAttempts])).toEqual(
      [
        ['rate(1 hour)', '{"source":"stripe"}', 0],
        ['rate(30 minutes)', '{"source":"github"}', 0],
      ],
    );
    template.hasResourceProperties('AWS::Lambda::Function', { Description: Match.stringLikeRegexp('^Asks providers') });
  });

  it('may record and send as ingest does, read the two credentials, and nothing else', () => {
    const rights = policyOf('ReconcileProvidersRole');
    expect(rights.map(right => right.split(' ')[0]).sort()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:UpdateItem',
      's3:PutObject',
      'secretsmanager:GetSecretValue',
      'sqs:SendMessage',
    ]);
    const secrets = rights.find(right => right.startsWith('secretsmanager'));
    expect(secrets?.match(/secret:[a-z*/?-]+/g)).toEqual(['secret:holdfast/prod/*/api-??????']);
    expect(secrets).toContain('if {"StringEquals":{"aws:ResourceTag/holdfast:read-by-reconcile":"true"}}');
    expect(tagged('holdfast:read-by-reconcile')).toEqual(['holdfast/prod/github/api', 'holdfast/prod/stripe/api']);
    expect(policyOf('IngestRole').filter(right => right.includes('/api-'))).toEqual([
      expect.stringMatching(/^Deny secretsmanager:GetSecretValue /),
    ]);
  });

  it('has secrets of its own; a handler may read only those it asked for, and is told their names', () => {
    const names = Object.values<Resource>(prod.data.findResources('AWS::SecretsManager::Secret')).map(
      it => it.Properties.Name,
    );
    expect(names.filter(name => name.endsWith('/api')).sort()).toEqual(
      ['github', 'shopify', 'stripe'].map(source => `holdfast/prod/${source}/api`),
    );
    const right = policyOf('ProcessRole').find(it => it.startsWith('secretsmanager'));
    expect(right).toMatch(/GetSecretValue .*secret:holdfast\/prod\/\*\/api-\?{6}/);
    expect(right).toContain('if {"StringEquals":{"aws:ResourceTag/holdfast:read-by-handlers":"true"}}');
    expect(tagged('holdfast:read-by-handlers')).toEqual(['holdfast/prod/shopify/api']);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ API_SECRET_SHOPIFY: 'holdfast/prod/shopify/api' }) },
    });
  });

  it('has its alarms, each with a runbook that exists, and its graphs', () => {
    const alarms = [template, ...Object.values(prod.nested)]
      .flatMap(each => Object.values<Resource>(each.findResources('AWS::CloudWatch::Alarm')))
      .map(it => it.Properties)
      .filter(it => it.AlarmName.includes('reconcile-providers'));
    const metricOf = (it: Resource): string => it.MetricName ?? it.Metrics[1].MetricStat.Metric.MetricName;
    expect(alarms.map(it => [it.AlarmName, metricOf(it), it.TreatMissingData, it.Threshold]).sort()).toEqual([
      ['holdfast-prod-reconcile-providers-behind-github', 'ReconcileLag', 'breaching', 6.5 * 3_600 + 900],
      ['holdfast-prod-reconcile-providers-behind-stripe', 'ReconcileLag', 'breaching', 7 * 3_600 + 900],
      ['holdfast-prod-reconcile-providers-gaps', 'ReconcileGaps', 'notBreaching', 1],
    ]);
    for (const alarm of alarms) {
      const runbook = `${/-- runbook ([a-z-]+) /.exec(JSON.stringify(alarm.AlarmDescription))?.[1]}.md`;
      expect(existsSync(join(import.meta.dirname, '../../../docs/runbooks', runbook)), runbook).toBe(true);
    }
    const [dashboard] = Object.values<Resource>(template.findResources('AWS::CloudWatch::Dashboard'));
    expect(JSON.stringify(dashboard)).toContain('ReconcileGaps');
  });
});

it('no environment has it unless a source asks for it', async () => {
  const plain = (await synthEnvironment('prod')).gateway;
  expect(JSON.stringify(plain.toJSON())).not.toMatch(/reconcile-providers|ReconcileProviders|ReconcileLag/);
});
