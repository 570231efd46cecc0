/** What an environment may choose about where it runs and with what: concurrency, key, partition. */
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthAnew, synthEnvironment } from './synth-environment.ts';
import { stacksOf } from './transitions.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const configOf = (settings: EnvironmentConfig) => ({ ...gateway, environments: { prod: settings } });
/** For what no alarm has to do with: half of a stage is alarms. */
const unwatched = (settings: EnvironmentConfig) => synthEnvironment('prod', configOf({ alarms: 'none', ...settings }));
const problemsOf = (settings: EnvironmentConfig, emulated = false): string => {
  try {
    resolveDeployment(configOf(settings), 'prod', PROVIDERS, { emulated });
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('reserved concurrency', () => {
  it('is what the configuration says, for the functions it names', async () => {
    const { gateway: template } = await unwatched({ reservedConcurrency: { ingest: 200, process: 20 } });
    const reserved = Object.values<Resource>(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.ReservedConcurrentExecutions,
    );
    expect(reserved.filter(it => it !== undefined).sort()).toEqual([20, 200]);
  });

  it('is never less for process than its mapping may use: the rest would be throttled', () => {
    const both = { reservedConcurrency: { process: 10 }, queue: { maxConcurrency: 20 } };
    expect(problemsOf(both)).toMatch(/reservedConcurrency\.process.*at least queue\.maxConcurrency/);
    expect(problemsOf({ ...both, queue: { maxConcurrency: 10 } })).toBe('');
    expect(problemsOf({ reservedConcurrency: { sweep: 1 } as never })).toContain('reservedConcurrency.sweep');
  });
});

describe('warm throughput', () => {
  it('is that of each table and of each of its indexes: raising a table raises none of them', async () => {
    const { data } = await unwatched({ warmWriteUnits: 21_000, outbound: {} });
    const tables = Object.entries<Resource>(data.findResources('AWS::DynamoDB::GlobalTable')).filter(
      ([id]) => !id.startsWith('Handlers'),
    );
    expect(tables).toHaveLength(4);
    const warm = { WriteUnitsPerSecond: 21_000 };
    for (const [id, { Properties }] of tables) {
      expect(Properties.WarmThroughput, id).toEqual(warm);
      for (const index of Properties.GlobalSecondaryIndexes ?? []) expect(index.WarmThroughput, id).toEqual(warm);
    }
    expect(tables.flatMap(([, it]) => it.Properties.GlobalSecondaryIndexes ?? [])).toHaveLength(5);
  });

  it('is nothing as shipped, and within what DynamoDB gives unasked', async () => {
    expect(JSON.stringify((await synthEnvironment('prod')).data.toJSON())).not.toContain('WarmThroughput');
    expect(problemsOf({ warmWriteUnits: 3_000 })).toMatch(/warmWriteUnits.*3000.*4,?000/);
    expect(problemsOf({ warmWriteUnits: 50_000 })).toContain('warmWriteUnits');
  });
});

describe('a boundary of permissions', () => {
  const BOUNDARY = 'arn:aws:iam::123456789012:policy/team/bounds';

  it('bounds every role of every stack', async () => {
    const settings = { region: 'eu-central-1', permissionsBoundary: BOUNDARY, outbound: {} };
    const { stage } = await synthEnvironment('prod', configOf(settings));
    const roles = stage
      .synth()
      .stacks.flatMap(({ template }) => Object.values<Resource>(template.Resources))
      .filter(({ Type }) => Type === 'AWS::IAM::Role');
    expect(roles.length).toBeGreaterThan(10);
    for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toBe(BOUNDARY);
    expect(problemsOf({ permissionsBoundary: 'bounds' })).toContain('the ARN of an IAM policy');
  });
});

const domain = {
  name: 'hooks.example.com',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222',
};

describe('a domain of yours', () => {
  it('leads to the API by a certificate and a mapping, says where its DNS name leads, and is what providers are given', async () => {
    const { gateway: template } = await unwatched({ region: 'eu-central-1', domain });
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: domain.name,
      DomainNameConfigurations: [
        { CertificateArn: domain.certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
      ],
    });
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    template.hasOutput('WebhookUrlStripe', { Value: 'https://hooks.example.com/webhooks/stripe' });
    expect(Object.keys(template.findOutputs('DomainTarget'))).toHaveLength(1);
    expect(JSON.stringify(template.findResources('AWS::ApiGatewayV2::Api'))).not.toContain('DisableExecuteApiEndpoint');
  });

  it('is the only way in where the own host is closed', async () => {
    const closed = { ...domain, defaultEndpoint: 'closed' } as const;
    const { gateway: template } = await unwatched({ region: 'eu-central-1', domain: closed });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    template.hasOutput('ApiUrl', { Value: 'https://hooks.example.com' });
  });

  it('is refused with what cannot work', () => {
    const region = 'eu-central-1';
    expect(problemsOf({ region: 'us-east-1', domain })).toMatch(
      /domain\.certificate: given a certificate in eu-central-1/,
    );
    expect(problemsOf({ region, domain: { ...domain, name: 'https://x.example.com' } })).toContain(
      'write the host alone',
    );
    expect(problemsOf({ region, domain }, true)).toContain('the local AWS has no domains');
    const edge = { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 };
    expect(problemsOf({ region, edge, domain: { ...domain, defaultEndpoint: 'closed' } })).toMatch(
      /'closed' with edge/,
    );
  });
});

describe('the front door by IPv6', () => {
  const region = 'eu-central-1';
  const withRanges = (...allowList: string[]) => {
    const sources = { stripe: { provider: 'stripe', allowList } } as const;
    return () => resolveDeployment({ sources, environments: { prod: { region, ipv6: true } } }, 'prod', PROVIDERS);
  };

  it('is off, and then the template says nothing of it; on, the API and its domain have both kinds of addresses', async () => {
    const { gateway: off } = await unwatched({ region, domain });
    expect(JSON.stringify(off.toJSON())).not.toContain('IpAddressType');
    const { gateway: on } = await unwatched({ region, domain, ipv6: true });
    on.hasResourceProperties('AWS::ApiGatewayV2::Api', { IpAddressType: 'dualstack' });
    on.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainNameConfigurations: [{ EndpointType: 'REGIONAL', IpAddressType: 'dualstack' }],
    });
  });

  it('is refused where a list has no range of IPv6, and where a limit counts addresses', () => {
    expect(withRanges('192.0.2.0/24')).toThrow(/sources\.stripe\.allowList.*ipv6/s);
    expect(withRanges('192.0.2.0/24', '2001:db8::/32')).not.toThrow();
    const edge = { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 };
    expect(problemsOf({ region, edge, ipv6: true })).toMatch(/ipv6: given true with edge/);
  });
});

