import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { acknowledge } from './acknowledge.ts';
import { type KeptQueueProps, keptQueue } from './work-queue.ts';

const RETENTION = Duration.days(4);
const DEAD_RETENTION = Duration.days(14);
/** Backstops, about 50 hours of a bad deploy: what is lost here, `tend` finds again. The count decides nothing. */
const JOBS_RECEIVES = 500;
const WAKES_RECEIVES = 1_000;

/** `jobs` for messages to fan out; `wake-fast` and `wake-slow` for endpoints to look at. */
export class DeliveryQueues extends Construct {
  readonly jobs: Queue;
  readonly jobsDead: Queue;
  readonly wakeFast: Queue;
  readonly wakeSlow: Queue;
  readonly wakesDead: Queue;

  constructor(scope: Construct, id: string, props: KeptQueueProps = {}) {
    super(scope, id);
    const shared = keptQueue(props);
    const addDead = (name: string): Queue => {
      const queue = new Queue(this, name, { ...shared, retentionPeriod: DEAD_RETENTION });
      acknowledge(queue, {
        id: 'Serverless-SQSRedrivePolicy',
        reason: 'This is a dead-letter queue itself: people read it, and no consumer that could fail.',
      });
      return queue;
    };
    const addQueue = (name: string, dead: Queue, visibility: Duration, maxReceiveCount: number): Queue =>
      new Queue(this, name, {
        ...shared,
        retentionPeriod: RETENTION,
        visibilityTimeout: visibility,
        deadLetterQueue: { queue: dead, maxReceiveCount },
      });
    this.jobsDead = addDead('JobsDead');
    this.wakesDead = addDead('WakesDead');
    this.jobs = addQueue('Jobs', this.jobsDead, Duration.millis(OUTBOUND_TIMINGS.jobsVisibilityMs), JOBS_RECEIVES);
    // Below six timeouts of its function: a wake-up that comes twice is harmless (docs/decisions/a-delivery-is-a-record-a-row-and-a-wake-up.md).
    const visibility = Duration.millis(OUTBOUND_TIMINGS.wakeVisibilityMs);
    this.wakeFast = addQueue('WakeFast', this.wakesDead, visibility, WAKES_RECEIVES);
    this.wakeSlow = addQueue('WakeSlow', this.wakesDead, visibility, WAKES_RECEIVES);
    acknowledge(this.jobs, {
      id: 'Serverless-LambdaSQSVisibilityTimeout',
      reason:
        'A job may run twice at once, because the same key is the same row; what a killed fan-out had in hand waits until it is seen again (docs/decisions/a-delivery-is-a-record-a-row-and-a-wake-up.md).',
    });
    for (const wake of [this.wakeFast, this.wakeSlow]) {
      acknowledge(wake, {
        id: 'Serverless-LambdaSQSVisibilityTimeout',
        reason:
          'A wake-up that comes again while its first run goes on finds the lease taken and is dropped; a longer visibility would keep an endpoint waiting after a crash (docs/decisions/a-delivery-is-a-record-a-row-and-a-wake-up.md).',
      });
    }
  }

  /** Allows the one call that warms a client at a start. */
  grantPrime(grantee: IGrantable): void {
    this.jobs.grant(grantee, 'sqs:GetQueueAttributes');
  }

  /** Allows sending to these queues. */
  grantSend(grantee: IGrantable, ...queues: readonly Queue[]): void {
    for (const queue of queues) queue.grant(grantee, 'sqs:SendMessage');
  }
}
