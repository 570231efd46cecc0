/** Compares the alarms that rang with a list that was written before. */

/** An alarm that is due, and why. */
export interface DueAlarm {
  readonly alarm: string;
  readonly why: string;
  /** The moment from which on it is due. */
  readonly from: string;
  /** Seconds from then until it must have rung. */
  readonly within: number;
  /** The moment from which on its cause is gone. */
  readonly overAt: string;
  /** Seconds from then until it must be OK again. */
  readonly okWithin: number;
}

export interface Rang {
  readonly alarm: string;
  readonly to: 'ALARM' | 'OK';
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An alarm on a time that is the machine's: it may ring, and must be OK at the end. */
export interface PossibleAlarm {
  readonly alarm: string;
  readonly why: string;
}

/** What is not as the lists say, in words; empty when all is. `moments`: by name, epoch milliseconds. */
export function judgeAlarms(
  due: readonly DueAlarm[],
  rang: readonly Rang[],
  moments: Readonly<Record<string, number>>,
  possible: readonly PossibleAlarm[] = [],
): readonly string[] {
  const unlisted = rang
    .filter(({ alarm, to }) => to === 'ALARM' && ![...due, ...possible].some(it => it.alarm === alarm))
    .map(({ alarm }) => `${alarm} rang and is not on the list`);
  const stays = possible.filter(({ alarm }) => ofAlarm(alarm, rang).at(-1)?.to === 'ALARM');
  return [
    ...unlisted,
    ...stays.map(({ alarm }) => `${alarm} is not OK again`),
    ...due.flatMap(it => complaintsOf(it, rang, moments)),
  ];
}

function ofAlarm(alarm: string, rang: readonly Rang[]): readonly Rang[] {
  return rang.filter(it => it.alarm === alarm).toSorted((a, b) => a.at - b.at);
}

function complaintsOf(
  { alarm, why, from, within, overAt, okWithin }: DueAlarm,
  rang: readonly Rang[],
  moments: Readonly<Record<string, number>>,
): readonly string[] {
  const own = ofAlarm(alarm, rang);
  const [first] = own.filter(it => it.to === 'ALARM');
  const [begun, over] = [moments[from], moments[overAt]];
  if (begun === undefined || over === undefined) return [`${alarm}: "${from}" or "${overAt}" did not happen`];
  if (first === undefined) return [`${alarm} did not ring, although ${why}`];
  const seconds = (ms: number): number => Math.round(ms / 1_000);
  const last = own.at(-1);
  return [
    ...(first.at < begun ? [`${alarm} rang ${seconds(begun - first.at)} s before ${from}`] : []),
    ...(first.at - begun > within * 1_000
      ? [`${alarm} rang ${seconds(first.at - begun)} s after ${from}, not within ${within}`]
      : []),
    ...(last?.to !== 'OK' ? [`${alarm} is not OK again`] : []),
    ...(last?.to === 'OK' && last.at - over > okWithin * 1_000
      ? [`${alarm} was OK again ${seconds(last.at - over)} s after ${overAt}, not within ${okWithin}`]
      : []),
  ];
}

/** The changes of alarms in what `npm start` prints: `  13:21:05  ALARM holdfast-local-x …`. */
export function rangIn(lines: readonly { readonly text: string; readonly at: number }[]): readonly Rang[] {
  return lines.flatMap(({ text, at }) => {
    const [, to, alarm] = /^ {2}\d\d:\d\d:\d\d {2}(ALARM|OK) +holdfast-local-(\S+)/.exec(text) ?? [];
    return alarm === undefined ? [] : [{ alarm, to: to as Rang['to'], at }];
  });
}
