import { Fn } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

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
