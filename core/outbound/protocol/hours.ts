/** Attempts of the last 24 hours, packed into one text of the runtime item: `<hour>:<ok>.<fail>,…`, newest first, base 36. */
import type { EpochMs } from '#core/glossary.ts';
import { HOUR_MS } from '#core/time.ts';

export interface HourCount {
  readonly ok: number;
  readonly fail: number;
}
const HOURS = 24;
const NONE: HourCount = { ok: 0, fail: 0 };

/** 24 counts, the running hour first. */
export function readHours(packed: string | undefined, now: EpochMs): readonly HourCount[] {
  const hour = Math.floor(now / HOUR_MS);
  const [head = '', list = ''] = (packed ?? '').split(':');
  const age = packed ? hour - Number.parseInt(head, 36) : 0;
  const counts = list.split(',').map(toCount);
  return Array.from({ length: HOURS }, (_, at) => counts[at - age] ?? NONE);
}

/** The text after some more attempts. */
export function addToHours(packed: string | undefined, now: EpochMs, more: HourCount): string {
  const [first = NONE, ...rest] = readHours(packed, now);
  const counts = [{ ok: first.ok + more.ok, fail: first.fail + more.fail }, ...rest];
  while (counts.length > 1 && counts.at(-1)?.ok === 0 && counts.at(-1)?.fail === 0) counts.pop();
  const texts = counts.map(({ ok, fail }) => (ok + fail === 0 ? '' : `${ok.toString(36)}.${fail.toString(36)}`));
  return `${Math.floor(now / HOUR_MS).toString(36)}:${texts.join(',')}`;
}

function toCount(text: string): HourCount {
  if (text === '') return NONE;
  const [ok = '', fail = ''] = text.split('.');
  return { ok: Number.parseInt(ok, 36), fail: Number.parseInt(fail, 36) };
}
