/** CloudFront and AWS WAF before the front door: nothing of it unless configured, else one stack of its own in us-east-1. */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EdgeConfig } from '#core/config/edge-config.ts';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const ACCOUNT = '123456789012';
const apiUrl = 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com';
const certificate = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/0a1b`;
const configOf = (edge: Partial<EdgeConfig>, region = 'eu-central-1', more: EnvironmentConfig = {}) => ({
  ...gateway,
  environments: {
    prod: {
      ...{ account: ACCOUNT, region, ...more },
      edge: { apiUrl: apiUrl.replace('eu-central-1', region), requestsPerMinute: 2_000, ...edge },
    },
  },
});
const plainConfig = { ...gateway, environments: { prod: { account: ACCOUNT, region: 'eu-central-1' } } };

let plain: SynthesizedEnvironment;
let made: SynthesizedEnvironment;
let edge: Template;
beforeAll(async () => {
  [plain, made] = await Promise.all([synthEnvironment('prod', plainConfig), synthEnvironment('prod', configOf({}))]);
  if (!made.stage.edge) throw new Error('no stack was made');
  edge = Template.fromStack(made.stage.edge);
});
const only = (type: string): Resource => Object.values<Resource>(edge.findResources(type))[0].Properties;

describe('without edge', () => {
  it('there is nothing of it', () => {
    expect(plain.stage.edge).toBeUndefined();
    const all = JSON.stringify([plain.data.toJSON(), plain.gateway.toJSON()]);
    expect(all).not.toMatch(/cloudfront|wafv2|holdfast-edge/i);
  });
});

describe('with edge', () => {
  it('the other stacks change in one thing: ingest may read the secret', () => {
    expect(made.data.toJSON()).toEqual(plain.data.toJSON());
    const [before, after] = [plain, made].map(({ gateway: template }) => template.toJSON()['Resources'] as Resource);
    const changed = Object.keys(after).filter(id => JSON.stringify(after[id]) !== JSON.stringify(before[id]));
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(changed.filter(id => !/^Ingest.*Policy/.test(id))).toEqual([]);
    expect(JSON.stringify(changed.map(id => after[id]))).toContain('holdfast/prod/holdfast-edge-??????');
  });

  it('its stack is in us-east-1, and refers to no other', () => {
    expect(made.stage.edge?.region).toBe('us-east-1');
    expect(made.stage.edge?.dependencies).toEqual([]);
    expect(JSON.stringify(edge.toJSON())).not.toContain('Fn::ImportValue');
  });

  it('one address may send this number of requests in a minute; more get 429 and the time to come again', () => {
    const { Scope, DefaultAction, Rules } = only('AWS::WAFv2::WebACL');
    expect([Scope, DefaultAction]).toEqual(['CLOUDFRONT', { Allow: {} }]);
    expect(Rules).toHaveLength(1);
    expect(Rules[0].Statement).toEqual({
      RateBasedStatement: { AggregateKeyType: 'IP', Limit: 2_000, EvaluationWindowSec: 60 },
    });
    expect(Rules[0].Action.Block.CustomResponse).toEqual({
      ResponseCode: 429,
      ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
    });
    expect(only('AWS::CloudFront::Distribution').DistributionConfig.WebACLId).toHaveProperty('Fn::GetAtt');
  });

  it('a request reaches the API as it was sent, and shows a secret that stands in no template', () => {
    const { Origins, DefaultCacheBehavior, IPV6Enabled } = only('AWS::CloudFront::Distribution').DistributionConfig;
    expect(IPV6Enabled).toBe(false);
    expect(Origins).toHaveLength(1);
    expect(Origins[0].DomainName).toBe('a1b2c3.execute-api.eu-central-1.amazonaws.com');
    expect(Origins[0].CustomOriginConfig.OriginProtocolPolicy).toBe('https-only');
    const [header] = Origins[0].OriginCustomHeaders;
    expect(header.HeaderName).toBe('x-holdfast-edge');
    expect(JSON.stringify(header.HeaderValue)).toMatch(/\{\{resolve:secretsmanager:.*:SecretString:current\}\}/);
    // CachingDisabled, AllViewerExceptHostHeader.
    expect(DefaultCacheBehavior).toMatchObject({
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      Compress: false,
      ViewerProtocolPolicy: 'https-only',
      AllowedMethods: expect.arrayContaining(['GET', 'HEAD', 'OPTIONS', 'POST']),
    });
  });

  it('the secret is made once, and is in both regions where these are two', async () => {
    expect(only('AWS::SecretsManager::Secret')).toMatchObject({
      Name: 'holdfast/prod/holdfast-edge',
      GenerateSecretString: { GenerateStringKey: 'current', SecretStringTemplate: '{}' },
      ReplicaRegions: [{ Region: 'eu-central-1' }],
    });
    const { stage } = await synthEnvironment('prod', configOf({}, 'us-east-1', { alarms: 'none' }));
    if (!stage.edge) throw new Error('no stack was made');
    const [secret] = Object.values<Resource>(
      Template.fromStack(stage.edge).findResources('AWS::SecretsManager::Secret'),
    );
    expect(secret.Properties).not.toHaveProperty('ReplicaRegions');
  });

  it('ingest has the code for it only where it is configured', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-edge-'));
    const configs = [plainConfig, configOf({})].map((each, at) => {
      const { config } = resolveDeployment(each, 'prod', PROVIDERS);
      return { ...config, environment: `prod-${at}` };
    });
    const bundled = await bundleFunctions({ configs, functions: ['ingest'], outputFolder: folder });
    const has = (environment: string) =>
      readdirSync(bundled.get(environment)?.ingest ?? '').some(file => /^edge-door-\w+\.mjs$/.test(file));
    expect([has('prod-0'), has('prod-1')]).toEqual([false, true]);
    await rm(folder, { recursive: true, force: true });
  }, 30_000);

  it('answers to a name of yours where there is a certificate for it', async () => {
    expect(only('AWS::CloudFront::Distribution').DistributionConfig).not.toHaveProperty('Aliases');
    const { stage } = await synthEnvironment(
      'prod',
      configOf({ certificate }, 'eu-central-1', { publicUrl: 'https://hooks.example.com', alarms: 'none' }),
    );
    if (!stage.edge) throw new Error('no stack was made');
    Template.fromStack(stage.edge).hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: ['hooks.example.com'],
        ViewerCertificate: {
          AcmCertificateArn: certificate,
          MinimumProtocolVersion: 'TLSv1.2_2021',
          SslSupportMethod: 'sni-only',
        },
      },
    });
  });
});
