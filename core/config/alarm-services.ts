import type { AlarmService } from '#core/alarm-service.ts';
import { type Place, rootOf } from '#core/names.ts';
import type { Deployment } from './deployment.ts';
import { type AlarmTarget, SEVERITIES, type Severity } from './gateway-config.ts';

/** Those of an environment's targets that `notify` tells, by severity. */
export function alarmServices({ alarmTargets }: Pick<Deployment, 'alarmTargets'>): readonly AlarmService[] {
  return SEVERITIES.flatMap(severity => alarmTargets[severity].flatMap(target => serviceOf(severity, target) ?? []));
}

function serviceOf(severity: Severity, target: AlarmTarget): AlarmService | undefined {
  if ('slack' in target) return { severity, kind: 'slack', name: target.slack, region: 'us' };
  if ('pagerDuty' in target)
    return { severity, kind: 'pagerDuty', name: target.pagerDuty, region: target.region ?? 'us' };
  return undefined;
}

/**
 * The secret with a service's webhook URL (Slack) or routing key (PagerDuty). Not below `holdfast/<environment>/`, where
 * `ingest` may read.
 */
export function alarmSecretName(place: Place, { kind, name }: Pick<AlarmService, 'kind' | 'name'>): string {
  return `${rootOf(place)}-alarms/${place.environment}/${kind}/${name}`;
}

/** A command that asks for the value without showing it, so that it stays out of the shell's history. */
export function commandToSetAlarmSecret(place: Place, service: AlarmService, region?: string): string {
  const name = alarmSecretName(place, service);
  const where = region === undefined ? '' : ` --region ${region}`;
  return `printf '${service.kind} ${service.name}: ' && read -rs SECRET && echo && printf %s "$SECRET" | aws secretsmanager put-secret-value${where} --secret-id ${name} --secret-string file:///dev/stdin`;
}

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
