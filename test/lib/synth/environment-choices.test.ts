/** What an environment may choose about where it runs and with what: concurrency, key, partition. */
import { describe, expect, it } from 'vitest';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const configOf = (settings: EnvironmentConfig) => ({ ...gateway, environments: { prod: settings } });
const problemsOf = (settings: EnvironmentConfig): string => {
  try {
    resolveDeployment(configOf(settings), 'prod', PROVIDERS);
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('reserved concurrency', () => {
  it('is what the configuration says, for the functions it names', async () => {
    const { gateway: template } = await synthEnvironment(
      'prod',
      configOf({ reservedConcurrency: { ingest: 200, process: 20 } }),
    );
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

describe('batches', () => {
  it('wait for more messages only where the configuration says so', async () => {
    const windowOf = async (settings: object): Promise<unknown> => {
      const { gateway: template } = await synthEnvironment('prod', configOf(settings));
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

  it('encrypts tables, queues, bucket and secrets, and each function may use it', async () => {
    const settings = { account: '123456789012', region: 'eu-central-1', encryptionKey: ARN };
    const { data, gateway: template } = await synthEnvironment('prod', configOf(settings));
    const all = (type: string): Resource[] =>
      Object.values<Resource>(data.findResources(type)).map(it => it.Properties);
    // Tables of handlers are made by their own code, with the key that it chooses.
    const ours = Object.entries<Resource>(data.findResources('AWS::DynamoDB::GlobalTable'));
    expect(ours.filter(([id]) => id.startsWith('Store'))).toHaveLength(2);
    for (const table of ours.filter(([id]) => !id.startsWith('Handlers')).map(([, it]) => it.Properties)) {
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
  });

  it('is none as shipped, keeps the ids of what it encrypts, and must be a key', async () => {
    const [plain, own] = await Promise.all([
      synthEnvironment('prod', configOf({ region: 'eu-central-1' })),
      synthEnvironment('prod', configOf({ encryptionKey: ARN })),
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
