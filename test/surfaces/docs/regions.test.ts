/** Each AWS service that a stack is made of is named where SECURITY.md says which regions will do. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** By the module of the CDK. Undefined: every region has it, or it is a part of another. */
const NAMES: Readonly<Record<string, string | undefined>> = {
  ...{ lambda: 'Lambda', dynamodb: 'DynamoDB', sqs: 'SQS', s3: 'S3', sns: 'SNS', kms: 'KMS' },
  ...{ apigateway: 'API Gateway', apigatewayv2: 'API Gateway', scheduler: 'EventBridge Scheduler' },
  secretsmanager: 'Secrets Manager',
  codedeploy: 'CodeDeploy',
  // In us-east-1, whatever the region.
  ...{ wafv2: '`edge`', cloudfront: '`edge`' },
  ...{ cloudwatch: undefined, iam: undefined, logs: undefined, events: undefined, certificatemanager: undefined },
};

it('names every service that a region must have', () => {
  const line = read('SECURITY.md')
    .split('\n')
    .find(it => it.startsWith('| AWS regions'));
  const code = globSync('{lib,cdk}/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const used = [...code.matchAll(/aws-cdk-lib\/aws-([a-z0-9]+)/g)].map(([, name = '']) => name);
  expect(used.length).toBeGreaterThan(20);
  expect([...new Set(used)].filter(name => !(name in NAMES))).toEqual([]);
  expect(used.filter(name => !line?.includes(NAMES[name] ?? ''))).toEqual([]);
  expect(code.includes('ses:SendEmail') && line?.includes('SES')).toBe(true);
});
