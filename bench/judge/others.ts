/** How busy a machine is with other programs: while this process only waits. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** From this share of all processors on, ratios of CPU are not to be trusted. */
export const BUSY_SHARE = 0.15;
const LOOK_MS = 2_000;

export interface ProcessorTimes {
  readonly idle: number;
  readonly all: number;
}

function readTimes(): ProcessorTimes {
  const each = cpus().map(({ times }) => times);
  const sum = (of: readonly number[]): number => of.reduce((a, b) => a + b, 0);
  return { idle: sum(each.map(it => it.idle)), all: sum(each.flatMap(it => Object.values(it))) };
}

/** The share of the processors' time that was not idle between two readings, 0 to 1. */
export function busyShare(from: ProcessorTimes, to: ProcessorTimes): number {
  return to.all === from.all ? 0 : 1 - (to.idle - from.idle) / (to.all - from.all);
}

/** Measures for two seconds. Answers why nothing can be compared, or nothing on a quiet machine. */
export async function othersWork(): Promise<string | undefined> {
  const from = readTimes();
  await sleep(LOOK_MS);
  const share = busyShare(from, readTimes());
  if (share < BUSY_SHARE) return undefined;
  return `other programs used ${Math.round(100 * share)} % of ${cpus().length} processors: try again when they are quiet`;
}