describe('the throttle of publishing', () => {
  it('is what the configuration says, else that of all routes', async () => {
    const throttleOf = async (outbound: object): Promise<unknown> => {
      const { stage } = await unwatched({ outbound });
      const { delivery } = stage;
      if (delivery === undefined) throw new Error('no delivery stack');
      const [it] = Object.values<Resource>(Template.fromStack(delivery).findResources('AWS::ApiGatewayV2::Stage'));
      return it.Properties.DefaultRouteSettings;
    };
    expect(await throttleOf({})).toEqual({ ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 });
    expect(await throttleOf({ throttle: 5_000 })).toEqual({
      ThrottlingRateLimit: 5_000,
      ThrottlingBurstLimit: 5_000,
    });
    expect(problemsOf({ outbound: { throttle: 20_000 } })).toContain('outbound.throttle');
  });
});

describe('the order of outputs', () => {
  it('is the same in two templates of one configuration', async () => {
    const settings = configOf({ outbound: {}, probe: true });
    const [one, two] = await Promise.all([synthAnew('prod', settings), synthAnew('prod', settings)]);
    const stacks = stacksOf(one.stage);
    expect(stacks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['data', 'gateway', 'delivery'].map(name => `holdfast-prod-${name}`)),
    );
    expect(JSON.stringify(stacks)).toBe(JSON.stringify(stacksOf(two.stage)));
  });
});

describe('batches', () => {
  it('wait for more messages only where the configuration says so', async () => {
    const windowOf = async (settings: object): Promise<unknown> => {
      const { gateway: template } = await unwatched(settings);
      const mappings = Object.values<Resource>(template.findResources('AWS::Lambda::EventSourceMapping'));
      return mappings.map(({ Properties }) => Properties.MaximumBatchingWindowInSeconds);
    };
    expect(await windowOf({})).toEqual([undefined]);
    expect(await windowOf({ queue: { batchingWindowSeconds: 1 } })).toEqual([1]);
    expect(problemsOf({ queue: { batchingWindowSeconds: 11 } })).toContain('queue.batchingWindowSeconds');
  });
});

