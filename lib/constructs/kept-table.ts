/** What every table of ours has in common: on demand, encrypted, with a lifetime of items and recovery to any second. */
import { Billing, ProjectionType, TableEncryptionV2, type TablePropsV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { TTL_ATTRIBUTE } from '#core/glossary.ts';

export interface KeptTableProps {
  /** Delete everything with the stack, and allow it. @default false: kept, and protected from deletion */
  readonly disposable?: boolean;
  /** A key of yours. @default keys of AWS */
  readonly encryptionKey?: IKey;
  /** Write units a second that each table and index takes at once. @default what AWS gives */
  readonly warmWriteUnits?: number;
}

export function keptTable(props: KeptTableProps): Omit<TablePropsV2, 'partitionKey'> {
  const { disposable = false, encryptionKey: key } = props;
  return {
    ...warmthOf(props),
    billing: Billing.onDemand(),
    encryption: key ? TableEncryptionV2.customerManagedKey(key) : TableEncryptionV2.dynamoOwnedKey(),
    timeToLiveAttribute: TTL_ATTRIBUTE,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: !disposable,
    removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  };
}

/** DynamoDB gives each table and each index a throughput of its own. */
export function warmthOf({ warmWriteUnits }: KeptTableProps): Pick<TablePropsV2, 'warmThroughput'> {
  return warmWriteUnits === undefined ? {} : { warmThroughput: { writeUnitsPerSecond: warmWriteUnits } };
}

/** Of an index: everything else would be written twice, once in the item, once in the index. */
export function projectionOf(names: readonly string[]) {
  return names.length > 0
    ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...names] }
    : { projectionType: ProjectionType.KEYS_ONLY };
}
