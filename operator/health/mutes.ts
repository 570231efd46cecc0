/** Silence for the messages of alarms, for a while and with a reason: during maintenance, or while somebody is at work on it. */

import type { EpochMs } from '#core/glossary.ts';
import { nameIn } from '#core/names.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, parseIso, toIso } from '#core/time.ts';
import type { Mute } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { ago } from '#operator/span.ts';

/** Ours: a mute is forgotten sooner than it is needed for longer. CloudWatch would take 15 days. */
const LONGEST_MUTE_MS = 7 * DAY_MS;
/** Ours: what is planned for later than that is planned again. */
const LATEST_BEGIN_MS = 30 * DAY_MS;
/** A rule whose beginning is past is refused: putting it takes a moment. */
const WRITTEN_WITHIN_MS = 10_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

export interface MuteWish {
  /** How long, as it was typed: `30m`, `2h`, `7d`. */
  readonly span: string;
  readonly why: string;
  /** When it begins, ISO 8601 (UTC without a zone). @default a full minute, CloudWatch's grain, within 70 s of its writing */
  readonly from?: string;
  /** Whole names, or what follows `holdfast-<environment>-`. @default all alarms of the environment */
  readonly alarms?: readonly string[];
}

/** What a look at mutes needs. Nobody can ask AWS whether a mute would be allowed without making one. */
export const MUTE_RIGHTS = 'cloudwatch:ListAlarmMuteRules and GetAlarmMuteRule (docs/operate/alarms.md#mute-alarms)';

/** Those that last and those that will come, the next to begin first. */
export async function listMutes(operator: Operator): Promise<readonly Mute[]> {
  return (await (await operator.gateway()).mutes.list()).toSorted((a, b) => a.from - b.from);
}

/** What would be muted. Throws OperatorError: usage for a length, a time or a name that cannot be. */
export async function planMute(operator: Operator, wish: MuteWish): Promise<Mute> {
  const { why, alarms: wanted = [] } = wish;
  const window = windowOf(wish, operator.clock.now());
  const gateway = await operator.gateway();
  const names = (await gateway.alarms()).map(({ name }) => name).sort();
  const found = wanted.length === 0 ? names : wanted.map(name => oneOf(name, names, operator));
  if (found.length === 0)
    throw new OperatorError(`${operator.environment} has no alarms: nothing to mute`, 'not_found');
  const id = gateway.ids.uuid().slice(0, 8);
  return { id, by: operator.by, why, ...window, alarms: [...new Set(found)] };
}

/** Writes what was planned of the wish; its window is reckoned now, for a person may have taken long to confirm. */
export async function beginMute(operator: Operator, planned: Mute, wish: MuteWish): Promise<Mute> {
  const { mutes } = await operator.gateway();
  const mute = { ...planned, ...windowOf(wish, operator.clock.now()) };
  await mutes.begin(mute);
  return mute;
}

/** Ends one mute before its time, or all. Throws OperatorError (not_found) for an id that is none. */
export async function endMutes(operator: Operator, id?: string): Promise<readonly Mute[]> {
  const all = await listMutes(operator);
  const ended = id === undefined ? all : all.filter(mute => mute.id === id);
  if (id !== undefined && ended.length === 0) {
    const ids = all.map(mute => mute.id).join(', ') || 'none, nothing is muted';
    const fix = operator.command('mute ls');
    throw new OperatorError(`No mute "${id.slice(0, 40)}"\n  allowed: ${ids}\n  fix:     ${fix}`, 'not_found');
  }
  const { mutes } = await operator.gateway();
  for (const mute of ended) await mutes.end(mute);
  return ended;
}

/** `12 alarms are muted until 2026-11-27T16:00:00.000Z (in 2 h): restore rehearsal, by ada`. */
export function muteText({ alarms, from, until, why, by }: Mute, now: EpochMs): string {
  const [only] = alarms;
  const what = alarms.length === 1 ? `${only} is` : `${alarms.length} alarms are`;
  const when = from > now ? `muted from ${toIso(from)} (${ago(from, now)}) until` : 'muted until';
  return `${what} ${when} ${toIso(until)} (${ago(until, now)}): ${why}, by ${by}`;
}

function windowOf({ span, from: begin }: MuteWish, now: EpochMs): Pick<Mute, 'from' | 'until'> {
  const lengthMs = readSpan(span);
  const soon = Math.ceil((now + WRITTEN_WITHIN_MS) / MINUTE_MS) * MINUTE_MS;
  const from = begin === undefined ? soon : readBegin(begin, now);
  return { from, until: from + lengthMs };
}

function readSpan(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  if (ms >= MINUTE_MS && ms <= LONGEST_MUTE_MS) return ms;
  throw usageError(
    `How long: "${text.slice(0, 40)}"`,
    'minutes, hours or days, from 1m to 7d: a mute always ends',
    'e.g. 2h, and mute again if it is not over by then',
  );
}

function readBegin(text: string, now: EpochMs): EpochMs {
  const at = parseIso(text);
  if (at !== undefined && at > now && at <= now + LATEST_BEGIN_MS && at % MINUTE_MS === 0) return at;
  throw usageError(
    `--from: "${text.slice(0, 40)}"`,
    `a full minute of the next 30 days, such as ${toIso(Math.ceil((now + HOUR_MS) / HOUR_MS) * HOUR_MS)}`,
    'leave --from out to begin now',
  );
}

function oneOf(given: string, names: readonly string[], operator: Operator): string {
  const whole = nameIn(operator.deployment.config, given);
  const found = names.find(name => name === given || name === whole);
  if (found !== undefined) return found;
  throw usageError(
    `--alarm: "${given.slice(0, 80)}"`,
    'an alarm of this environment',
    `see their names: ${operator.command('status --json')}`,
  );
}