describe('a key of yours', () => {
  const ARN = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-1234567890ab';

  const place = { account: '123456789012', region: 'eu-central-1' };
  const settings = { ...place, encryptionKey: ARN };

  it('encrypts tables, queues, bucket and secrets, and each function may use it', async () => {
    const { data, gateway: template } = await synthEnvironment('prod', configOf(settings));
    const all = (type: string): Resource[] =>
      Object.values<Resource>(data.findResources(type)).map(it => it.Properties);
    const ours = Object.entries<Resource>(data.findResources('AWS::DynamoDB::GlobalTable'));
    expect(ours.filter(([id]) => id.startsWith('Store'))).toHaveLength(2);
    // The code of handlers is given the key for its tables, and the shipped one takes it.
    expect(ours.filter(([id]) => id.startsWith('Handlers'))).toHaveLength(2);
    for (const table of ours.map(([, it]) => it.Properties)) {
      expect(table.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      expect(table.Replicas[0].SSESpecification).toEqual({ KMSMasterKeyId: ARN });
    }
    for (const queue of all('AWS::SQS::Queue')) expect(queue.KmsMasterKeyId).toBe(ARN);
    expect(JSON.stringify(all('AWS::S3::Bucket'))).toContain(`"KMSMasterKeyID":"${ARN}"`);
    // A key of the bucket and an hour of a queue's data key: each call to KMS costs more than what it encrypts.
    expect(JSON.stringify(all('AWS::S3::Bucket'))).toContain('"BucketKeyEnabled":true');
    for (const queue of all('AWS::SQS::Queue')) expect(queue.KmsDataKeyReusePeriodSeconds).toBe(3_600);
    for (const secret of all('AWS::SecretsManager::Secret')) expect(secret.KmsKeyId).toBe(ARN);
    const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
    const users = Object.values<Resource>(template.findResources('AWS::IAM::Policy')).filter(({ Properties }) =>
      Properties.PolicyDocument.Statement.some(
        ({ Action, Resource: on }: Resource) =>
          [on].flat().includes(ARN) && `${Action}` === 'kms:Decrypt,kms:GenerateDataKey',
      ),
    );
    expect(users).toHaveLength(functions.length);
    // All that AWS asks of whoever uses a table under a key, through DynamoDB only.
    const statements = users.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    const through = statements.filter(({ Condition }: Resource) => Condition?.StringLike?.['kms:ViaService']);
    expect(through).toHaveLength(functions.length);
    expect(through[0].Action).toEqual(expect.arrayContaining(['kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom']));
    expect(through[0].Condition.StringLike['kms:ViaService']).toBe('dynamodb.eu-central-1.amazonaws.*');
  });

  it('is none as shipped, keeps the ids of what it encrypts, and must be a key', async () => {
    const [plain, own] = await Promise.all([
      synthEnvironment('prod', configOf(place)),
      synthEnvironment('prod', configOf(settings)),
    ]);
    expect(JSON.stringify(plain.data.toJSON())).not.toContain(':kms:');
    expect(Object.keys(own.data.toJSON()['Resources'])).toEqual(Object.keys(plain.data.toJSON()['Resources']));
    expect(problemsOf({ encryptionKey: 'alias/mine' })).toContain('arn:aws:kms');
    expect(problemsOf({ encryptionKey: ARN, region: 'us-east-1' })).toMatch(
      /a key in eu-central-1 with region us-east-1/,
    );
  });
});

describe('an environment in another partition', () => {
  it.each([
    ['eu-central-1', 'console.aws.amazon.com'],
    ['cn-north-1', 'console.amazonaws.cn'],
    ['us-gov-west-1', 'console.amazonaws-us-gov.com'],
    ['eusc-de-east-1', 'console.amazonaws-eusc.eu'],
  ])('%s is a region, and its console is at %s', async (region, address) => {
    const { gateway: template } = await synthEnvironment('prod', configOf({ account: '123456789012', region }));
    expect(template.toJSON()['Outputs'].DashboardUrl.Value).toMatch(new RegExp(`^https://${region}\\.${address}/`));
    // Every ARN is made of the partition, never of the word aws.
    if (region !== 'eu-central-1') expect(JSON.stringify(template.toJSON())).not.toContain('"arn:aws:');
  });
});
