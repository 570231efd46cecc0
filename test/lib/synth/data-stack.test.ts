import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { TTL_ATTRIBUTE } from '#core/glossary.ts';
import { EVENT_INDEXES } from '#core/inbound/protocol/event-item.ts';
import { DAY_SECONDS } from '#core/time.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

const synthesized: Record<string, SynthesizedEnvironment> = {};
beforeAll(async () => {
  for (const name of ['local', 'dev', 'staging', 'prod']) synthesized[name] = await synthEnvironment(name);
});
const dataOf = (name: string) => synthesized[name]?.data as SynthesizedEnvironment['data'];
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const resources = (name: string, type: string): Resource[] => Object.values(dataOf(name).findResources(type));

/** Has a name of its own: one left behind by a deploy that was rolled back would be in the way of the next. */
const NAMED = 'AWS::SecretsManager::Secret';
const STATEFUL = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::SQS::Queue', NAMED];

describe('the tables', () => {
  /** The gateway's own: those of the handlers are the handlers' business. */
  const tables = (): Resource[] =>
    Object.entries(dataOf('prod').findResources('AWS::DynamoDB::GlobalTable')).flatMap(([id, table]) =>
      id.startsWith('Store') ? [table] : [],
    );
  const events = () => tables().find(table => table.Properties.GlobalSecondaryIndexes)?.Properties;
  const payloads = () => tables().find(table => !table.Properties.GlobalSecondaryIndexes)?.Properties;

  it('expire items by the attribute the code writes', () => {
    for (const table of tables()) {
      expect(table.Properties.TimeToLiveSpecification).toEqual({ AttributeName: TTL_ATTRIBUTE, Enabled: true });
    }
  });

  it('are on demand, restorable to any second, and not warmed at extra cost', () => {
    for (const { Properties: table } of tables()) {
      expect(table.BillingMode).toBe('PAY_PER_REQUEST');
      expect(table.Replicas[0].PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
      expect(table.WarmThroughput).toBeUndefined();
    }
    expect(tables()).toHaveLength(2);
  });

  it('have the keys and the three indexes the code queries, each as narrow as it can be', () => {
    expect(events().KeySchema).toEqual([{ AttributeName: 'pk', KeyType: 'HASH' }]);
    expect(payloads().KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    const indexes = Object.fromEntries(
      events().GlobalSecondaryIndexes.map((index: Resource) => [index.IndexName, index]),
    );
    expect(Object.keys(indexes).sort()).toEqual(['attention', 'timeline', 'watch']);
    for (const wanted of Object.values(EVENT_INDEXES)) {
      expect(indexes[wanted.name].KeySchema).toEqual([
        { AttributeName: wanted.partition, KeyType: 'HASH' },
        { AttributeName: wanted.sort, KeyType: 'RANGE' },
      ]);
    }
    expect(indexes['watch'].Projection).toEqual({ ProjectionType: 'KEYS_ONLY' });
    expect(indexes['timeline'].Projection).toEqual({ ProjectionType: 'INCLUDE', NonKeyAttributes: ['eventType'] });
    expect(events().AttributeDefinitions).toContainEqual({ AttributeName: 'watchAt', AttributeType: 'N' });
    expect(events().AttributeDefinitions).toContainEqual({ AttributeName: 'timelineAt', AttributeType: 'S' });
  });
});

describe('the queues', () => {
  const queues = (name: string) => resources(name, 'AWS::SQS::Queue');
  const main = (name: string) => queues(name).find(queue => queue.Properties.RedrivePolicy)?.Properties;
  const dead = (name: string) => queues(name).find(queue => !queue.Properties.RedrivePolicy)?.Properties;

  it('let a broken deploy be rolled back for two days before SQS gives a message up', () => {
    expect(main('prod').RedrivePolicy.maxReceiveCount).toBe(1000);
    expect(main('prod').VisibilityTimeout * 1000).toBeGreaterThan(2 * DAY_SECONDS);
  });

  it('keep dead letters longer than the main queue keeps messages', () => {
    for (const name of Object.keys(synthesized)) {
      expect(main(name).MessageRetentionPeriod).toBe(4 * DAY_SECONDS);
      expect(dead(name).MessageRetentionPeriod).toBe(14 * DAY_SECONDS);
    }
  });

  it('take 1 MiB, encrypt, and refuse plain HTTP', () => {
    for (const queue of [main('prod'), dead('prod')]) {
      expect(queue.MaximumMessageSize).toBe(1024 * 1024);
      expect(queue.SqsManagedSseEnabled).toBe(true);
    }
    dataOf('prod').resourcePropertiesCountIs('AWS::SQS::QueuePolicy', denyPlainHttp('sqs:*'), 7);
  });
});

describe('the bucket of large bodies', () => {
  it('is private, speaks TLS only, and keeps a body longer than the longest record', () => {
    const [bucket] = resources('prod', 'AWS::S3::Bucket');
    expect(bucket.Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(bucket.Properties.LifecycleConfiguration.Rules[0].ExpirationInDays).toBe(90 + 7);
    dataOf('prod').hasResourceProperties('AWS::S3::BucketPolicy', denyPlainHttp('s3:*'));
  });
});

describe('the secrets', () => {
  it("are named so that a person can set them, one per source, and empty at first; but for the probe's own", () => {
    const all = resources('prod', NAMED).map(secret => secret.Properties);
    const secrets = all.filter(secret => secret.Name !== 'holdfast/prod/_outbound');
    expect(secrets.map(secret => secret.Name).sort()).toEqual(
      ['default', 'github', 'holdfast-probe', 'shopify', 'slack', 'standard-webhooks', 'stripe'].map(
        source => `holdfast/prod/${source}`,
      ),
    );
    const ours = secrets.find(secret => secret.Name === 'holdfast/prod/holdfast-probe');
    expect(ours?.GenerateSecretString).toMatchObject({ PasswordLength: 64 });
    for (const secret of secrets) {
      expect(secret).not.toHaveProperty('SecretString');
      if (secret === ours) continue;
      expect(secret).not.toHaveProperty('GenerateSecretString');
    }
  });
});

describe('what must survive', () => {
  it('is kept and protected outside local and dev', () => {
    for (const name of ['staging', 'prod']) {
      for (const type of STATEFUL) {
        for (const resource of resources(name, type)) {
          expect(resource, `${name} ${type}`).toMatchObject({
            DeletionPolicy: type === NAMED ? 'RetainExceptOnCreate' : 'Retain',
            UpdateReplacePolicy: 'Retain',
          });
        }
      }
      for (const table of resources(name, 'AWS::DynamoDB::GlobalTable')) {
        expect(table.Properties.Replicas[0].DeletionProtectionEnabled).toBe(true);
      }
      expect(synthesized[name]?.stage.data.terminationProtection).toBe(true);
    }
  });

  it('goes with the stack in local and dev', () => {
    for (const name of ['local', 'dev']) {
      for (const type of STATEFUL) {
        for (const resource of resources(name, type)) expect(resource.DeletionPolicy, `${name} ${type}`).toBe('Delete');
      }
      expect(resources(name, 'AWS::DynamoDB::GlobalTable')[0].Properties.Replicas[0].DeletionProtectionEnabled).toBe(
        false,
      );
    }
  });

  it('has no physical names, so that it can be replaced and restored', () => {
    for (const { Properties } of STATEFUL.slice(0, 3).flatMap(type => resources('prod', type))) {
      expect(Properties).not.toHaveProperty('TableName');
      expect(Properties).not.toHaveProperty('BucketName');
      expect(Properties).not.toHaveProperty('QueueName');
    }
  });
});

function denyPlainHttp(action: string): Record<string, unknown> {
  return {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Action: action, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      ]),
    },
  };
}
