/**
 * 1. `HoldfastStage` synthesizes in an app that has stacks of its own, below an id that the app chooses.
 * 2. The app's permissions boundary and its tags reach into it; handlers write to a table that is the app's.
 * 3. `HoldfastGateway` in a stack of the app makes the same stacks, beside that one.
 * 4. `prepareGateway` refuses a configuration as the gateway's own app does.
 */
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { App, Stack, Tags } from 'aws-cdk-lib/core';
import { HoldfastStage, prepareGateway } from 'holdfast/cdk';
import { expect, it } from 'vitest';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { handlers } from '#test/fixtures/project/handlers/index.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { Platform } from '../../../docs/operate/cdk-example.ts';

const options = { gateway, handlers, environment: 'dev', project: FIXTURE_PROJECT };

it('is a part of an app that has a table, a boundary and tags of its own', async () => {
  const prepared = await prepareGateway(options);
  const app = new App({ analyticsReporting: false });
  const theirs = new Stack(app, 'Theirs', { env: { account: '123456789012', region: 'eu-central-1' } });
  const orders = new TableV2(theirs, 'Orders', {
    tableName: 'orders',
    partitionKey: { name: 'id', type: AttributeType.STRING },
  });
  const webhooks = new HoldfastStage(app, 'Webhooks', {
    prepared,
    handlerResources: (scope, context) => {
      const known = TableV2.fromTableName(scope, 'Orders', 'orders');
      context.grantTable(known, 'update');
      context.addEnvironment('ORDERS_TABLE', 'orders');
    },
  });
  Tags.of(webhooks).add('team', 'payments');
  const boundary = ManagedPolicy.fromManagedPolicyName(theirs, 'Boundary', 'company');
  PermissionsBoundary.of(webhooks).apply(boundary);
  expect(orders.node.path).toBe('Theirs/Orders');
  expect(webhooks.gateway.node.path).toBe('Webhooks/Gateway');
  const template = Template.fromStack(webhooks.gateway);
  const roles = Object.values(template.findResources('AWS::IAM::Role'));
  expect(roles.length).toBeGreaterThan(5);
  for (const role of roles) expect(JSON.stringify(role['Properties'].PermissionsBoundary)).toContain('policy/company');
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  for (const each of functions) expect(each['Properties'].Tags).toContainEqual({ Key: 'team', Value: 'payments' });
  const variables = functions.map(each => each['Properties'].Environment?.Variables ?? {});
  expect(variables.filter(each => each.ORDERS_TABLE === 'orders')).toHaveLength(1);
});

it('is the same inside of a stack of the app, which keeps its own resources', async () => {
  const { deployment, bundles } = await prepareGateway(options);
  const prepared = { deployment: { ...deployment, account: undefined, region: undefined } as never, bundles };
  const app = new App({ analyticsReporting: false });
  const env = { account: '123456789012', region: 'eu-central-1' };
  const platform = new Platform(app, prepared);
  const { webhooks } = platform;
  const stage = new HoldfastStage(app, 'Stage', { prepared: { deployment: { ...deployment, ...env }, bundles } });
  const resources = (stack: Stack) => Object.keys(Template.fromStack(stack).toJSON()['Resources']);
  expect(resources(platform)).toHaveLength(2);
  for (const role of Object.values(Template.fromStack(webhooks.gateway).findResources('AWS::IAM::Role')))
    expect(JSON.stringify(role['Properties'].PermissionsBoundary)).toContain('policy/company');
  expect(webhooks.gateway).toMatchObject({ ...env, stackName: 'holdfast-dev-gateway' });
  expect(resources(webhooks.data)).toEqual(resources(stage.data));
  // Two logical names of the gateway stack contain the path to it: docs/operate/cdk.md says what that means.
  const types = (stack: Stack): readonly unknown[] =>
    Object.values(Template.fromStack(stack).toJSON()['Resources']).map(each => (each as { Type: unknown }).Type);
  expect(types(webhooks.gateway)).toEqual(types(stage.gateway));
});

it('refuses what the gateway refuses', async () => {
  const wrong = { ...gateway, sources: { ...gateway.sources, odd: { provider: 'strip' } } };
  await expect(prepareGateway({ ...options, gateway: wrong })).rejects.toThrow(/did you mean "stripe"/);
  await expect(prepareGateway({ ...options, environment: 'nowhere' })).rejects.toThrow(/nowhere/);
});
