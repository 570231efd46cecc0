/**
 * What `npm run deploy` finds in the templates before anything is changed:
 * 1. What CloudFormation would refuse is refused here, with the order that works.
 * 2. A table of the gateway is neither made anew nor left behind.
 * 3. A secret that was kept comes back by import, with its value.
 * 4. A stack that the configuration no longer has is named.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  type CreateChangeSetCommandInput,
  type CloudFormationServiceException as Refusal,
} from '@aws-sdk/client-cloudformation';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import { adoptSecrets } from '#local/stacks/adopt-secrets.ts';
import { blockedChanges } from '#local/stacks/blocked-changes.ts';
import type { StackPair, Template } from '#local/stacks/compare-templates.ts';
import { leftStacks } from '#local/stacks/left-stacks.ts';

interface Stored {
  readonly name: string;
  readonly template: Template;
}
/** As 0.1.0 deployed them. */
const STORED: Readonly<Record<string, readonly Stored[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/stacks/0.1.0.json'), 'utf8'),
);
function pairsOf(from: string, to: string): readonly StackPair[] {
  const [before = [], after = []] = [STORED[from], STORED[to]];
  const names = new Set([...before, ...after].map(each => each.name));
  const find = (all: readonly Stored[], name: string) => all.find(each => each.name === name)?.template;
  return [...names].map(name => {
    const [deployed, next] = [find(before, name), find(after, name)];
    return { name, ...given({ deployed, next }) };
  });
}

describe('a change that CloudFormation would refuse', () => {
  const outbound = 'outbound, essential alarms, a portal and a route';

  it('is refused with the stack that has to go first: as 0.1.0 took outbound out', () => {
    const blocked = blockedChanges('prod', pairsOf(outbound, 'base'));
    expect(blocked.join('\n')).toContain('aws cloudformation delete-stack --stack-name holdfast-prod-delivery');
    // After which its tables would have been lost.
    expect(blocked.join('\n')).toMatch(
      /OutboundRegistry\w+ of holdfast-prod-data .* would be left where nothing finds it/,
    );
  });

  it('is refused with the stack that has to be deployed first: as 0.1.0 took alarms away', () => {
    const blocked = blockedChanges('prod', pairsOf('everything', outbound));
    expect(blocked.join('\n')).toMatch(
      /^holdfast-prod-delivery imports what holdfast-prod-gateway .*: deploy it first/m,
    );
  });

  it('and nothing else is', () => {
    for (const name of Object.keys(STORED)) expect(blockedChanges('prod', pairsOf(name, name))).toEqual([]);
    expect(blockedChanges('prod', pairsOf('base', 'everything'))).toEqual([]);
  });
});

describe('the bucket of large bodies', () => {
  const data = (days: number) => ({
    Resources: {
      StoreBodies: {
        Type: 'AWS::S3::Bucket',
        DeletionPolicy: 'Retain',
        Properties: { LifecycleConfiguration: { Rules: [{ ExpirationInDays: days }] } },
      },
    },
  });
  const change = (days: number, delivery: Omit<StackPair, 'name'>) =>
    blockedChanges('prod', [
      { name: 'holdfast-prod-data', deployed: data(372), next: data(days) },
      { name: 'holdfast-prod-delivery', ...delivery },
    ]);
  const template = { Resources: {} };

  it('does not forget bodies of messages when outbound is taken out: the setting that keeps them is named', () => {
    const refused = change(97, { deployed: template });
    expect(refused).toEqual([expect.stringMatching(/after 97 days instead of 372.*Set deadRetentionDays: 365/)]);
  });

  it('may keep them as long, or shorter where outbound stays and its retention is changed on purpose', () => {
    expect(change(372, { deployed: template })).toEqual([]);
    expect(change(97, { deployed: template, next: template })).toEqual([]);
  });
});

const table = (name: string) => ({
  Type: 'AWS::DynamoDB::Table',
  DeletionPolicy: 'Retain',
  Properties: { TableName: name, KeySchema: [{ AttributeName: name, KeyType: 'HASH' }] },
});

it('a table of the gateway is not made anew; one of a handler is its owner’s', () => {
  const change = (id: string) =>
    blockedChanges('prod', [
      {
        name: 'holdfast-prod-data',
        deployed: { Resources: { [id]: table('a') } },
        next: { Resources: { [id]: table('b') } },
      },
    ]);
  expect(change('StoreEvents')).toEqual([expect.stringContaining('StoreEvents of holdfast-prod-data')]);
  expect(change('HandlersCounts')).toEqual([]);
});

