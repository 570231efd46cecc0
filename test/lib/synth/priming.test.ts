/** What a start reads to warm its clients is what its role may: a refused call at each start is noise in CloudTrail. */
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { PRIME_EVENTS } from '#core/glossary.ts';
import { PRIME_REGISTRY } from '#lambdas/shared/prime-registry.ts';
import { synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;
let statements: ReadonlyMap<string, readonly Json[]>;
const rolesOf = (template: Template): [string, readonly Json[]][] =>
  Object.entries<Json>(template.findResources('AWS::IAM::Policy')).map(([id, { Properties }]) => [
    id.replace(/Role.*$/, ''),
    Properties.PolicyDocument.Statement,
  ]);

beforeAll(async () => {
  const { gateway, stage } = await synthEnvironment('prod', {
    sources: { stripe: { provider: 'stripe' } },
    environments: { prod: { outbound: { portal: { name: 'Acme' } } } },
  });
  const { Template: Templates } = await import('aws-cdk-lib/assertions');
  statements = new Map([...rolesOf(gateway), ...rolesOf(Templates.fromStack(stage.delivery as Json))]);
});

function allows(role: string, action: string, resource: RegExp, pk?: string): boolean {
  return (statements.get(role) ?? []).some(each => {
    const leading: readonly string[] | undefined =
      each.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
    return (
      each.Effect === 'Allow' &&
      [each.Action].flat().includes(action) &&
      resource.test(JSON.stringify(each.Resource)) &&
      (pk === undefined || leading === undefined || leading.some(key => pk.startsWith(key.slice(0, -1))))
    );
  });
}

describe.each(['Ingest', 'Process'])('%s', role => {
  it('may read what it reads at a start', () => {
    expect(allows(role, 'dynamodb:GetItem', /StoreEvents/, PRIME_EVENTS.pk)).toBe(true);
    expect(allows(role, 'sqs:GetQueueAttributes', /WorkMain/)).toBe(true);
  });
});

describe.each(['Publish', 'FanOut', 'DrainFast', 'DrainSlow', 'DeliveryApi', 'Portal', 'Tend'])('%s', role => {
  it('may read what it reads at a start', () => {
    expect(allows(role, 'dynamodb:GetItem', /OutboundRegistry/, PRIME_REGISTRY.pk)).toBe(true);
    expect(allows(role, 'sqs:GetQueueAttributes', /DeliveryJobs/)).toBe(true);
  });
});
