import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type AlarmTarget, SEVERITIES, type Severity } from '#core/config/gateway-config.ts';
import { acknowledge } from './acknowledge.ts';
import { allow } from './allow.ts';

/** The topic hears when the alarm fires, and when that is over. */
export function tellTopic(alarm: AlarmBase, topic: ITopic): void {
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}

export interface AlarmTopicsProps {
  /** Who is told, by severity. @default nobody */
  readonly targets?: Partial<Readonly<Record<Severity, readonly AlarmTarget[]>>>;
}

/**
 * One encrypted topic per severity, to which CloudWatch alarms of this account may publish. Their ARNs are exported, used
 * or not: a deployed delivery stack imports them, and CloudFormation refuses to take such an export away.
 */
export class AlarmTopics extends Construct {
  /**
   * The topics where there are no alarms: nobody publishes to them and nobody listens, so they need no key and cost
   * nothing. The same ids as with alarms, so that these come and go without a new topic.
   */
  static unused(scope: Construct, id: string): void {
    const within = new Construct(scope, id);
    for (const severity of SEVERITIES) {
      const topic = new Topic(within, severity, { enforceSSL: true });
      Stack.of(within).exportValue(topic.topicArn);
      acknowledge(topic, {
        id: 'AwsSolutions-SNS2',
        reason: 'No alarm publishes to it and nobody is subscribed: it stays so that its export does.',
      });
    }
  }

  readonly topics: Readonly<Record<Severity, Topic>>;
  /** For the alarm of new deaths: its one subscriber adds which, and pages. */
  readonly deaths: Topic;
  readonly #key: Key;

  constructor(scope: Construct, id: string, props: AlarmTopicsProps = {}) {
    super(scope, id);
    const stack = Stack.of(this);
    const fromOurAlarms = {
      StringEquals: { 'aws:SourceAccount': stack.account },
      ArnLike: {
        'aws:SourceArn': stack.formatArn({
          service: 'cloudwatch',
          resource: 'alarm',
          resourceName: '*',
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      },
    };
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');
    // The AWS-managed key of SNS does not let CloudWatch in: alarms would fire and reach nobody.
    const key = new Key(this, 'Key', {
      description: 'Alarm notifications',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [cloudWatch],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'],
        // No condition here: AWS documents none for CloudWatch on a key, and a key that refuses silences every alarm.
        // Who may publish is the topic's policy to say.
      }),
    );
    this.#key = key;
    const addTopic = (name: Severity | 'deaths'): Topic => {
      const topic = new Topic(this, name, { masterKey: key, enforceSSL: true });
      topic.addToResourcePolicy(
        new PolicyStatement({
          principals: [cloudWatch],
          actions: ['sns:Publish'],
          resources: [topic.topicArn],
          conditions: fromOurAlarms,
        }),
      );
      return topic;
    };
    this.deaths = addTopic('deaths');
    this.topics = Object.fromEntries(SEVERITIES.map(severity => [severity, addTopic(severity)])) as Record<
      Severity,
      Topic
    >;
    for (const severity of SEVERITIES) {
      stack.exportValue(this.topics[severity].topicArn);
      for (const target of props.targets?.[severity] ?? []) {
        // Slack and PagerDuty are told by `notify`, which its stack subscribes.
        if ('email' in target) this.topics[severity].addSubscription(new EmailSubscription(target.email));
        if ('https' in target) this.topics[severity].addSubscription(new UrlSubscription(target.https));
      }
    }
  }

  /** Allows telling those who are paged. */
  grantPage(grantee: IGrantable): void {
    allow(grantee, ['sns:Publish'], [this.topics.page.topicArn]);
    allow(grantee, ['kms:Decrypt', 'kms:GenerateDataKey'], [this.#key.keyArn]);
  }
}
