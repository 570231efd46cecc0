import { type CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { given } from '#core/given.ts';
import type { AlarmView } from '#operator/gateway.ts';

/** All alarms whose names begin so, composites included; those in ALARM first. */
export async function readAlarms(client: CloudWatchClient, AlarmNamePrefix: string): Promise<readonly AlarmView[]> {
  const views: AlarmView[] = [];
  for await (const page of paginateDescribeAlarms({ client }, { AlarmNamePrefix })) {
    for (const alarm of [...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? [])]) {
      const watches = 'AlarmRule' in alarm ? namesIn(alarm.AlarmRule ?? '') : undefined;
      views.push({
        name: alarm.AlarmName ?? '',
        state: (alarm.StateValue ?? 'INSUFFICIENT_DATA') as AlarmView['state'],
        since: alarm.StateUpdatedTimestamp?.getTime() ?? 0,
        reason: alarm.StateReason ?? '',
        description: alarm.AlarmDescription ?? '',
        ...given({ watches }),
      });
    }
  }
  return views.sort((a, b) => Number(b.state === 'ALARM') - Number(a.state === 'ALARM') || b.since - a.since);
}

/** A rule names alarms, or their ARNs: `ALARM("…:alarm:holdfast-prod-a") OR ALARM("holdfast-prod-b")`. */
function namesIn(rule: string): readonly string[] {
  return [...rule.matchAll(/\w\("?(?:arn:[^"()]*:alarm:)?([^"()]+)"?\)/g)].map(([, name = '']) => name);
}
