/** What the handlers need from AWS: their tables, grants and variables. Called once per environment. */
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { HandlerResources } from 'holdfast';

export const handlerResources: HandlerResources = (scope, context) => {
  const counts = new TableV2(scope, 'Counts', {
    partitionKey: { name: 'type', type: AttributeType.STRING },
    removalPolicy: context.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    // The environment's own key, where it has one.
    ...(context.encryptionKey ? { encryption: TableEncryptionV2.customerManagedKey(context.encryptionKey) } : {}),
    deletionProtection: !context.disposable,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  });
  context.grantTable(counts, 'update');
  context.addEnvironment('COUNTS_TABLE', counts.tableName);
};
