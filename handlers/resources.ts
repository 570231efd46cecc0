/** What the handlers need from AWS: their tables, grants and variables. Called once per environment. */
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { HandlerResources } from 'holdfast';

export const handlerResources: HandlerResources = (scope, context) => {
  const removalPolicy = context.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  const shared = {
    removalPolicy,
    // The environment's own key, where it has one.
    ...(context.encryptionKey ? { encryption: TableEncryptionV2.customerManagedKey(context.encryptionKey) } : {}),
    deletionProtection: !context.disposable,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  };

  const payments = new TableV2(scope, 'Payments', {
    partitionKey: { name: 'paymentId', type: AttributeType.STRING },
    ...shared,
  });
  const pushes = new TableV2(scope, 'Pushes', {
    partitionKey: { name: 'repository', type: AttributeType.STRING },
    sortKey: { name: 'pushedAt', type: AttributeType.STRING },
    ...shared,
  });
  context.grantTable(payments, 'update');
  context.grantTable(pushes, 'put');
  context.addEnvironment('PAYMENTS_TABLE', payments.tableName);
  context.addEnvironment('PUSHES_TABLE', pushes.tableName);
};
