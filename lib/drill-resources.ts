import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { HandlerResources } from './handler-resources.ts';

/** What the environment `drill` has beside the project's own resources: a table in which drills count effects. */
export function withDrills(own: HandlerResources): HandlerResources {
  return (scope, context) => {
    own(scope, context);
    const drills = new TableV2(scope, 'Drills', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    context.grantTable(drills, 'update');
    context.addEnvironment('DRILLS_TABLE', drills.tableName);
  };
}
