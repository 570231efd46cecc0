/** Of alarms: their states, who is told, the numbers that one judges, its runbook. */
import { given } from '#core/given.ts';
import { toldOf } from '#operator/health/alarm-words.ts';
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
