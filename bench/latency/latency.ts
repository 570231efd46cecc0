/** Benchmark (f): the latency promise, as a model with its inputs shown. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Random } from '#core/ports.ts';
import { meanOf, quantile } from '../measure/statistics.ts';
import type { Bench, Section, Table } from '../report/section.ts';
import { coldShare, type Traffic } from './cold-share.ts';
import { CORE_MB, CPU_SHARE, ENVIRONMENTS, INPUTS, MEMORY_MB } from './inputs.ts';
import { type Conditions, coldMs, drawJourney, ingestMs, type Measured, processMs } from './latency-model.ts';
import { type Choice, cheapestUnder, memoryCurve, memoryTable } from './memory-curve.ts';
import { noteCost } from './note-cost.ts';

const MILLION: Traffic = { eventsPerDay: 1_000_000, bursts: { count: 2, factor: 25, seconds: 60 } };
const DRAWS = { quick: 200_000, full: 2_000_000 } as const;
const NOTES = { quick: 300, full: 2_000 } as const;
/** Of the mission, in milliseconds. */
const P99_LIMIT = 200;
const WARM = { coldIngest: 0, coldProcess: 0 };

/** Throws when the benchmarks it builds on have never run. */
function measuredBy(known: (section: string) => Readonly<Record<string, number>> | undefined): Measured {
  const number = (section: string, name: string): number => {
    const value = known(section)?.[name];
    if (value === undefined) {
      throw new RangeError(
        `The model needs "${name}" of benchmark (${section}): run npm run bench -- ${section} --write`,
      );
    }
    return value;
  };
  return {
    ingestCpuMs: number('b', 'ingestClientFastUs') / 1_000,
    processCpuMs: number('b', 'processClientFastUs') / 1_000,
    startCpuMs: number('a', 'primedFastMs'),
    ingestDynamoCalls: number('b', 'ingestDynamoCalls'),
    ingestSqsCalls: number('b', 'ingestCalls') - number('b', 'ingestDynamoCalls'),
    processDynamoCalls: number('b', 'processCalls'),
  };
}

interface Row {
  readonly name: string;
  readonly accept: readonly number[];
  readonly processed: readonly number[];
}

function drawRow(name: string, measured: Measured, conditions: Conditions, count: number, random: Random): Row {
  const accept = new Array<number>(count);
  const processed = new Array<number>(count);
  for (let n = 0; n < count; n++) {
    const journey = drawJourney(measured, conditions, random);
    accept[n] = journey.acceptMs;
    processed[n] = journey.processedMs;
  }
  return { name, accept, processed };
}