/** Answers as AWS does. */
function refusal(name: string, message: string): Refusal {
  return Object.assign(new Error(message), { name }) as Refusal;
}
const secret = (name: string) => ({
  Type: 'AWS::SecretsManager::Secret',
  DeletionPolicy: 'RetainExceptOnCreate',
  Properties: { Name: name },
});

describe('a secret that was kept', () => {
  const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:holdfast/prod/github-Ab1Cd2';
  function clients(kept: Readonly<Record<string, object>>) {
    const imports: CreateChangeSetCommandInput[] = [];
    const calls: string[] = [];
    const cloudFormation = new CloudFormationClient({ region: 'eu-central-1' });
    cloudFormation.send = (async (command: { constructor: { name: string }; input: never }) => {
      calls.push(command.constructor.name);
      if (command.constructor.name === 'CreateChangeSetCommand') imports.push(command.input);
      return { Status: 'CREATE_COMPLETE', Stacks: [{ StackStatus: 'IMPORT_COMPLETE' }] };
    }) as never;
    const secrets = new SecretsManagerClient({ region: 'eu-central-1' });
    secrets.send = (async ({ input }: { input: { SecretId: string } }) => {
      const found = kept[input.SecretId];
      if (found === undefined) throw refusal('ResourceNotFoundException', 'no such secret');
      return found;
    }) as never;
    return { both: { cloudFormation, secrets }, imports, calls };
  }
  const deployed: Template = { Resources: { StoreEvents: table('a') }, Outputs: { A: { Value: 1 } } };
  const next: Template = {
    Resources: {
      StoreEvents: table('a'),
      Github: secret('holdfast/prod/github'),
      Stripe: secret('holdfast/prod/stripe'),
    },
    Outputs: { A: { Value: 2 } },
  };
  const pair = { name: 'holdfast-prod-data', deployed, next };

  it('is imported by its ARN, into the stack as it is deployed and nothing else', async () => {
    const { both, imports, calls } = clients({ 'holdfast/prod/github': { ARN } });
    expect(await adoptSecrets(both, pair)).toEqual(['holdfast/prod/github']);
    expect(imports).toHaveLength(1);
    expect(imports[0]).toMatchObject({
      StackName: 'holdfast-prod-data',
      ChangeSetType: 'IMPORT',
      ResourcesToImport: [{ LogicalResourceId: 'Github', ResourceIdentifier: { Id: ARN } }],
    });
    const { Resources = {}, Outputs } = JSON.parse(imports[0]?.TemplateBody ?? '{}') as Template;
    expect(Object.keys(Resources)).toEqual(['StoreEvents', 'Github']);
    expect(Outputs).toEqual(deployed.Outputs);
    expect(calls).toContain('ExecuteChangeSetCommand');
  });

  it('leaves CloudFormation alone where none was kept, or it is being deleted', async () => {
    for (const kept of [{}, { 'holdfast/prod/github': { ARN, DeletedDate: new Date(0) } }]) {
      const { both, calls } = clients(kept);
      expect(await adoptSecrets(both, pair)).toEqual([]);
      expect(calls).toEqual([]);
    }
  });

  it('is not imported with a template that no call takes', async () => {
    const { both, calls } = clients({ 'holdfast/prod/github': { ARN } });
    const large = { ...deployed, Resources: { Big: table('x'.repeat(60_000)) } };
    await expect(adoptSecrets(both, { ...pair, deployed: large })).rejects.toThrow(/npx cdk import/);
    expect(calls).toEqual([]);
  });
});

it('a stack of a setting that is gone is named, with what it does and the command', async () => {
  const asked: string[] = [];
  const clientOf = (region?: string) => {
    const client = new CloudFormationClient({ region: region ?? 'eu-central-1' });
    client.send = (async ({ input }: { input: { StackName: string } }) => {
      asked.push(`${region} ${input.StackName}`);
      if (input.StackName.endsWith('-edge')) return { TemplateBody: '{}' };
      throw refusal('ValidationError', 'Stack does not exist');
    }) as never;
    return client;
  };
  const deployment = { config: { environment: 'prod' } as never, region: 'eu-central-1' };
  const left = await leftStacks(deployment, clientOf);
  expect(asked.sort()).toEqual(['eu-central-1 holdfast-prod-delivery', 'us-east-1 holdfast-prod-edge']);
  expect(left.map(each => each.line)).toEqual([
    expect.stringMatching(
      /^holdfast-prod-edge is deployed.*\$6\.40.*delete-stack --stack-name holdfast-prod-edge --region us-east-1$/,
    ),
  ]);
});
