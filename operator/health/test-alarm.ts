/** A real test of an alarm: it rings, whoever it tells is told, and CloudWatch sets it back by itself. */
import { SEVERITIES, type Severity } from '#core/config/gateway-config.ts';
import type { EpochMs } from '#core/glossary.ts';
import { nameIn } from '#core/names.ts';
import { closest } from '#core/problem.ts';
import { MINUTE_MS, SECOND_MS, toIso } from '#core/time.ts';
import { shortAlarm } from '#core/words.ts';
import type { AlarmView } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { severityOf, toldOf, wholeOf } from './alarm-words.ts';
import { listMutes } from './mutes.ts';

/** CloudWatch judges an alarm of one-minute numbers again within a minute, others later. */
const END_LIMIT_MS = 10 * MINUTE_MS;
const POLL_MS = 5 * SECOND_MS;
/** Judged each minute, and of every source: they end soon and name nobody wrongly. */
const BY_SEVERITY: Readonly<Record<Severity, string>> = {
  page: 'process-queue-deep-page',
  ticket: 'process-queue-deep',
  notice: 'ingest-signature-rejections',
};

export interface AlarmTest {
  readonly name: string;
  readonly severity: Severity;
  /** Whom it tells, in a sentence. */
  readonly told: string;
}

/** Which alarm would ring. Throws OperatorError where none can: usage for what is no alarm. */
export async function planAlarmTest(operator: Operator, asked: string): Promise<AlarmTest> {
  const all = await (await operator.gateway()).alarms();
  const severity = SEVERITIES.find(each => each === asked);
  const alarm = severity === undefined ? oneOf(asked, all, operator) : await oneThatTells(severity, all, operator);
  if (alarm.watches !== undefined)
    throw usageError(
      `${alarm.name} only combines others, and might not go back by itself`,
      'an alarm that judges a number',
      operator.command(`alarms test ${severityOf(alarm) ?? 'page'}`),
    );
  const why = await cannotRing(alarm, operator);
  if (why !== undefined) throw new OperatorError(why);
  const told = toldOf(alarm, all, operator.deployment) ?? 'Whom it tells is not known here.';
  return { name: alarm.name, severity: severityOf(alarm) ?? 'notice', told };
}

/** When it began. */
export async function ringAlarm(operator: Operator, { name }: AlarmTest): Promise<EpochMs> {
  const at = operator.clock.now();
  await (await operator.gateway()).ringAlarm(name, `A test by ${operator.by} (holdfast alarms test)`);
  return at;
}

/** When it was seen to have gone back. Undefined: not within ten minutes, or nobody waits any longer. */
export async function waitForEnd(
  operator: Operator,
  { name }: AlarmTest,
  isOver: () => boolean,
): Promise<EpochMs | undefined> {
  const gateway = await operator.gateway();
  const until = operator.clock.now() + END_LIMIT_MS;
  while (!isOver() && operator.clock.now() < until) {
    await gateway.timer.sleep(POLL_MS);
    const now = (await gateway.alarms()).find(each => each.name === name);
    if (now?.state !== 'ALARM') return operator.clock.now();
  }
  return undefined;
}

/** Rings already, or would be held back: nobody would be told. */
async function cannotRing({ name, state, since }: AlarmView, operator: Operator): Promise<string | undefined> {
  if (state === 'ALARM')
    return `${name} is in alarm since ${toIso(since)}: a test would tell nobody.\nWhat to do about it: ${operator.command(`runbook ${shortAlarm(name, operator.environment)}`)}`;
  const now = operator.clock.now();
  const mute = (await listMutes(operator)).find(each => each.from <= now && each.alarms.includes(name));
  if (mute === undefined) return undefined;
  return `${name} is muted until ${toIso(mute.until)}: ${mute.why}, by ${mute.by}. A test would tell nobody before.\nEnd it: ${operator.command(`unmute ${mute.id}`)}`;
}

async function oneThatTells(severity: Severity, all: readonly AlarmView[], operator: Operator): Promise<AlarmView> {
  const wanted = nameIn(operator.deployment.config, BY_SEVERITY[severity]);
  const tell = all
    .filter(each => severityOf(each) === severity && each.watches === undefined && wholeOf(each, all) === undefined)
    .toSorted((a, b) => Number(b.name === wanted) - Number(a.name === wanted) || a.name.localeCompare(b.name));
  for (const alarm of tell) if ((await cannotRing(alarm, operator)) === undefined) return alarm;
  const [first] = tell;
  if (first !== undefined) return first;
  throw new OperatorError(`${operator.environment} has no alarm that is a ${severity} of its own`, 'not_found');
}

function oneOf(asked: string, all: readonly AlarmView[], operator: Operator): AlarmView {
  const whole = nameIn(operator.deployment.config, asked);
  const found = all.find(({ name }) => name === asked || name === whole);
  if (found !== undefined) return found;
  const names = all.map(({ name }) => shortAlarm(name, operator.environment));
  const near = closest(asked, [...SEVERITIES, ...names]);
  throw usageError(
    `"${asked.slice(0, 80)}" is no alarm of ${operator.environment}`,
    `${SEVERITIES.join(', ')}, or the name of an alarm`,
    near === undefined
      ? `see their names: ${operator.command('status --json')}`
      : `did you mean ${near}? ${operator.command(`alarms test ${near}`)}`,
  );
}
