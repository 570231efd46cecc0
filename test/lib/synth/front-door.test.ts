import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROBE_SOURCE } from '#core/glossary.ts';
import { API_ROUTES } from '#core/inbound/api/api-routes.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

let prod: Template;
beforeAll(async () => {
  prod = (await synthEnvironment('prod')).gateway;
});
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const routes = (template: Template = prod): Record<string, Resource> =>
  Object.fromEntries(
    Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(route => [
      route['Properties'].RouteKey,
      route['Properties'],
    ]),
  );
const stage = (): Resource => Object.values(prod.findResources('AWS::ApiGatewayV2::Stage'))[0];

describe('routes', () => {
  it('are one explicit POST per source, the alias of the first days, and those of our own API: no catch-all', () => {
    const sources = ['default', 'github', 'shopify', 'slack', 'standard-webhooks', 'stripe', PROBE_SOURCE];
    expect(Object.keys(routes()).sort()).toEqual(
      [...API_ROUTES, 'GET /health', 'POST /webhook', ...sources.map(id => `POST /webhooks/${id}`)].sort(),
    );
  });

  it('take GET, HEAD and OPTIONS only where the provider shakes hands that way', async () => {
    const meta: ProviderSpec = { ...(PROVIDERS['generic'] as ProviderSpec), id: 'meta', methods: ['POST', 'GET'] };
    const template = (
      await synthEnvironment('dev', { sources: { meta: { provider: meta } }, environments: { dev: {} } })
    ).gateway;
    expect(Object.keys(routes(template)).filter(key => key.includes('meta'))).toEqual([
      'POST /webhooks/meta',
      'GET /webhooks/meta',
    ]);
  });

  it('open the status API to callers with IAM rights only', () => {
    for (const [key, route] of Object.entries(routes())) {
      const isOurs = API_ROUTES.some(it => it === key);
      expect(route.AuthorizationType, key).toBe(isOurs ? 'AWS_IAM' : 'NONE');
    }
  });

  it('hand sources to ingest, and everything else to api', () => {
    const functionOf = (route: Resource): string => {
      const integration = prod.findResources('AWS::ApiGatewayV2::Integration')[route.Target['Fn::Join'][1][1].Ref];
      return JSON.stringify(integration?.['Properties'].IntegrationUri).match(/"(\w+?)Function/)?.[1] ?? '';
    };
    for (const [key, route] of Object.entries(routes())) {
      expect(functionOf(route), key).toBe(key.startsWith('POST /webhook') ? 'Ingest' : 'Api');
    }
  });

  it('need one permission per function, not one per route: sixty would not fit into its policy', () => {
    const permissions = prod.findResources('AWS::Lambda::Permission', {
      Properties: { Principal: 'apigateway.amazonaws.com' },
    });
    expect(Object.keys(permissions)).toHaveLength(2);
  });

  it('are not opened to browsers', () => {
    prod.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
  });
});

describe('throttles', () => {
  it('are those of the stage, above the bursts we promise to take; everybody may ask for /health, and not often', () => {
    expect(stage().Properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 });
    expect(stage().Properties.RouteSettings).toEqual({
      'GET /health': { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
    });
    // API Gateway refuses the settings of a route that does not exist yet.
    const health = Object.entries(prod.findResources('AWS::ApiGatewayV2::Route')).find(
      ([, route]) => route['Properties'].RouteKey === 'GET /health',
    );
    expect(stage().DependsOn).toEqual([health?.[0]]);
  });
});

describe('the API', () => {
  it('is named after its environment', () => {
    prod.hasResourceProperties('AWS::ApiGatewayV2::Api', { Name: 'holdfast-prod' });
  });
});

describe('the access log', () => {
  it('is JSON, has what an alarm and a person need, and neither query nor headers', () => {
    const format = stage().Properties.AccessLogSettings.Format as string;
    expect(Object.keys(JSON.parse(format))).toEqual(
      expect.arrayContaining(['requestId', 'route', 'status', 'latencyMs', 'ip', 'integrationStatus']),
    );
    expect(format).not.toMatch(/query|header|\$context\.path\b/i);
    // API Gateway puts a text in as it is: a quote in it, and the line is no JSON.
    expect(format).not.toMatch(/message/i);
  });

  it('is where throttled requests are counted', () => {
    prod.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.status = "429" }',
      MetricTransformations: [{ MetricNamespace: 'Holdfast/prod', MetricName: 'Throttled', MetricValue: '1' }],
    });
  });
});

describe('outputs', () => {
  it('name everything a person or a tool looks for', () => {
    const outputs = prod.toJSON()['Outputs'];
    // An export of a topic is for the delivery stack alone.
    const named = Object.keys(outputs).filter(name => !/^ExportsOutputRefAlarmsTopics/.test(name));
    expect(named.sort()).toEqual(
      [
        ...['ApiId', 'ApiUrl', 'DashboardUrl', 'EventsTable', 'PayloadsTable', 'BodiesBucket'],
        ...['WorkQueueUrl', 'DeadQueueUrl', 'PageTopic', 'TicketTopic', 'NoticeTopic'],
        ...['Api', 'Audit', 'Ingest', 'Notify', 'Probe', 'Process', 'Sweep'].map(name => `${name}Function`),
        ...['Default', 'Github', 'Shopify', 'Slack', 'StandardWebhooks', 'Stripe'].map(name => `WebhookUrl${name}`),
      ].sort(),
    );
    expect(outputs.WebhookUrlStripe.Description).toContain('Stripe');
  });

  it('give the public URL where one is configured', async () => {
    const template = (
      await synthEnvironment('prod', { ...gateway, environments: { prod: { publicUrl: 'https://hooks.example.com' } } })
    ).gateway;
    template.hasOutput('WebhookUrlStripe', { Value: 'https://hooks.example.com/webhooks/stripe' });
  });
});
