import { Duration } from 'aws-cdk-lib/core';
import type { DeployedSource } from '#core/config/deployment.ts';
import type { AlarmContext, AlarmSpec } from './alarm-spec.ts';

/**
 * A source that sends nothing, or next to nothing. Either its longest normal silence is known (`silence` in minutes), or
 * CloudWatch learns what is usual; below the lower edge of a wide band a source counts as gone.
 */
export function silenceAlarms(deployed: DeployedSource, context: AlarmContext): readonly AlarmSpec[] {
  const { source, silence } = deployed;
  const accepted = (period: Duration) =>
    context.metric('Accepted', { statistic: 'Sum', period, dimensions: { source: source.id } });
  const shared = {
    id: 'ingest-silent-source',
    source: source.id,
    severity: 'page',
    fires: 'below',
    missing: 'breaching',
    firstCommand: context.holdfast(`events ls --source ${source.id} --since 24h`),
  } as const;
  if (typeof silence === 'number') {
    const periods = Math.ceil(silence / 5);
    return [
      {
        ...shared,
        metric: accepted(context.minutes(5)),
        datapoints: [periods, periods],
        meaning: `Source ${source.id} has sent nothing for ${silence} minutes: the provider may have disabled the webhook.`,
      },
    ];
  }
  if (silence !== 'learned') return [];
  return [
    {
      ...shared,
      metric: accepted(Duration.minutes(15)),
      threshold: { bandWidth: 6 },
      datapoints: [3, 3],
      meaning: `Source ${source.id} has sent next to nothing for 45 minutes, far below what is usual: the provider may have disabled the webhook.`,
    },
  ];
}
