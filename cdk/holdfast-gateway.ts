import { Stack, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { given } from '#core/given.ts';
import type { DataStack } from '#lib/stacks/data-stack.ts';
import type { DeliveryStack } from '#lib/stacks/delivery-stack.ts';
import type { EdgeStack } from '#lib/stacks/edge-stack.ts';
import type { GatewayStack } from '#lib/stacks/gateway-stack.ts';
import { makeStacks } from '#lib/stacks/gateway-stacks.ts';
import type { HoldfastStageProps } from './holdfast-stage.ts';

/**
 * One environment of the gateway inside a stage, an app or a stack of yours. Its stacks are stacks of their own, with the names
 * they have in every app. Account and region are those of the configuration, else those of the stack around it.
 * @example
 * class Platform extends Stack {
 *   constructor(scope: App, prepared: PreparedGateway) {
 *     super(scope, 'Platform', { env: { account: '123456789012', region: 'eu-central-1' } });
 *     new HoldfastGateway(this, 'Webhooks', { prepared });
 *   }
 * }
 */
export class HoldfastGateway extends Construct {
  readonly data: DataStack;
  readonly gateway: GatewayStack;
  /** Absent: `outbound` is not configured. */
  readonly delivery: DeliveryStack | undefined;
  /** Absent: `edge` is not configured. */
  readonly edge: EdgeStack | undefined;

  constructor(scope: Construct, id: string, { prepared, handlerResources }: HoldfastStageProps) {
    super(scope, id);
    const { account, region } = prepared.deployment;
    const env = { ...placeAround(scope), ...given({ account, region }) };
    const stacks = makeStacks(this, { ...prepared, ...given({ handlerResources }) }, env);
    this.data = stacks.data;
    this.gateway = stacks.gateway;
    this.delivery = stacks.delivery;
    this.edge = stacks.edge;
  }
}

/** What the nearest stack says of itself. */
function placeAround(scope: Construct): { readonly account?: string; readonly region?: string } {
  const around = scope.node.scopes.findLast(each => Stack.isStack(each));
  if (!Stack.isStack(around)) return {};
  const known = (value: string): string | undefined => (Token.isUnresolved(value) ? undefined : value);
  return given({ account: known(around.account), region: known(around.region) });
}
