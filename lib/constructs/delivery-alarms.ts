import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type DeliveryAlarmContext, deliveryAlarms } from '../alarms/delivery-alarms.ts';
import { makeAlarm, shortMinutes } from '../alarms/make-alarm.ts';
import { withThresholds } from '../alarms/thresholds.ts';
import { type AlarmTopics, tellTopic } from './alarm-topics.ts';

export interface DeliveryAlarmsProps extends Omit<DeliveryAlarmContext, 'minutes'> {
  /** Of the gateway stack: one place says who is told. */
  readonly topics: AlarmTopics;
}

/** All alarms of what is sent to customers, told to the same people as the others. */
export class DeliveryAlarms extends Construct {
  constructor(scope: Construct, id: string, { topics, ...context }: DeliveryAlarmsProps) {
    super(scope, id);
    const { deployment } = context;
    const minutes = deployment.emulated ? shortMinutes : Duration.minutes;
    const wanted = withThresholds(deliveryAlarms({ ...context, minutes }), deployment, 'sending').filter(
      spec => deployment.alarms === 'all' || spec.essential === true,
    );
    for (const spec of wanted) tellTopic(makeAlarm(this, spec, deployment.config), topics.topics[spec.severity]);
  }
}
