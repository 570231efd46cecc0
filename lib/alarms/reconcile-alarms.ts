import { Duration } from 'aws-cdk-lib/core';
import { toConstructId } from '../construct-id.ts';
import type { AlarmList, AlarmSpec } from './alarm-spec.ts';

/** Hours without progress that are nobody's fault: a provider's bad afternoon. */
const BEHIND_HOURS = 6;

/** What never arrived, over all sources; and per source that is compared with its provider, a comparison that does not go on. */
export const reconcileAlarms: AlarmList = context => {
  const reconciler = context.functions['reconcile-providers'];
  if (!reconciler) return [];
  const behind = context.deployment.sources.flatMap(({ source }): AlarmSpec[] => {
    if (!source.reconcile) return [];
    // An hour without a run has no datapoint, and counts as behind.
    const hours = Math.max(BEHIND_HOURS, Math.ceil(source.reconcile.everyMinutes / 60) + 1);
    return [
      {
        id: 'reconcile-providers-behind',
        source: source.id,
        severity: 'ticket',
        // One hour of them in which a run caught up is enough.
        metric: context.metric('ReconcileLag', {
          statistic: 'Minimum',
          period: Duration.hours(1),
          dimensions: { source: source.id },
        }),
        threshold: (BEHIND_HOURS + source.reconcile.everyMinutes / 60) * 3_600 + source.reconcile.settleMs / 1_000,
        fires: 'above',
        datapoints: [hours, hours],
        missing: 'breaching',
        meaning: `Source ${source.id} has not been compared with ${source.spec.title} for hours. Check the credential, the limits of the provider, and the function (${toConstructId('reconcile-providers')}Function).`,
        firstCommand: context.holdfast(`logs --of reconcile-providers --where source=${source.id} --since 12h`),
      },
    ];
  });
  return [
    {
      id: 'reconcile-providers-gaps',
      severity: 'ticket',
      metric: context.metric('ReconcileGaps', { statistic: 'Sum', period: Duration.hours(1) }),
      meaning:
        'A provider tried to deliver events that never arrived. They were fetched, or the provider was asked to send them again. Nobody knows yet why they were lost. The first command names the source.',
      firstCommand: context.holdfast('logs --of reconcile-providers --since 3h'),
    },
    ...behind,
  ];
};
