import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { DEFAULT_QUEUE } from '#core/config/defaults.ts';
import type { ResolvedQueue } from '#core/config/deployment.ts';
import { acknowledge } from './acknowledge.ts';

/** SQS's own maximum, set explicitly: an event travels with its payload when the table cannot be reached. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export interface KeptQueueProps {
  /** A key of yours. @default a key that SQS owns */
  readonly encryptionKey?: IKey;
  /** Delete the queues and what is in them with the stack. @default false */
  readonly disposable?: boolean;
}

/** What every queue of ours has in common. */
export function keptQueue({ encryptionKey: key, disposable }: KeptQueueProps): QueueProps {
  return {
    ...(key
      ? // An hour, in place of five minutes: a twelfth of the calls to KMS.
        { encryption: QueueEncryption.KMS, encryptionMasterKey: key, dataKeyReuse: Duration.hours(1) }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
    removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  };
}

export interface WorkQueueProps extends KeptQueueProps {
  /** @default the production values of `ResolvedQueue` */
  readonly settings?: Pick<
    ResolvedQueue,
    'visibilitySeconds' | 'maxReceiveCount' | 'retentionDays' | 'deadRetentionDays'
  >;
}

/** The main queue and its dead-letter queue. */
export class WorkQueue extends Construct {
  readonly main: IQueue;
  readonly dead: IQueue;

  constructor(scope: Construct, id: string, props: WorkQueueProps = {}) {
    super(scope, id);
    const settings = { ...DEFAULT_QUEUE, visibilitySeconds: 180, ...props.settings };
    const shared = {
      ...keptQueue(props),
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      visibilityTimeout: Duration.seconds(settings.visibilitySeconds),
    };
    const dead = new Queue(this, 'Dead', { ...shared, retentionPeriod: Duration.days(settings.deadRetentionDays) });
    this.dead = dead;
    acknowledge(dead, {
      id: 'Serverless-SQSRedrivePolicy',
      reason: 'This is the dead-letter queue itself: people and the sweeper read it, no consumer that could fail.',
    });
    this.main = new Queue(this, 'Main', {
      ...shared,
      retentionPeriod: Duration.days(settings.retentionDays),
      // Attempts are counted in the record. This only stops a message that no code can even read.
      deadLetterQueue: { queue: dead, maxReceiveCount: settings.maxReceiveCount },
    });
  }

  /** Allows sending to the main queue. */
  grantSend(grantee: IGrantable): void {
    this.main.grant(grantee, 'sqs:SendMessage');
  }
  /** Allows the one call that warms a client at a start. */
  grantPrime(grantee: IGrantable): void {
    this.main.grant(grantee, 'sqs:GetQueueAttributes');
  }
  /** Allows sending to the dead-letter queue. */
  grantSendDead(grantee: IGrantable): void {
    this.dead.grant(grantee, 'sqs:SendMessage');
  }
  /** Allows reading the numbers of both queues. */
  grantReadNumbers(grantee: IGrantable): void {
    this.main.grant(grantee, 'sqs:GetQueueAttributes');
    this.dead.grant(grantee, 'sqs:GetQueueAttributes');
  }
  /** Allows receiving from the dead-letter queue and deleting what was received. Nobody may purge. */
  grantDrainDead(grantee: IGrantable): void {
    this.dead.grant(grantee, 'sqs:ReceiveMessage', 'sqs:DeleteMessage');
  }

  /** Age in seconds of the oldest message of the main queue. */
  metricOldestAge(options?: MetricOptions): Metric {
    return this.main.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', ...options });
  }
  /** Messages waiting in the main queue. */
  metricWaiting(options?: MetricOptions): Metric {
    return this.main.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', ...options });
  }
  /** Messages of the main queue that are being processed. */
  metricInFlight(options?: MetricOptions): Metric {
    return this.main.metricApproximateNumberOfMessagesNotVisible({ statistic: 'Maximum', ...options });
  }
  /** Messages the process function's mapping received from the main queue. */
  metricReceived(options?: MetricOptions): Metric {
    return this.main.metricNumberOfMessagesReceived({ statistic: 'Sum', ...options });
  }
  /** Messages of the main queue that were dealt with. */
  metricDeleted(options?: MetricOptions): Metric {
    return this.main.metricNumberOfMessagesDeleted({ statistic: 'Sum', ...options });
  }
  /** Messages that came into the main queue, copies for retries among them. */
  metricSent(options?: MetricOptions): Metric {
    return this.main.metricNumberOfMessagesSent({ statistic: 'Sum', ...options });
  }
  /** Dead letters nobody is looking at. */
  metricDead(options?: MetricOptions): Metric {
    return this.dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', ...options });
  }
  /** Dead letters somebody is looking at: they are hidden from `metricDead`. */
  metricDeadInFlight(options?: MetricOptions): Metric {
    return this.dead.metricApproximateNumberOfMessagesNotVisible({ statistic: 'Maximum', ...options });
  }
}
