import { Stage, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Deployment } from '#core/config/deployment.ts';
import { EDGE_REGION } from '#core/config/edge-config.ts';
import { given } from '#core/given.ts';
import type { Bundles } from '../bundling/function-names.ts';
import type { HandlerResources } from '../handler-resources.ts';
import { DataStack } from './data-stack.ts';
import { DeliveryStack } from './delivery-stack.ts';
import { EdgeStack } from './edge-stack.ts';
import { GatewayStack } from './gateway-stack.ts';

export interface GatewayStageProps {
  /** Of the construct. @default the environment's name */
  readonly id?: string;
  readonly deployment: Deployment;
  readonly bundles: Bundles;
  /** @default none */
  readonly handlerResources?: HandlerResources;
}

/** One environment: `cdk deploy '<environment>/*'`. */
export class GatewayStage extends Stage {
  readonly data: DataStack;
  readonly gateway: GatewayStack;
  /** Absent: `outbound` is not configured. */
  readonly delivery: DeliveryStack | undefined;

  /** Absent: `edge` is not configured. */
  readonly edge: EdgeStack | undefined;

  constructor(scope: Construct, props: GatewayStageProps) {
    const { deployment } = props;
    const environment = deployment.config.environment;
    super(scope, props.id ?? environment, {
      env: given({ account: deployment.account, region: deployment.region }),
    });
    const tags = { 'holdfast:environment': environment, ...deployment.tags };
    this.data = new DataStack(this, 'Data', {
      deployment,
      stackName: `holdfast-${environment}-data`,
      description: `Holdfast ${environment}: events, payloads, queues and secrets. Everything that must survive.`,
      terminationProtection: !deployment.disposable,
      tags,
    });
    this.gateway = new GatewayStack(this, 'Gateway', {
      deployment,
      data: this.data,
      bundles: props.bundles,
      ...given({ handlerResources: props.handlerResources }),
      stackName: `holdfast-${environment}-gateway`,
      description: `Holdfast ${environment}: API, functions, alarms. Can be deployed again at any time.`,
      tags,
    });
    const { outbound } = deployment.config;
    this.delivery =
      outbound &&
      new DeliveryStack(this, 'Delivery', {
        ...{ deployment, outbound, data: this.data, bundles: props.bundles, topics: this.gateway.alarms?.topics },
        stackName: `holdfast-${environment}-delivery`,
        description: `Holdfast ${environment}: webhooks to customers. Can be deployed again at any time.`,
        tags,
      });
    const { edge, account } = deployment;
    this.edge =
      edge &&
      new EdgeStack(this, 'Edge', {
        ...{ deployment, edge },
        env: { region: EDGE_REGION, ...given({ account }) },
        stackName: `holdfast-${environment}-edge`,
        description: `Holdfast ${environment}: CloudFront, and a limit per source address. Can be deployed again at any time.`,
        tags,
      });
    for (const [name, value] of Object.entries(tags)) Tags.of(this).add(name, value);
  }
}
