/** Of alarms: their states, who is told, the numbers that one judges, its runbook. */
import type { AlarmTarget } from '#core/config/gateway-config.ts';
import { given } from '#core/given.ts';
import { shortAlarm } from '#core/words.ts';
import type { AlarmView } from '#operator/gateway.ts';
import { readGuide } from '#operator/health/read-guide.ts';
import type { AlarmGraphView } from '../wire.ts';
import type { Asked, Route } from './route.ts';
import { alarmRow } from './rows.ts';

export const ALARM_ROUTES = [
  { method: 'GET', path: '/api/alarms', answer: alarms },
  { method: 'GET', path: '/api/alarms/:name/graph', answer: graph },
  { method: 'GET', path: '/api/runbooks/:name', answer: runbook },
] as const satisfies readonly Route[];

async function alarms({ operator }: Asked) {
  const all = await (await operator.gateway()).alarms();
  const rows = all.map(alarm => ({
    ...alarmRow(alarm, operator.environment),
    ...given({ told: toldOf(alarm, all, operator.deployment) }),
  }));
  return { alarms: rows, now: operator.clock.now() };
}

const SEVERITY = /^(page|ticket|notice): /;
const FOR = {
  page: 'wakes',
  ticket: 'tells, for the next working day,',
  notice: 'tells, without anything to do,',
} as const;

/** As the stacks wire it: an alarm that is part of another leaves a notice, and the other one tells. */
function toldOf(alarm: AlarmView, all: readonly AlarmView[], deployment: Asked['operator']['deployment']) {
  const severity = SEVERITY.exec(alarm.description)?.[1] as keyof typeof FOR | undefined;
  if (severity === undefined) return undefined;
  const { environment } = deployment.config;
  const whole = all.find(each => each.watches?.includes(alarm.name));
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

async function graph({ operator, params }: Asked): Promise<AlarmGraphView> {
  const gateway = await operator.gateway();
  const found = await gateway.alarmGraph(params['name'] ?? '');
  return { ...given({ graph: found }), now: operator.clock.now() };
}

/** Its commands name this environment: they can be pasted as they are. */
async function runbook({ operator, params }: Asked) {
  const text = await readGuide('runbooks', params['name'] ?? '');
  return {
    markdown: text
      .replaceAll('<environment>', operator.environment)
      .replace(/\$ENV\b|(?<=^ENV=)\w+/gm, operator.environment),
  };
}
