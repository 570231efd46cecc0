import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { type App, Stack } from 'aws-cdk-lib/core';
import { HoldfastGateway, type PreparedGateway } from 'holdfast/cdk';

/** A stack that exists, with a table and a bus, and the gateway in it. */
export class Platform extends Stack {
  readonly webhooks: HoldfastGateway;

  constructor(app: App, prepared: PreparedGateway) {
    super(app, 'Platform', { env: { account: '123456789012', region: 'eu-central-1' } });
    // A route of gateway.config.ts sends to it by its ARN.
    new EventBus(this, 'Bus', { eventBusName: 'billing' });
    new TableV2(this, 'Orders', {
      tableName: 'orders',
      partitionKey: { name: 'id', type: AttributeType.STRING },
    });
    this.webhooks = new HoldfastGateway(this, 'Webhooks', {
      prepared,
      handlerResources: (scope, context) => {
        context.grantTable(TableV2.fromTableName(scope, 'Orders', 'orders'), 'update');
        context.addEnvironment('ORDERS_TABLE', 'orders');
      },
    });
    const boundary = ManagedPolicy.fromManagedPolicyName(this, 'Boundary', 'company');
    PermissionsBoundary.of(this.webhooks).apply(boundary);
  }
}
