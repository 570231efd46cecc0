import { type CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import type { AlarmView } from '#operator/gateway.ts';

/** All alarms whose names begin so, composites included; those in ALARM first. */
export async function readAlarms(client: CloudWatchClient, AlarmNamePrefix: string): Promise<readonly AlarmView[]> {
  const views: AlarmView[] = [];
  for await (const page of paginateDescribeAlarms({ client }, { AlarmNamePrefix })) {
    for (const alarm of [...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? [])]) {
      views.push({
        name: alarm.AlarmName ?? '',
        state: (alarm.StateValue ?? 'INSUFFICIENT_DATA') as AlarmView['state'],
        since: alarm.StateUpdatedTimestamp?.getTime() ?? 0,
        reason: alarm.StateReason ?? '',
        description: alarm.AlarmDescription ?? '',
      });
    }
  }
  return views.sort((a, b) => Number(b.state === 'ALARM') - Number(a.state === 'ALARM') || b.since - a.since);
}
