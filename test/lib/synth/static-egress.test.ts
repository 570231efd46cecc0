/** The code of docs/send/fixed-address.md: every function that calls addresses of customers is in the VPC, and no other. */
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { distancesFrom } from '#test/kit/import-graph.ts';
import { sendFrom } from '../../../docs/send/fixed-address-example.ts';
import { testApp } from './synth-environment.ts';

const VPC = { SubnetIds: ['subnet-1', 'subnet-2'], SecurityGroupIds: ['sg-1'] };

/** What calls a customer's address is what loads the sender. */
const SENDERS = ['contacts', 'delivery-api', 'drain', 'portal'];

it('puts what sends into the VPC, with the right to its network interfaces, and nothing else', async () => {
  const config = { ...gateway, environments: { prod: { outbound: { portal: { name: 'Acme' }, contacts: true } } } };
  const stage = new GatewayStage(testApp(), {
    deployment: resolveDeployment(config, 'prod', PROVIDERS),
    bundles: await placeholderBundles('prod'),
  });
  sendFrom(stage, VPC.SubnetIds, VPC.SecurityGroupIds);
  if (stage.delivery === undefined) throw new Error('outbound made no delivery stack');
  const resources = Template.fromStack(stage.delivery).toJSON()['Resources'];
  const inside: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
  for (const { Type, Properties } of Object.values<any>(resources)) {
    if (Type !== 'AWS::Lambda::Function' || Properties.VpcConfig === undefined) continue;
    expect(Properties.VpcConfig).toEqual(VPC);
    inside.push(Properties.Description);
    const role = resources[Properties.Role['Fn::GetAtt'][0]].Properties;
    expect(JSON.stringify(role.ManagedPolicyArns)).toContain('service-role/AWSLambdaVPCAccessExecutionRole');
  }
  // Of drain there are two.
  expect(inside).toHaveLength(SENDERS.length + 1);
  expect(new Set(inside).size).toBe(SENDERS.length + 1);
});

it('knows every function of the delivery stack that loads the sender', () => {
  const functions = ['publish', 'fan-out', 'drain', 'delivery-api', 'portal', 'tend', 'contacts'];
  const loading = functions.filter(name =>
    distancesFrom(`lambdas/${name}/handler.ts`).has('adapters/http/guarded-sender.ts'),
  );
  expect(loading.sort()).toEqual(SENDERS);
});
