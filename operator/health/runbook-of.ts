import { shortAlarm } from '#core/words.ts';
import type { AlarmView } from '#operator/gateway.ts';

/**
 * The page that an alarm's description names, as a command, or as a path where an earlier version deployed it. An alarm of
 * the person's own names none: its name without the environment is the best guess.
 */
export function runbookOf({ name, description }: Pick<AlarmView, 'name' | 'description'>, environment: string): string {
  const [, command, page] =
    /^Runbook: (?:.* runbook ([\w-]+)|\S*?docs\/runbooks\/([\w-]+)\.md)/m.exec(description) ?? [];
  return command ?? page ?? shortAlarm(name, environment);
}
