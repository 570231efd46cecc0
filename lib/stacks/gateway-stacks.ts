import { type Environment, PermissionsBoundary, Tags } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Deployment } from '#core/config/deployment.ts';
import { EDGE_REGION } from '#core/config/edge-config.ts';
import { given } from '#core/given.ts';
import { nameIn } from '#core/names.ts';
import type { Bundles } from '../bundling/function-names.ts';
import type { HandlerResources } from '../handler-resources.ts';
import { DataStack } from './data-stack.ts';
import { DeliveryStack } from './delivery-stack.ts';
import { EdgeStack } from './edge-stack.ts';
import { GatewayStack } from './gateway-stack.ts';

export interface GatewayStacksProps {
  readonly deployment: Deployment;
  readonly bundles: Bundles;
  /** @default none */
  readonly handlerResources?: HandlerResources;
}

/** The stacks of one environment. */
export interface GatewayStacks {
  readonly data: DataStack;
  readonly gateway: GatewayStack;
  /** Absent: `outbound` is not configured. */
  readonly delivery: DeliveryStack | undefined;
  /** Absent: `edge` is not configured. */
  readonly edge: EdgeStack | undefined;
}

/** Makes them below a scope. `env`: where, for what the configuration leaves out. */
export function makeStacks(scope: Construct, props: GatewayStacksProps, env: Environment): GatewayStacks {
  const { deployment, bundles } = props;
  const { environment, outbound } = deployment.config;
  const tags = { 'holdfast:environment': environment, ...deployment.tags };
  const { permissionsBoundary: bounds } = deployment;
  const permissionsBoundary = bounds === undefined ? undefined : PermissionsBoundary.fromArn(bounds);
  const place = { env, tags, ...given({ permissionsBoundary }) };
  const data = new DataStack(scope, 'Data', {
    ...place,
    deployment,
    stackName: nameIn(deployment.config, 'data'),
    description: `Holdfast ${environment}: events, payloads, queues and secrets. Everything that must survive.`,
    terminationProtection: !deployment.disposable,
  });
  const gateway = new GatewayStack(scope, 'Gateway', {
    ...{ ...place, deployment, data, bundles },
    ...given({ handlerResources: props.handlerResources }),
    stackName: nameIn(deployment.config, 'gateway'),
    description: `Holdfast ${environment}: API, functions, alarms. Can be deployed again at any time.`,
  });
  const delivery =
    outbound &&
    new DeliveryStack(scope, 'Delivery', {
      ...{ ...place, deployment, outbound, data, bundles, topics: gateway.alarms?.topics },
      stackName: nameIn(deployment.config, 'delivery'),
      description: `Holdfast ${environment}: webhooks to customers. Can be deployed again at any time.`,
    });
  const edge =
    deployment.edge &&
    new EdgeStack(scope, 'Edge', {
      ...{ ...place, deployment, edge: deployment.edge },
      env: { ...env, region: EDGE_REGION },
      stackName: nameIn(deployment.config, 'edge'),
      description: `Holdfast ${environment}: CloudFront, and a limit per source address. Can be deployed again at any time.`,
    });
  for (const [name, value] of Object.entries(tags)) Tags.of(scope).add(name, value);
  return { data, gateway, delivery, edge };
}
