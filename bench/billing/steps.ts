/** What each step towards a cheaper event would save, by the bill: only what pays for itself is built (docs/decisions/payload-record-and-timeline-are-three-items.md). */
import { DAY_SECONDS } from '#core/time.ts';
import { PRICES } from '#operator/cost/prices.ts';
import type { Table } from '../report/section.ts';
import { ACCESS_LOG_LINE } from './billed-gateway.ts';
import { drawnBodies, fitting } from './one-item.ts';
import { type ProvisionedLoad, provisionedDay } from './provisioned.ts';
import type { ScriptResult } from './script.ts';

/** A function that reads arrivals from the stream: seconds it waits for more, and shards of a new table. */
const STREAM = { seconds: 4, shards: 4, runMs: 11, memoryGb: 0.5 };
/** One entry of a list of arrivals: time, key and type. */
const ENTRY_BYTES = 80;
const MILLION_A_DAY = 1e6;
/** Of the shipped configuration. */
const SOURCES = 6;
/** Days that a payload lives, and might live instead. */
const DAYS = { now: 37, shorter: 7 };

const { dynamoWriteMillion, dynamoStorageGbMonth, dynamoPitrGbMonth } = PRICES;
const STORED_GB_MONTH = dynamoStorageGbMonth.dollars + dynamoPitrGbMonth.dollars;
interface Step {
  readonly name: string;
  /** Write units of an event that it saves; negative: it costs them. */
  readonly units: number;
  /** Dollars per million events beside those units. */
  readonly beside?: number;
  /** Dollars per million with the cheapest settings, where they are others. */
  readonly cheapest?: number;
}

/** The steps, and what they are counted from: calls of the happy path, and what is stored. */
export function stepTable({ perEvent, happyPath, storedBytes }: ScriptResult): Table {
  const dollars = ({ units, beside = 0 }: Step): number => units * dynamoWriteMillion.dollars + beside;
  const rows = stepsOf({ perEvent, happyPath, storedBytes }).map(step => [
    step.name,
    dollars(step).toFixed(2),
    (step.cheapest ?? dollars(step)).toFixed(2),
  ]);
  return {
    title: 'What a step would save a million events, in dollars',
    head: ['step', 'as shipped', 'cheapest settings'],
    rows,
  };
}

function stepsOf({
  perEvent,
  happyPath,
  storedBytes,
}: Pick<ScriptResult, 'perEvent' | 'happyPath' | 'storedBytes'>): readonly Step[] {
  const recordBytes = Math.max(...happyPath.filter(it => it.target === 'events').map(it => it.bytes));
  const drawn = drawnBodies(300, new Date(0));
  const fit = fitting(drawn, recordBytes);
  const { writeUnits: units, indexUnits } = perEvent.ok;
  const payloadUnits = units - indexUnits - 3;
  const arrivals = { one: packed(1), shipped: packed(SOURCES) };
  const bodyMonths = storedBytes.payloads * 1e-3 * STORED_GB_MONTH;
  const monthsLess = ((DAYS.now - DAYS.shorter) * 12) / 365;
  return [
    {
      name: `payload and record in one item: ${fit} of ${drawn.length} events fit into a kilobyte`,
      units: fit / drawn.length,
    },
    {
      name: `arrivals written together from the stream each ${STREAM.seconds} s, of ${SOURCES} sources (cheapest: of one)`,
      units: indexUnits - arrivals.shipped.units,
      beside: -arrivals.shipped.lambda,
      cheapest: (indexUnits - arrivals.one.units) * dynamoWriteMillion.dollars - arrivals.one.lambda,
    },
    ...provisionedSteps(units, perEvent.unclaimed.writeUnits),
    {
      name: `bodies of completed events kept ${DAYS.shorter} days instead of ${DAYS.now}`,
      units: -payloadUnits,
      beside: bodyMonths * monthsLess,
    },
    {
      name: `bodies written for ${DAYS.shorter} days, and longer only where an event has not ended`,
      units: 0,
      beside: bodyMonths * monthsLess,
    },
    {
      name: 'no access log',
      units: 0,
      beside: (Buffer.byteLength(ACCESS_LOG_LINE) + 1) * 1e-3 * PRICES.logsGb.dollars,
    },
  ];
}

/** Units and Lambda's dollars for a million arrivals, written together by source. */
function packed(sources: number): { readonly units: number; readonly lambda: number } {
  const perRun = Math.max(1, (MILLION_A_DAY / DAY_SECONDS / STREAM.shards) * STREAM.seconds);
  const ofSource = Math.max(1, perRun / sources);
  const runDollars =
    PRICES.lambdaRequestMillion.dollars +
    ((1e6 * STREAM.runMs) / 1_000) * STREAM.memoryGb * PRICES.lambdaArmGbSecond.dollars;
  return { units: Math.ceil((ofSource * ENTRY_BYTES) / 1_024) / ofSource, lambda: runDollars / perRun };
}

/** Capacity by the hour under the mission's load, and with hardly anybody or nobody waiting. */
function provisionedSteps(units: number, cheapestUnits: number): readonly Step[] {
  const mission = { eventsPerDay: MILLION_A_DAY, curve: true, bursts: 2 };
  const saves = (of: number, load: Omit<ProvisionedLoad, 'units'>): number => {
    const { dollars, waiting } = provisionedDay({ units: of, ...load });
    // Who waits does so as a delayed copy at least once: a send, a receive and a delete more.
    return of * dynamoWriteMillion.dollars - dollars - 3 * waiting * PRICES.sqsRequestMillion.dollars;
  };
  const step = (name: string, load: Omit<ProvisionedLoad, 'units'>): Step => ({
    name: `${name}: ${(100 * provisionedDay({ units, ...load }).waiting).toFixed(1)} % of the events wait`,
    units: 0,
    beside: saves(units, load),
    cheapest: saves(cheapestUnits, scaledTo(load, cheapestUnits / units)),
  });
  return [
    step('capacity by the hour, with nights and two bursts a day of 25 times the mean', mission),
    ...[0.01, 0].map(share => {
      const least = leastFor(share, { units, ...mission });
      return step(`the same, never below ${least} units`, { ...mission, least });
    }),
  ];
}

const scaledTo = (load: Omit<ProvisionedLoad, 'units'>, share: number): Omit<ProvisionedLoad, 'units'> =>
  load.least === undefined ? load : { ...load, least: Math.ceil(load.least * share) };

/** The least capacity, in fives, with which no more than this share of the events waits. */
function leastFor(share: number, load: ProvisionedLoad): number {
  let least = 5;
  while (provisionedDay({ ...load, least }).waiting > share) least += 5;
  return least;
}
