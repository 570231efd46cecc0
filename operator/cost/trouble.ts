/** What events cost that do not go well: come twice, are tried again, die. In shares of all events, as a person knows them. */
import { type BilledTimes, billPerMillion, totalOf } from './bill.ts';
import type { CountedUnits } from './counted-units.ts';
import type { Counts } from './counts.ts';
import { countedStreams } from './metric-streams.ts';
import { PRICES } from './prices.ts';

/** Of all events, 0 to 1: those that come once more; attempts beside the first; those that end as dead letters. */
export interface Shares {
  readonly duplicates: number;
  readonly retries: number;
  readonly dead: number;
}
export const NO_TROUBLE: Shares = { duplicates: 0, retries: 0, dead: 0 };

interface Line {
  readonly item: string;
  readonly dollars: number;
}

/** Dollars a month by line, beside what the same events cost when all goes well. `events`: of a month. */
export function troubleLines(
  { perEvent, trouble }: CountedUnits,
  batch: 1 | 3 | 10,
  times: BilledTimes,
  events: number,
  shares: Shares,
): readonly Line[] {
  const of = (counts: Counts): number => totalOf(billPerMillion(counts, times, undefined));
  const { duplicate, retry, deadLetter } = trouble[batch];
  const line = (item: string, share: number, perMillion: number): Line => ({
    item,
    dollars: (events / 1e6) * share * perMillion,
  });
  return [
    line('Duplicates', shares.duplicates, of(duplicate)),
    line('Retries', shares.retries, of(retry)),
    line('Dead letters', shares.dead, Math.max(0, of(deadLetter) - of(perEvent[batch]))),
  ];
}

/** Metrics that come with such events alone, by the hours in which they come. */
export function troubleMetrics(eventsPerDay: number, sources: number, { duplicates, retries, dead }: Shares): number {
  const { trouble } = countedStreams();
  const perHour = eventsPerDay / sources / 24;
  const hours = (share: number): number => Math.min(1, perHour * share);
  const of = (streams: { perEnvironment: number; perSource: number }, share: number): number =>
    share === 0 ? 0 : (streams.perEnvironment + streams.perSource * sources) * hours(share);
  const months = of(trouble.duplicates, duplicates) + of(trouble.retries, retries) + of(trouble.dead, dead);
  return months * PRICES.customMetricMonth.dollars;
}
