import type { Construct } from 'constructs';
import { given } from '#core/given.ts';
import type { HandlerResources } from '#lib/handler-resources.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import type { PreparedGateway } from './prepare-gateway.ts';

/** What a `HoldfastStage` is made of. */
export interface HoldfastStageProps {
  /** What `prepareGateway()` answered. */
  readonly prepared: PreparedGateway;
  /** Tables of your handlers, made in the stack `data`, with their grants and variables; called once. @default none */
  readonly handlerResources?: HandlerResources;
}

/**
 * One environment of the gateway: the stack `data` (tables, yours too, queues, secrets: what must survive) and the stack `gateway`
 * (API, functions, alarms). Account and region are those of the configuration, else those of the CLI. Aspects, tags and
 * permissions boundaries of your app reach into it as into any stage.
 * @example
 * const prepared = await prepareGateway({ gateway, handlers, environment: 'prod' });
 * const webhooks = new HoldfastStage(app, 'Webhooks', { prepared });
 * Tags.of(webhooks).add('team', 'payments');
 */
export class HoldfastStage extends GatewayStage {
  constructor(scope: Construct, id: string, { prepared, handlerResources }: HoldfastStageProps) {
    super(scope, { ...prepared, id, ...given({ handlerResources }) });
  }
}
