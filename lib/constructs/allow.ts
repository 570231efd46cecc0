import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Fn } from 'aws-cdk-lib/core';

/** Allows exactly these actions on these resources, where a table's, queue's or topic's own grant would allow more. */
export function allow(
  grantee: IGrantable,
  actions: readonly string[],
  resources: readonly string[],
  conditions: Readonly<Record<string, unknown>> = {},
): void {
  const statement = new PolicyStatement({ actions: [...actions], resources: [...resources], conditions });
  grantee.grantPrincipal.addToPrincipalPolicy(statement);
}

/**
 * What a function does with a key of yours. Tables, queues, bucket and secrets say what it may reach; the key opens none of
 * them. Through DynamoDB it has all that AWS asks of whoever uses a table under such a key (KMS, "How DynamoDB uses AWS
 * KMS"), and only there.
 */
export function useOfKey(keyArn: string, region: string): readonly PolicyStatement[] {
  return [
    new PolicyStatement({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [keyArn] }),
    new PolicyStatement({
      actions: [
        ...['kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
        ...['kms:GenerateDataKeyWithoutPlaintext', 'kms:CreateGrant'],
      ],
      resources: [keyArn],
      // The last part differs by partition.
      conditions: { StringLike: { 'kms:ViaService': Fn.join('.', ['dynamodb', region, 'amazonaws.*']) } },
    }),
  ];
}
