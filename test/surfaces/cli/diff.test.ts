/**
 * What `holdfast diff` says before a deploy:
 * 1. What is replaced, deleted, kept without being managed; loudly where it holds events.
 * 2. What may be done that may not be done now, and what it costs a month.
 * 3. Nested stacks are compared too, with what is deployed of them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { expect, it } from 'vitest';
import { given } from '#core/given.ts';
import { compareTemplates, renderChanges, type Template } from '#local/stacks/compare-templates.ts';
import { readStackPairs } from '#local/stacks/read-stacks.ts';

const table = (TableName: string, more = {}) => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: { TableName, KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] },
  ...more,
});
const alarm = { Type: 'AWS::CloudWatch::Alarm', Properties: { Threshold: 1 } };
const policy = (...Action: string[]) => ({
  Type: 'AWS::IAM::Policy',
  Properties: {
    PolicyName: 'p',
    Roles: [{ Ref: 'ProcessRole' }],
    PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: { 'Fn::GetAtt': ['Counts', 'Arn'] } }] },
  },
});
const data = (Resources: Template['Resources']) => ({ name: 'holdfast-dev-data', template: { Resources } as Template });
const gateway = (Resources: Template['Resources']) => ({
  name: 'holdfast-dev-gateway',
  template: { Resources } as Template,
});
const lines = (before: ReturnType<typeof data>[], after: ReturnType<typeof data>[]): string => {
  const pairs = after.map(({ name, template: next }) => {
    const deployed = before.find(it => it.name === name)?.template;
    return { name, next, ...given({ deployed }) };
  });
  return renderChanges('dev', compareTemplates(pairs)).join('\n');
};

it('says that nothing changes, or only what is made and changed in place', () => {
  const before = [data({ Events: table('events') }), gateway({ A: alarm })];
  expect(lines(before, before)).toBe('Nothing changes in dev.');
  const after = [
    data({ Events: table('events') }),
    gateway({ A: { ...alarm, Properties: { Threshold: 2 } }, B: alarm }),
  ];
  expect(lines(before, after)).toBe(
    'In dev: 1 new resource, 1 changed in place.\n  Fixed cost: $0.20 a month instead of $0.10 (alarms, dashboards, secrets, keys).',
  );
});

it('warns of a table that would be replaced or deleted, and not of an alarm', () => {
  const before = [data({ Events: table('events'), Bodies: table('bodies') }), gateway({ A: alarm })];
  const said = lines(before, [data({ Events: table('other') }), gateway({})]);
  expect(said).toContain('replaced by a new one:\n    holdfast-dev-data Events (AWS::DynamoDB::Table)');
  expect(said).toMatch(/deleted:\n.*holdfast-dev-data Bodies.*\n.*holdfast-dev-gateway A /);
  expect(said).toContain('2 of these resources hold stored events or settings');
  expect(lines([before[1] as never], [gateway({})])).not.toContain('stored events');
});

it('calls a table that stays behind kept', () => {
  const before = [data({ Events: table('events', { DeletionPolicy: 'Retain' }) })];
  expect(lines(before, [data({})])).toMatch(/no longer managed, but kept:\n {4}holdfast-dev-data Events/);
});

it('names what may be done now, for stacks that are there', () => {
  const before = [gateway({ P: policy('dynamodb:GetItem') })];
  const after = [gateway({ P: policy('dynamodb:GetItem', 'dynamodb:PutItem') })];
  expect(lines(before, after)).toMatch(/new permissions:\n {4}.*ProcessRole may .*dynamodb:PutItem on .*Counts/);
  expect(lines(after, after)).toBe('Nothing changes in dev.');
  expect(lines([], after)).not.toContain('new permissions');
});

it('reads nested stacks by their own names, and those that are no longer there', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-diff-'));
  try {
    const nested = (path: string) => ({ Type: 'AWS::CloudFormation::Stack', Metadata: { 'aws:asset:path': path } });
    const write = (file: string, value: unknown) => writeFile(join(directory, file), JSON.stringify(value));
    await write('manifest.json', {
      artifacts: {
        a: {
          type: 'aws:cloudformation:stack',
          environment: 'aws://unknown-account/unknown-region',
          properties: { stackName: 'holdfast-dev-gateway', templateFile: 'a.json' },
        },
        edge: {
          type: 'aws:cloudformation:stack',
          environment: 'aws://unknown-account/us-east-1',
          properties: { stackName: 'holdfast-dev-edge', templateFile: 'edge.json' },
        },
      },
    });
    await write('edge.json', { Resources: {} });
    await write('a.json', { Resources: { Kept: nested('kept.json'), New: nested('new.json') } });
    await write('kept.json', { Resources: { A: alarm, B: alarm } });
    await write('new.json', { Resources: { C: alarm } });
    const stored: Record<string, unknown> = {
      'holdfast-dev-gateway': { Resources: { Kept: nested('x'), Gone: nested('y') } },
      'arn:kept': { Resources: { A: alarm } },
      'arn:gone': { Resources: { Z: alarm } },
      'holdfast-dev-edge': { Resources: {} },
    };
    const send = async (command: object) => {
      const { input } = command as { input: { StackName: string } };
      if (command instanceof DescribeStackResourcesCommand)
        return {
          StackResources: ['Kept', 'Gone'].map(id => ({
            LogicalResourceId: id,
            PhysicalResourceId: `arn:${id.toLowerCase()}`,
          })),
        };
      return { TemplateBody: JSON.stringify(stored[input.StackName]) };
    };
    const askedIn: string[] = [];
    const pairs = await readStackPairs(directory, region => {
      const sendThere = (command: { input: { StackName: string } }) => {
        askedIn.push(`${command.input.StackName} ${region}`);
        return send(command);
      };
      return { send: sendThere } as unknown as CloudFormationClient;
    });
    expect(askedIn).toEqual(
      expect.arrayContaining(['holdfast-dev-gateway undefined', 'arn:kept undefined', 'holdfast-dev-edge us-east-1']),
    );
    const { created, deleted } = compareTemplates(pairs);
    // The alarms B and C, and the nested stack New.
    expect(created).toBe(3);
    expect([...deleted].sort()).toEqual([
      'holdfast-dev-gateway Gone (AWS::CloudFormation::Stack)',
      'holdfast-dev-gateway/Gone Z (AWS::CloudWatch::Alarm)',
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
