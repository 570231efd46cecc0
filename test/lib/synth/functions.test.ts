import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { SWEEP_RUN_SECONDS } from '#core/config/sweeper-speed.ts';
import { apiEnv } from '#lambdas/api/env.ts';
import { auditEnv } from '#lambdas/audit/env.ts';
import { ingestEnv } from '#lambdas/ingest/env.ts';
import { notifyEnv } from '#lambdas/notify/env.ts';
import { probeEnv } from '#lambdas/probe/env.ts';
import { processEnv } from '#lambdas/process/env.ts';
import { sweepEnv } from '#lambdas/sweep/env.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

const templates: Record<string, Template> = {};
beforeAll(async () => {
  for (const name of ['local', 'prod']) templates[name] = (await synthEnvironment(name)).gateway;
});
const prod = () => templates['prod'] as Template;
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const functions = (template: Template = prod()): Record<string, Resource> =>
  Object.fromEntries(
    Object.entries(template.findResources('AWS::Lambda::Function')).map(([id, resource]) => [
      id.replace(/Function[0-9A-F]{8}$/, '').toLowerCase(),
      resource['Properties'],
    ]),
  );

describe('every function', () => {
  it('runs on Node 24, arm64, 512 MB (two of them with a core), and logs JSON without START and REPORT lines', () => {
    const names = ['api', 'audit', 'ingest', 'notify', 'probe', 'process', 'sweep'];
    expect(Object.keys(functions()).sort()).toEqual(names);
    for (const [name, each] of Object.entries(functions())) {
      expect(each).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        // One whole core: a night would be too short for the audit of all records, and a minute for the sweeper's sends.
        MemorySize: ['audit', 'sweep'].includes(name) ? 1_769 : 512,
        Handler: 'index.handler',
        LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', ApplicationLogLevel: 'INFO' },
      });
      expect(each.LoggingConfig.LogGroup).toBeDefined();
    }
  });

  it('gives the sweeper five seconds more than its work takes, to report', () => {
    expect(functions()['sweep'].Timeout).toBe(SWEEP_RUN_SECONDS + 5);
  });

  it('gets exactly the variables it declares (and the process function those of the handlers)', () => {
    const daily = { audit: auditEnv, sweep: sweepEnv, probe: probeEnv, notify: notifyEnv };
    const contracts = { api: apiEnv, ingest: ingestEnv, process: processEnv, ...daily };
    for (const [name, contract] of Object.entries(contracts)) {
      const given = Object.keys(functions()[name].Environment.Variables).sort();
      const handlers = name === 'process' ? ['PAYMENTS_TABLE', 'PUSHES_TABLE'] : [];
      expect(given, name).toEqual([...Object.keys(contract), ...handlers].sort());
    }
  });

  it('forgets its logs after the retention of the environment', () => {
    // One for each function and one for the front door; there is no probe locally.
    for (const [name, days, count] of [
      ['local', 3, 7],
      ['prod', 30, 8],
    ] as const) {
      const groups = templates[name]?.findResources('AWS::Logs::LogGroup') ?? {};
      expect(Object.keys(groups)).toHaveLength(count);
      for (const group of Object.values(groups)) expect(group['Properties'].RetentionInDays).toBe(days);
    }
  });
});

describe('the mapping of the process function', () => {
  it('reports failures message by message: without it SQS deletes what failed', () => {
    for (const template of Object.values(templates)) {
      const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
      expect(mappings).toHaveLength(1);
      expect(mappings[0]?.['Properties']).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BatchSize: 10,
        ScalingConfig: { MaximumConcurrency: 20 },
      });
      // No window: waiting for a fuller batch would cost latency.
      expect(mappings[0]?.['Properties'].MaximumBatchingWindowInSeconds ?? 0).toBe(0);
    }
  });

  it('hides a message for at least six timeouts', async () => {
    for (const name of ['local', 'dev', 'staging', 'prod']) {
      const { data, gateway: template } = await synthEnvironment(name);
      const queue = Object.values(data.findResources('AWS::SQS::Queue')).find(each => each['Properties'].RedrivePolicy);
      const { Timeout } = functions(template)['process'];
      expect(queue?.['Properties'].VisibilityTimeout, name).toBeGreaterThanOrEqual(6 * Timeout);
    }
  });

  it('never asks for more concurrency than the function may have', () => {
    const { ReservedConcurrentExecutions } = functions()['process'];
    expect(ReservedConcurrentExecutions ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(20);
  });
});

describe('retries', () => {
  it('may go through the queue of their own function more than 16 times', () => {
    expect(functions()['process'].RecursiveLoop).toBe('Allow');
    for (const name of ['ingest', 'sweep', 'api', 'audit', 'probe', 'notify'])
      expect(functions()[name]).not.toHaveProperty('RecursiveLoop');
  });
});

describe('timeouts', () => {
  it('of ingest leave its own budget room to answer 503 before Lambda kills it', () => {
    const { config } = resolveDeployment(gateway, 'prod', PROVIDERS);
    expect(functions()['ingest'].Timeout * 1000).toBeGreaterThan(config.timings.ingestBudgetMs + 2_000);
  });

  it('of the sweeper end before its next run starts', () => {
    expect(functions()['sweep'].Timeout).toBeLessThan(60);
  });
});

describe('schedules', () => {
  it('sweep and probe every minute and audit in the runs of a night, without retries of a run the next one makes up for', () => {
    const schedules = Object.values(prod().findResources('AWS::Scheduler::Schedule')).map(each => each['Properties']);
    expect(schedules.map(each => each.ScheduleExpression).sort()).toEqual([
      'cron(17,37,57 3-6 * * ? *)',
      'rate(1 minute)',
      'rate(1 minute)',
    ]);
    for (const schedule of schedules) {
      expect(schedule.State).toBe('ENABLED');
      expect(schedule.Target.RetryPolicy.MaximumRetryAttempts).toBe(0);
    }
  });
});

describe('what the scheduler starts', () => {
  it('is repeated by nobody: Lambda itself would try three times and keep a run for six hours', async () => {
    const stripe = { provider: 'stripe', reconcile: { types: ['*'] } };
    const { gateway: template } = await synthEnvironment('prod', { sources: { stripe }, environments: { prod: {} } });
    const started = Object.values<Resource>(template.findResources('AWS::Scheduler::Schedule')).map(
      it => it.Properties.Target.Arn['Fn::GetAtt'][0],
    );
    expect(started).toHaveLength(4);
    for (const id of started)
      template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
        FunctionName: { Ref: id },
        Qualifier: '$LATEST',
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: Match.anyValue(),
      });
  });

  it('is started by schedules of this account only', () => {
    const roles = Object.values<Resource>(prod().findResources('AWS::IAM::Role')).map(
      it => it.Properties.AssumeRolePolicyDocument.Statement[0],
    );
    const schedulers = roles.filter(it => it.Principal.Service === 'scheduler.amazonaws.com');
    expect(schedulers).toHaveLength(3);
    for (const it of schedulers)
      expect(it.Condition).toEqual({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
  });
});

describe('warm environments of ingest', () => {
  it('are off unless paid for, and then serve the routes', async () => {
    prod().resourceCountIs('AWS::Lambda::Alias', 0);
    const warm = await synthEnvironment('prod', {
      ...gateway,
      environments: { prod: { ingestProvisionedConcurrency: 2 } },
    });
    warm.gateway.hasResourceProperties('AWS::Lambda::Alias', {
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
    });
    warm.gateway.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      IntegrationUri: { Ref: Match.stringLikeRegexp('IngestWarm') },
    });
  });
});
