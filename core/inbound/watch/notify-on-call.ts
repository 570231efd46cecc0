/**
 * The alarm of new deaths on its way to a person. CloudWatch knows a number; this adds which events died, of what, and
 * what to run. Whatever cannot be added, the alarm itself goes on.
 */
import { ask } from '#core/ask.ts';
import type { SourceId } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import type { Clock, Pager, Telemetry } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';
import { readAlarmJson } from './alarm-news.ts';
import { describeDeaths } from './describe-deaths.ts';

/** A notification of CloudWatch as SNS carries it; `message` is its JSON text. */
export interface Notification {
  readonly subject: string;
  readonly message: string;
}

interface NotifyPorts {
  readonly pager: Pager;
  readonly store: Pick<EventStore, 'attention' | 'getMany'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}

interface NotifyRules {
  readonly environment: string;
  readonly sourceIds: readonly SourceId[];
}

/** An alarm fires up to two minutes after the death it counts, and deaths of a few minutes before belong to it. */
const LOOK_BACK_MS = 10 * MINUTE_MS;

/** Passes a notification on; one of an alarm that has just fired says what died. Throws when nobody could be told. */
export async function notifyOnCall(given: Notification, ports: NotifyPorts, rules: NotifyRules): Promise<void> {
  const alarm = readAlarmJson(given.message);
  if (alarm === undefined) return ports.pager.publish(given.subject, given.message, given.message);
  const deaths = alarm['NewStateValue'] === 'ALARM' ? await findDeaths(ports, rules) : undefined;
  const description = [String(alarm['AlarmDescription'] ?? ''), ...(deaths === undefined ? [] : [deaths])].join('\n');
  const text = [
    `${String(alarm['NewStateValue'])}: ${String(alarm['AlarmName'])}`,
    description,
    `Why now: ${String(alarm['NewStateReason'])}`,
  ].join('\n');
  await ports.pager.publish(given.subject, JSON.stringify({ ...alarm, AlarmDescription: description }), text);
}

async function findDeaths(ports: NotifyPorts, rules: NotifyRules): Promise<string | undefined> {
  const since = ports.clock.now() - LOOK_BACK_MS;
  const asked = await ask({ telemetry: ports.telemetry, stage: 'notify' }, () =>
    describeDeaths({ ...rules, since }, ports.store),
  );
  return asked.ok ? asked.value : undefined;
}
