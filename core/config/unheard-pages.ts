import type { Deployment } from './deployment.ts';

/**
 * What to say of an environment that keeps data and whose pages wake nobody. Undefined where somebody is told, where
 * `alarmTargets: 'nobody'` says that this is meant, and where the stored events may be deleted anyway.
 */
export function unheardPages(
  deployment: Pick<Deployment, 'config' | 'alarmTargets' | 'tellsNobody' | 'disposable'>,
): string | undefined {
  const { config, alarmTargets, tellsNobody, disposable } = deployment;
  if (disposable || tellsNobody || alarmTargets.page.length > 0) return undefined;
  const where = `environments.${config.environment}.alarmTargets`;
  return `${config.environment} pages nobody: an alarm that should wake somebody shows on the dashboard only. Set ${where} in gateway.config.ts, e.g. { page: [{ email: 'oncall@example.com' }] }, or 'nobody' when that is meant.`;
}
