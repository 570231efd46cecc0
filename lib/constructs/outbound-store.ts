import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { TTL_ATTRIBUTE } from '#core/glossary.ts';
import { type Place, secretName } from '#core/names.ts';
import type { OutboundTable } from '#core/outbound/ports.ts';
import { LISTED, OUTBOUND_TABLES } from '#core/outbound/protocol/keys.ts';
import { acknowledge } from './acknowledge.ts';
import { warmthOf } from './event-store.ts';

/** Behind the environment's name: no source can be called so. */
const MASTER = '_outbound';

export interface OutboundStoreProps {
  readonly place: Place;
  /** Delete everything with the stack, and allow it. @default false: kept, and protected from deletion */
  readonly disposable?: boolean;
  /** A key of yours for the tables and the secret. @default keys of AWS */
  readonly encryptionKey?: IKey;
  /** Write units a second that each table and index takes at once. @default what AWS gives */
  readonly warmWriteUnits?: number;
}

/** A right on a table: its actions, and the beginnings of the partition keys they are for. */
interface Right {
  readonly actions: readonly string[];
  /** @default every item */
  readonly leading?: readonly string[];
  /** On the index instead of the table. */
  readonly index?: true;
}

/** The tables `registry` and `outbox`, and the secret under which endpoints' secrets are sealed. */
export class OutboundStore extends Construct {
  readonly tables: Readonly<Record<OutboundTable, TableV2>>;
  readonly master: CfnSecret;
  readonly masterName: string;

  constructor(
    scope: Construct,
    id: string,
    { place, disposable = false, encryptionKey: key, warmWriteUnits }: OutboundStoreProps,
  ) {
    super(scope, id);
    const fate = disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    const warm = warmthOf(warmWriteUnits);
    const addTable = (name: string, table: OutboundTable): TableV2 =>
      new TableV2(this, name, {
        ...warm,
        billing: Billing.onDemand(),
        encryption: key ? TableEncryptionV2.customerManagedKey(key) : TableEncryptionV2.dynamoOwnedKey(),
        timeToLiveAttribute: TTL_ATTRIBUTE,
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        deletionProtection: !disposable,
        removalPolicy: fate,
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        globalSecondaryIndexes: [
          {
            ...warm,
            indexName: LISTED.name,
            partitionKey: { name: LISTED.partition, type: AttributeType.STRING },
            sortKey: { name: LISTED.sort, type: AttributeType.STRING },
            ...(OUTBOUND_TABLES[table].project.length > 0
              ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...OUTBOUND_TABLES[table].project] }
              : { projectionType: ProjectionType.KEYS_ONLY }),
          },
        ],
      });
    this.tables = { registry: addTable('Registry', 'registry'), outbox: addTable('Outbox', 'outbox') };
    this.masterName = secretName(place, MASTER);
    this.master = new CfnSecret(this, 'Master', {
      name: this.masterName,
      description:
        'Under it the secrets of customers’ endpoints are sealed. Nobody needs to know it; losing it loses them.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(key ? { kmsKeyId: key.keyArn } : {}),
    });
    this.master.applyRemovalPolicy(disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    acknowledge(this.master, {
      id: 'AwsSolutions-SMG4',
      reason:
        'What it sealed must open: `holdfast out rotate-master` seals every endpoint’s secrets again before the old one goes, which no schedule can do alone.',
    });
  }

  /** Allows exactly these actions on a table, on items whose partition key begins so. */
  grant(grantee: IGrantable, table: OutboundTable, ...rights: readonly Right[]): void {
    for (const { actions, leading, index } of rights) {
      const { tableArn } = this.tables[table];
      grantee.grantPrincipal.addToPrincipalPolicy(
        new PolicyStatement({
          actions: actions.map(action => `dynamodb:${action}`),
          resources: [index ? `${tableArn}/index/${LISTED.name}` : tableArn],
          ...(leading === undefined
            ? {}
            : { conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...leading] } } }),
        }),
      );
    }
  }

  /** Allows reading the master secret. */
  grantMaster(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [this.master.ref] }),
    );
  }
}
