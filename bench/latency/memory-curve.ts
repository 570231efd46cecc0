/** What the two functions that meet every event cost by their memory, and how long an event takes then. A prediction. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { PRICES } from '#operator/cost/prices.ts';
import { meanOf, quantile } from '../measure/statistics.ts';
import type { Table } from '../report/section.ts';
import { CORE_MB } from './inputs.ts';
import { drawJourney, ingestMs, type Measured, processMs } from './latency-model.ts';

export const MEMORIES = [256, 512, 1_024, 1_769] as const;
const WARM = { coldIngest: 0, coldProcess: 0 };

export interface Choice {
  readonly memoryMb: number;
  readonly ingestMs: number;
  /** Of a batch of one. */
  readonly processMs: number;
  /** Lambda's time for a million events, requests left out; as shipped at a million a day. */
  readonly dollars: number;
  /** Of them for ingest. */
  readonly ingestDollars: number;
  /** Arrival to processed, one event at a time. */
  readonly p99: number;
  /** The same in a burst, in batches of ten. */
  readonly burstP99: number;
}

/** A choice for each memory. Every one meets the same draws, so that they differ by their memory alone. */
export function memoryCurve(measured: Measured, draws: number): readonly Choice[] {
  return MEMORIES.map(memoryMb => {
    const share = Math.min(1, memoryMb / CORE_MB);
    const shares = { ingest: share, process: share };
    const mean = (value: (random: SeededRandom) => number): number => {
      const random = new SeededRandom(11);
      return meanOf(draws, () => value(random));
    };
    const p99 = (batch: number): number => {
      const random = new SeededRandom(12);
      const drawn = Array.from(
        { length: draws },
        () => drawJourney(measured, { batch, ...WARM }, random, shares).processedMs,
      );
      return quantile(drawn, 0.99);
    };
    const [ingest, process] = [
      mean(random => ingestMs(measured, random, share)),
      mean(random => processMs(measured, 1, random, share)),
    ];
    const dollarsOf = (ms: number): number => 1_000 * ms * (memoryMb / 1_024) * PRICES.lambdaArmGbSecond.dollars;
    return {
      ...{ memoryMb, ingestMs: ingest, processMs: process, p99: p99(1), burstP99: p99(10) },
      ...{ dollars: dollarsOf(ingest + process), ingestDollars: dollarsOf(ingest) },
    };
  });
}

/** The cheapest choice of those under a limit, in milliseconds of the p99 warm. */
export function cheapestUnder(limit: number, curve: readonly Choice[]): Choice | undefined {
  return curve.filter(it => it.p99 < limit).sort((a, b) => a.dollars - b.dollars)[0];
}

export function memoryTable(curve: readonly Choice[]): Table {
  const ms = (value: number): string => value.toFixed(0);
  return {
    title: 'Memory of ingest and process',
    head: ['MB', '$ of Lambda’s time', 'done p99', 'in a burst'],
    rows: curve.map(it => [it.memoryMb.toLocaleString('en'), it.dollars.toFixed(2), ms(it.p99), ms(it.burstP99)]),
  };
}
