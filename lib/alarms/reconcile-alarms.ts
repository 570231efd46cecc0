import { Duration } from 'aws-cdk-lib';
import { toConstructId } from '../construct-id.ts';
import type { AlarmList, AlarmSpec } from './alarm-spec.ts';

/** Hours without progress that are nobody's fault: a provider's bad afternoon. */
const BEHIND_HOURS = 6;

/** Per source that is compared with its provider: what never arrived, and a comparison that does not go on. */
export const reconcileAlarms: AlarmList = context =>
  context.deployment.sources.flatMap(({ source }): AlarmSpec[] => {
    const reconciler = context.functions['reconcile-providers'];
    if (!source.reconcile || !reconciler) return [];
    const dimensions = { source: source.id };
    const output = toConstructId('reconcile-providers');
    return [
      {
        id: `reconcile-providers-gaps-${source.id}`,
        runbook: 'reconcile-providers-gaps',
        severity: 'ticket',
        metric: context.metric('ReconcileGaps', { statistic: 'Sum', period: Duration.hours(1), dimensions }),
        threshold: 1,
        datapoints: [1, 1],
        missing: 'notBreaching',
        meaning: `${source.spec.title} tried to deliver events to source ${source.id} that never arrived. They were fetched, or asked for again; why they were lost is open.`,
        firstCommand: `aws logs tail ${reconciler.logGroup.logGroupName} --since 3h --filter-pattern '{ $.source = "${source.id}" }'`,
      },
      {
        id: `reconcile-providers-behind-${source.id}`,
        runbook: 'reconcile-providers-behind',
        severity: 'ticket',
        // The smallest of six hours: one run that caught up is enough.
        metric: context.metric('ReconcileLag', {
          statistic: 'Minimum',
          period: Duration.hours(BEHIND_HOURS),
          dimensions,
        }),
        threshold: (BEHIND_HOURS + source.reconcile.everyMinutes / 60) * 3_600 + source.reconcile.settleMs / 1_000,
        fires: 'above',
        datapoints: [1, 1],
        // A dry run moves nothing and so reports no lag.
        missing: source.reconcile.dryRun ? 'notBreaching' : 'breaching',
        meaning: `Source ${source.id} has not been compared with ${source.spec.title} for hours: the credential, the limits, or the run itself (${output}Function).`,
        firstCommand: `aws logs tail ${reconciler.logGroup.logGroupName} --since 12h --filter-pattern '{ $.source = "${source.id}" }'`,
      },
    ];
  });
