/** A Monte Carlo model of the way of an event: drawn times of AWS, measured CPU of ours. A model, not a measurement. */
import type { Random } from '#core/ports.ts';
import { CPU_SHARE, INPUTS, type Quantiles, valueAt } from './inputs.ts';

/** Measured and counted here. */
export interface Measured {
  /** CPU milliseconds of one event, client included. */
  readonly ingestCpuMs: number;
  /** Of one record. */
  readonly processCpuMs: number;
  /** CPU milliseconds of a start, priming included. */
  readonly startCpuMs: number;
  readonly ingestDynamoCalls: number;
  readonly ingestSqsCalls: number;
  readonly processDynamoCalls: number;
}

export interface Journey {
  /** From the request's arrival to its answer. */
  readonly acceptMs: number;
  /** From the request's arrival to the end of the record's work. */
  readonly processedMs: number;
}

export interface Conditions {
  /** Messages in the batch; all of them share the function's CPU. */
  readonly batch: number;
  /** Shares of invocations that start cold. */
  readonly coldIngest: number;
  readonly coldProcess: number;
}

/** The mark that the message was sent. */
const CALLS_AFTER_SEND = 1;

const draw = (quantiles: Quantiles, random: Random): number => valueAt(quantiles, random.next());

function drawMany(quantiles: Quantiles, count: number, random: Random): number {
  let sum = 0;
  for (let n = 0; n < count; n++) sum += draw(quantiles, random);
  return sum;
}

/** Milliseconds of one warm invocation of ingest: its calls follow one another, its CPU is throttled to a share of a core. */
export function ingestMs(measured: Measured, random: Random, share = CPU_SHARE): number {
  const calls = drawMany(INPUTS.dynamo, measured.ingestDynamoCalls, random);
  return calls + drawMany(INPUTS.sqsSend, measured.ingestSqsCalls, random) + measured.ingestCpuMs / share;
}

/** Milliseconds of one warm batch: records wait for their calls side by side, and for the CPU one after the other. */
export function processMs(measured: Measured, batch: number, random: Random, share = CPU_SHARE): number {
  let slowest = 0;
  for (let n = 0; n < batch; n++) {
    slowest = Math.max(slowest, drawMany(INPUTS.dynamo, measured.processDynamoCalls, random));
  }
  return slowest + (batch * measured.processCpuMs) / share;
}

/** A cold start: the sandbox, then our code at the full CPU that init gets. */
export function coldMs(measured: Measured, random: Random): number {
  return draw(INPUTS.sandbox, random) + measured.startCpuMs;
}

/**
 * Draws one event's journey. The message is on its way as soon as it is sent: what ingest does from then on (the send's
 * own time is in the mapping's, the mark, the answer) delays the answer and not the record.
 */
export function drawJourney(
  measured: Measured,
  conditions: Conditions,
  random: Random,
  shares = { ingest: CPU_SHARE, process: CPU_SHARE },
): Journey {
  const { ingestDynamoCalls, ingestSqsCalls, ingestCpuMs } = measured;
  const coldIngest = random.next() < conditions.coldIngest ? coldMs(measured, random) : 0;
  const coldProcess = random.next() < conditions.coldProcess ? coldMs(measured, random) : 0;
  const arrivalMs = draw(INPUTS.api, random) + coldIngest;
  const callsAfter = Math.min(CALLS_AFTER_SEND, ingestDynamoCalls);
  const cpuAfter = (ingestCpuMs * (callsAfter + ingestSqsCalls)) / (ingestDynamoCalls + ingestSqsCalls);
  const beforeSend =
    drawMany(INPUTS.dynamo, ingestDynamoCalls - callsAfter, random) + (ingestCpuMs - cpuAfter) / shares.ingest;
  const afterSend =
    drawMany(INPUTS.sqsSend, ingestSqsCalls, random) +
    drawMany(INPUTS.dynamo, callsAfter, random) +
    cpuAfter / shares.ingest;
  const record =
    draw(INPUTS.mapping, random) + coldProcess + processMs(measured, conditions.batch, random, shares.process);
  return { acceptMs: arrivalMs + beforeSend + afterSend, processedMs: arrivalMs + beforeSend + record };
}
