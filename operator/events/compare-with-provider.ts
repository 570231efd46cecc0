/** Ask providers now what they tried to deliver, as the schedule does. */
import type { ReconcileReport } from '#core/inbound/reconcile/reconcile-deliveries.ts';
import type { Operator } from '#operator/operator.ts';
import { usageError } from '#operator/operator-error.ts';

/** The sources a comparison means: the named one, or each that has `reconcile`. Throws OperatorError (usage). */
export function sourcesToCompare(operator: Operator, named: string | undefined): readonly string[] {
  const able = operator.deployment.sources.flatMap(({ source }) => (source.reconcile ? [source.id] : []));
  if (named === undefined && able.length > 0) return able;
  if (named !== undefined) {
    const { id, reconcile } = operator.source(named);
    if (reconcile) return [id];
  }
  throw usageError(
    named === undefined
      ? `No source in ${operator.environment} is compared`
      : `${named} is not compared with its provider`,
    able.join(', ') || 'sources with `reconcile` in gateway.config.ts',
    able.length > 0 ? `--source ${able[0]}` : 'add it and deploy, see docs/receive/missing-events.md',
  );
}

/** A report for each list of a source. With `dryRun` nothing is changed. Takes minutes where there is much. */
export async function compareWithProvider(
  operator: Operator,
  source: string,
  dryRun: boolean,
): Promise<readonly ReconcileReport[]> {
  return (await operator.gateway()).reconciler.run(source, dryRun);
}
