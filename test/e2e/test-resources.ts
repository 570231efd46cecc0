/** Tables of the examples that test-handlers.ts registers. In the deployed copy of the app this is handlers/resources.ts. */
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { HandlerResources } from 'holdfast';
import { handlerResources as shipped } from '#test/fixtures/project/handlers/resources.ts';

export const handlerResources: HandlerResources = (scope, context) => {
  shipped(scope, context);
  const [entities, revenue] = ['Entities', 'Revenue'].map(
    id =>
      new TableV2(scope, id, {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        removalPolicy: RemovalPolicy.DESTROY,
      }),
  ) as [TableV2, TableV2];
  context.grantTable(entities, 'read', 'update');
  context.grantTable(revenue, 'put');
  for (const name of ['SUBSCRIPTIONS_TABLE', 'INVOICES_TABLE', 'ORDERS_TABLE'])
    context.addEnvironment(name, entities.tableName);
  context.addEnvironment('REVENUE_TABLE', revenue.tableName);
};
