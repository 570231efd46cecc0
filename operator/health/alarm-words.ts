/** What the text of an alarm says, and whom it tells as the stacks wire it. */
import type { Deployment } from '#core/config/deployment.ts';
import type { AlarmTarget, Severity } from '#core/config/gateway-config.ts';
import { shortAlarm } from '#core/words.ts';
import type { AlarmView } from '#operator/gateway.ts';

const SEVERITY = /^(page|ticket|notice): /;
const FOR = {
  page: 'wakes',
  ticket: 'tells, for the next working day,',
  notice: 'tells, without anything to do,',
} as const;

/** As its text says. Undefined: an alarm that is not ours. */
export function severityOf({ description }: Pick<AlarmView, 'description'>): Severity | undefined {
  return SEVERITY.exec(description)?.[1] as Severity | undefined;
}

/** An alarm that shows, and that nobody has to act on: a deploy, a changed schema. */
export function isNotice(alarm: Pick<AlarmView, 'description'>): boolean {
  return severityOf(alarm) === 'notice';
}

/**
 * The page that an alarm's description names, as a command, or as a path where an earlier version deployed it. An alarm of
 * the person's own names none: its name without the environment is the best guess.
 */
export function runbookOf({ name, description }: Pick<AlarmView, 'name' | 'description'>, environment: string): string {
  const [, command, page] =
    /^Runbook: (?:.* runbook ([\w-]+)|\S*?docs\/runbooks\/([\w-]+)\.md)/m.exec(description) ?? [];
  return command ?? page ?? shortAlarm(name, environment);
}

/** The alarm that an alarm is a part of, which tells in its place. */
export function wholeOf({ name }: Pick<AlarmView, 'name'>, all: readonly AlarmView[]): AlarmView | undefined {
  return all.find(each => each.watches?.includes(name));
}

/** In a sentence: an alarm that is part of another leaves a notice, and the other one tells. */
export function toldOf(alarm: AlarmView, all: readonly AlarmView[], deployment: Deployment): string | undefined {
  const severity = severityOf(alarm);
  if (severity === undefined) return undefined;
  const { environment } = deployment.config;
  const whole = wholeOf(alarm, all);
  if (whole !== undefined) return `It is only shown: ${shortAlarm(whole.name, environment)} tells of it.`;
  if (deployment.emulated) return 'On this machine it is printed where npm start runs.';
  const targets = deployment.alarmTargets[severity].map(nameOf);
  if (targets.length > 0) return `It ${FOR[severity]} ${targets.join(', ')}.`;
  if (severity === 'notice') return 'It is only shown: nobody has to do anything.';
  return `It tells nobody: alarmTargets of ${environment} names nobody for a ${severity}.`;
}

function nameOf(target: AlarmTarget): string {
  if ('email' in target) return target.email;
  if ('https' in target) return new URL(target.https).host;
  return 'slack' in target ? `Slack (${target.slack})` : `PagerDuty (${target.pagerDuty})`;
}
