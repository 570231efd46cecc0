import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type Place, secretName } from '#core/names.ts';
import type { OutboundTable } from '#core/outbound/ports.ts';
import { LISTED, OUTBOUND_TABLES } from '#core/outbound/protocol/keys.ts';
import { acknowledge } from './acknowledge.ts';
import { allow } from './allow.ts';
import { type KeptTableProps, keptTable, projectionOf, warmthOf } from './kept-table.ts';

/** Behind the environment's name: no source can be called so. */
const MASTER = '_outbound';

/** The key is the secret's, too. */
export interface OutboundStoreProps extends KeptTableProps {
  readonly place: Place;
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

  constructor(scope: Construct, id: string, props: OutboundStoreProps) {
    super(scope, id);
    const { place, disposable = false, encryptionKey: key } = props;
    const addTable = (name: string, table: OutboundTable): TableV2 =>
      new TableV2(this, name, {
        ...keptTable(props),
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        globalSecondaryIndexes: [
          {
            ...warmthOf(props),
            indexName: LISTED.name,
            partitionKey: { name: LISTED.partition, type: AttributeType.STRING },
            sortKey: { name: LISTED.sort, type: AttributeType.STRING },
            ...projectionOf(OUTBOUND_TABLES[table].project),
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
      allow(
        grantee,
        actions.map(action => `dynamodb:${action}`),
        [index ? `${tableArn}/index/${LISTED.name}` : tableArn],
        leading && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...leading] } },
      );
    }
  }

  /** Allows reading the master secret. */
  grantMaster(grantee: IGrantable): void {
    allow(grantee, ['secretsmanager:GetSecretValue'], [this.master.ref]);
  }
}
