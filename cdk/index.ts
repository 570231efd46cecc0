/** `holdfast/cdk`: the gateway as a part of a CDK app of your own. */
export type { DataStack } from '#lib/stacks/data-stack.ts';
export type { GatewayStack } from '#lib/stacks/gateway-stack.ts';
export { HoldfastGateway } from './holdfast-gateway.ts';
export { HoldfastStage, type HoldfastStageProps } from './holdfast-stage.ts';
export { type PreparedGateway, type PrepareOptions, prepareGateway } from './prepare-gateway.ts';
