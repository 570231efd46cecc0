import { Stage } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { given } from '#core/given.ts';
import type { DataStack } from './data-stack.ts';
import type { DeliveryStack } from './delivery-stack.ts';
import type { EdgeStack } from './edge-stack.ts';
import type { GatewayStack } from './gateway-stack.ts';
import { type GatewayStacks, type GatewayStacksProps, makeStacks } from './gateway-stacks.ts';

export interface GatewayStageProps extends GatewayStacksProps {
  /** Of the construct. @default the environment's name */
  readonly id?: string;
}

/** One environment: `cdk deploy '<environment>/*'`. */
export class GatewayStage extends Stage implements GatewayStacks {
  readonly data: DataStack;
  readonly gateway: GatewayStack;
  readonly delivery: DeliveryStack | undefined;
  readonly edge: EdgeStack | undefined;

  constructor(scope: Construct, props: GatewayStageProps) {
    const { account, region, config } = props.deployment;
    const env = given({ account, region });
    super(scope, props.id ?? config.environment, { env });
    const { data, gateway, delivery, edge } = makeStacks(this, props, env);
    this.data = data;
    this.gateway = gateway;
    this.delivery = delivery;
    this.edge = edge;
  }
}
