import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { CONTROL_PREFIX } from '#core/glossary.ts';
import { EVENT_INDEXES } from '#core/inbound/protocol/event-item.ts';
import { acknowledge } from './acknowledge.ts';
import { allow } from './allow.ts';
import { type KeptTableProps, keptTable, projectionOf, warmthOf } from './kept-table.ts';

export interface EventStoreProps extends KeptTableProps {
  /** Days a large body stays in the bucket after it was last put: the longest lifetime of a record from an attempt on. @default 97 */
  readonly bodyLifetimeDays?: number;
}

/** The `events` and `payloads` tables and the bucket for bodies too large for an item: everything that must survive. */
export class EventStore extends Construct {
  readonly events: TableV2;
  readonly payloads: TableV2;
  readonly bodies: Bucket;

  constructor(scope: Construct, id: string, props: EventStoreProps = {}) {
    super(scope, id);
    const disposable = props.disposable ?? false;
    const key = props.encryptionKey;
    const shared = keptTable(props);
    this.events = new TableV2(this, 'Events', {
      ...shared,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      globalSecondaryIndexes: Object.values(EVENT_INDEXES).map(index => ({
        indexName: index.name,
        ...warmthOf(props),
        partitionKey: { name: index.partition, type: AttributeType.STRING },
        sortKey: {
          name: index.sort,
          type: index.sortType === 'number' ? AttributeType.NUMBER : AttributeType.STRING,
        },
        ...projectionOf(index.project),
      })),
    });
    this.payloads = new TableV2(this, 'Payloads', {
      ...shared,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
    });
    this.bodies = new Bucket(this, 'Bodies', {
      ...(key
        ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      lifecycleRules: [
        {
          expiration: Duration.days(props.bodyLifetimeDays ?? 97),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
    });
    acknowledge(this.bodies, {
      id: 'AwsSolutions-S1',
      reason:
        'Only functions of this gateway can reach the objects, each by its own role. Server access logs come late, may miss requests and need a second bucket that keeps the keys of all events; CloudTrail data events of the bucket are the way to watch who reads it.',
    });
  }

  /** Allows these DynamoDB actions on the events table itself; the table's own grants would add every index. */
  grantEvents(grantee: IGrantable, ...actions: string[]): void {
    allow(grantee, actions, [this.events.tableArn]);
  }

  /** Allows putting control items (pauses, replay jobs) into the events table, and no item of an event. */
  grantControlWrites(grantee: IGrantable): void {
    allow(grantee, ['dynamodb:PutItem'], [this.events.tableArn], ONLY_CONTROL_ITEMS);
  }

  /** Allows reading control items, and no item of an event. */
  grantControlReads(grantee: IGrantable): void {
    allow(grantee, ['dynamodb:GetItem'], [this.events.tableArn], ONLY_CONTROL_ITEMS);
  }

  /** Allows Query on these indexes of the events table (default: all three), and nothing else. */
  grantEventQueries(grantee: IGrantable, ...names: (keyof typeof EVENT_INDEXES)[]): void {
    const indexes = Object.values(EVENT_INDEXES).filter(({ name }) => names.length === 0 || names.includes(name));
    const arns = indexes.map(index => `${this.events.tableArn}/index/${index.name}`);
    allow(grantee, ['dynamodb:Query'], arns);
  }

  /** Allows reading which partitions of the sparse indexes have entries. */
  grantOccupied(grantee: IGrantable): void {
    const arns = [EVENT_INDEXES.watch, EVENT_INDEXES.attention].map(
      ({ name }) => `${this.events.tableArn}/index/${name}`,
    );
    allow(grantee, ['dynamodb:Scan'], arns);
  }

  /** Allows these DynamoDB actions on the payloads table. */
  grantPayloads(grantee: IGrantable, ...actions: string[]): void {
    allow(grantee, actions, [this.payloads.tableArn]);
  }

  /** Allows reading refused requests, and nothing of an event. */
  grantRefusedReads(grantee: IGrantable): void {
    allow(grantee, ['dynamodb:Query'], [this.payloads.tableArn], ONLY_REFUSED);
  }

  /** Allows these S3 actions on the stored bodies. */
  grantBodies(grantee: IGrantable, ...actions: string[]): void {
    allow(grantee, actions, [this.bodies.arnForObjects('*')]);
  }

  /** Allows these S3 actions on some of the stored bodies. */
  grantObjects(grantee: IGrantable, objectsArn: string, ...actions: string[]): void {
    allow(grantee, actions, [objectsArn]);
  }

  /** Allows listing, without which S3 answers 403 instead of 404 for a body that is not there. */
  grantListBodies(grantee: IGrantable): void {
    allow(grantee, ['s3:ListBucket'], [this.bodies.bucketArn]);
  }
}

const ONLY_CONTROL_ITEMS = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${CONTROL_PREFIX}*`] } };
const ONLY_REFUSED = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['_refused#*'] } };
