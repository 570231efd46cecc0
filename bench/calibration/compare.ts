/** Measured beside predicted. */
import { quantile } from '../measure/statistics.ts';
import type { Report } from './read-reports.ts';

export interface Comparison {
  readonly name: string;
  readonly measured: number;
  readonly predicted: number;
}

export interface Sample {
  readonly events: number;
  readonly ingest: readonly Report[];
  readonly process: readonly Report[];
  /** Milliseconds from sending a request to its answer, of the warm events. */
  readonly acceptMs: readonly number[];
  /** Of both tables and their indexes, over all events. */
  readonly consumedWriteUnits: number;
}

export interface Prediction {
  readonly ingestBilledMs: number;
  readonly processBilledMsPerRecord: number;
  readonly initMs: number;
  readonly acceptP50: number;
  readonly writeUnitsPerEvent: number;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Throws RangeError, saying what is missing, when the sample cannot be compared. */
export function compare(sample: Sample, prediction: Prediction): readonly Comparison[] {
  const warm = sample.ingest.filter(it => it.initMs === undefined);
  const cold = sample.ingest.flatMap(it => (it.initMs === undefined ? [] : [it.initMs]));
  if (sample.events === 0 || warm.length === 0 || sample.process.length === 0) {
    throw new RangeError(
      `${sample.events} events gave ${warm.length} warm reports of ingest and ${sample.process.length} of process: wait longer for the logs (SETTLE_MS), and see that nothing else changed their level`,
    );
  }
  return [
    {
      name: 'ingest, billed ms per event',
      measured: sum(warm.map(it => it.billedMs)) / warm.length,
      predicted: prediction.ingestBilledMs,
    },
    {
      name: 'process, billed ms per event',
      measured: sum(sample.process.map(it => it.billedMs)) / sample.events,
      predicted: prediction.processBilledMsPerRecord,
    },
    ...(cold.length === 0
      ? []
      : [{ name: 'cold start, init ms, median', measured: quantile(cold, 0.5), predicted: prediction.initMs }]),
    ...(sample.acceptMs.length === 0
      ? []
      : [
          {
            name: 'accept, ms, median (your network included)',
            measured: quantile(sample.acceptMs, 0.5),
            predicted: prediction.acceptP50,
          },
        ]),
    {
      name: 'write units per event',
      measured: sample.consumedWriteUnits / sample.events,
      predicted: prediction.writeUnitsPerEvent,
    },
  ];
}

/** Lines for a terminal: measured, predicted, and their ratio. */
export function showComparison(rows: readonly Comparison[]): readonly string[] {
  const width = Math.max(...rows.map(it => it.name.length));
  return rows.map(({ name, measured, predicted }) => {
    const ratio = predicted === 0 ? '' : `${(measured / predicted).toFixed(2)} ×`;
    return `${name.padEnd(width)}  ${measured.toFixed(1).padStart(9)} measured  ${predicted.toFixed(1).padStart(9)} predicted  ${ratio}`;
  });
}