export const modelLatency: Bench = async ({ quick, say, known }): Promise<Section> => {
  const measured = measuredBy(known);
  const random = new SeededRandom(2026);
  const ingestMean = meanOf(20_000, () => ingestMs(measured, random));
  const processMean = (batch: number): number => meanOf(5_000, () => processMs(measured, batch, random));
  say('  a day of arrivals for each function');
  const coldIngest = coldShare(MILLION, ingestMean, random);
  const coldProcess = coldShare(MILLION, processMean(1), random);
  const draws = quick ? DRAWS.quick : DRAWS.full;
  say(`  ${draws} events under each of three conditions`);
  const warm = drawRow('warm, 11.6 events/s (batch 1)', measured, { batch: 1, ...WARM }, draws, random);
  const burst = drawRow('warm, burst of 290 events/s (batch 10)', measured, { batch: 10, ...WARM }, draws, random);
  const day = drawRow('a day with its cold starts', measured, { batch: 1, coldIngest, coldProcess }, draws, random);
  const warmP99 = quantile(warm.processed, 0.99);
  const acceptP50 = quantile(warm.accept, 0.5);
  const acceptP90 = quantile(warm.accept, 0.9);
  const cold = Math.max(coldIngest, coldProcess);
  const ms = (value: number): string => `${Math.round(value)} ms`;
  say('  ingest with and without the note of the hour');
  const { noted, known: without } = await noteCost(quick ? NOTES.quick : NOTES.full);
  const times = (share: 'p50' | 'p99'): string => `${(noted[share] / without[share]).toFixed(2)} ×`;
  say('  the two functions with other memories');
  const curve = memoryCurve(measured, draws / 10);
  const cheapest = cheapestUnder(P99_LIMIT, curve);
  return {
    id: 'f',
    title: '(f) Latency, predicted by a model',
    method: `A Monte Carlo model of ${draws.toLocaleString('en')} events each: **predicted, not measured**. AWS's times are drawn from the quantiles below, ours are the CPU of (a) and (b), fastest tenths (ingest ${measured.ingestCpuMs.toFixed(2)}, process ${measured.processCpuMs.toFixed(2)}, a start ${measured.startCpuMs.toFixed(0)} ms), by the ${CPU_SHARE.toFixed(2)} vCPU of ${MEMORY_MB} MB. Cold starts: a simulated day with two bursts. Network and handler are left out.`,
    figures: [
      {
        name: 'arrival to processed, p99, warm',
        value: ms(warmP99),
        reference: `burst of 290/s: ${ms(quantile(burst.processed, 0.99))}`,
        target: `< ${P99_LIMIT} ms (160 ms)`,
        reached: warmP99 < P99_LIMIT,
      },
      {
        name: 'invocations that start cold',
        value: `${(100 * cold).toFixed(3)} %`,
        reference: `ingest ${(100 * coldIngest).toFixed(3)} %, process ${(100 * coldProcess).toFixed(3)} %`,
        target: '< 0.2 %',
        reached: cold < 0.002,
      },
      {
        name: 'accept, p50 and p90, warm',
        value: `${ms(acceptP50)}, ${ms(acceptP90)}`,
        reference: `HTTP API alone: ${ms(8)}`,
        target: '10 to 50 ms',
        reached: acceptP50 >= 10 && acceptP90 <= 50,
      },
      {
        name: 'ingest that makes the note of the hour (once in each copy), p50 and p99',
        value: `${times('p50')}, ${times('p99')}`,
        reference: `without: ${ms(without.p50)}, ${ms(without.p99)}`,
      },
    ],
    tables: [latencyTable([warm, burst, day]), inputTable(), memoryTable(curve)],
    notes: [
      `A cold start adds ${ms(meanOf(5_000, () => coldMs(measured, random)))} on average, to the one request that causes it.`,
      `A function has the share of a core that its memory is of ${CORE_MB.toLocaleString('en')} MB. ${saidOf(curve, cheapest)}`,
    ],
    data: {
      'operator/cost/modelled-times.json': {
        memoryGb: MEMORY_MB / 1024,
        ingestMs: ingestMean,
        processMs: Object.fromEntries([1, 3, 10].map(batch => [batch, processMean(batch)])),
      },
    },
    numbers: {
      warmP99,
      acceptP50,
      acceptP90,
      ingestBilledMs: ingestMean,
      ...Object.fromEntries([1, 3, 10].map(batch => [`processBilledMs${batch}`, processMean(batch)])),
    },
  };
};

/** Is today's memory the cheapest that keeps the limit? */
function saidOf(curve: readonly Choice[], cheapest: Choice | undefined): string {
  const today = curve.find(it => it.memoryMb === MEMORY_MB);
  if (cheapest === undefined || today === undefined) return `None keeps the p99 under ${P99_LIMIT} ms.`;
  if (cheapest === today) return `Today's is the cheapest with a p99 under ${P99_LIMIT} ms.`;
  const saved = (of: (it: Choice) => number): string => `$${(of(today) - of(cheapest)).toFixed(2)}`;
  return `${MEMORY_MB} MB stay: ${cheapest.memoryMb} MB saves ${saved(it => it.ingestDollars)} a million of ingest and ${saved(it => it.dollars - it.ingestDollars)} of process, each under $0.10, and bursts, large bodies and handlers need more.`;
}

function latencyTable(rows: readonly Row[]): Table {
  const shares = [0.5, 0.99, 0.999] as const;
  const cells = (values: readonly number[]): string[] => shares.map(share => quantile(values, share).toFixed(0));
  return {
    title: 'Milliseconds from the arrival of a request',
    head: ['', ...shares.map(it => `accepted p${100 * it}`), ...shares.map(it => `done p${100 * it}`)],
    rows: rows.map(({ name, accept, processed }) => [name, ...cells(accept), ...cells(processed)]),
  };
}

function inputTable(): Table {
  const given = Object.values(INPUTS).map(({ name, at, source }) => [
    name,
    at.map(([share, value]) => `p${100 * share} ${value}`).join(', '),
    source,
  ]);
  return {
    title: 'Inputs, in milliseconds',
    head: ['', 'value', 'source'],
    rows: [
      ...given,
      [
        'life of an environment',
        `${ENVIRONMENTS.idleMinutes} minutes idle, ${ENVIRONMENTS.lifeMinutes} in all`,
        'assumed',
      ],
    ],
  };
}
