/** What a month will cost, by line: counted units times list prices. Needs no gateway and no account. */
import { dimensionsOf } from '#core/metrics.ts';
import { ALTERNATIVES, type Alternative } from './alternatives.ts';
import { type BilledTimes, totalOf } from './bill.ts';
import { countedUnits } from './counted-units.ts';
import { type AlarmLevel, fixedCosts } from './fixed-costs.ts';
import { countedStreams } from './metric-streams.ts';
import { modelledTimes } from './modelled-times.ts';
import { batchAt, monthlyBill } from './monthly-bill.ts';
import { type Deliveries, predictDeliveries } from './predict-deliveries.ts';
import { DAYS_PER_MONTH, PRICES, PRICES_READ_ON } from './prices.ts';
import { NO_TROUBLE, type Shares, troubleLines, troubleMetrics } from './trouble.ts';

/** Of the shipped configuration, whose fixed lines these are. */
const SHIPPED_SOURCES = 6;
/** Lines below are left out of the list, not of the total. */
const SHOWN_FROM_DOLLARS = 0.005;

interface CostBasis {
  readonly eventsPerDay: number;
  readonly bodyBytes: number;
  readonly batch: number;
  readonly times: BilledTimes;
  readonly alarms: AlarmLevel;
  readonly pricesReadOn: string;
}

export interface CostPrediction {
  readonly basis: CostBasis;
  /** Dollars a month, the largest first. */
  readonly lines: readonly { readonly item: string; readonly dollars: number }[];
  readonly total: number;
  /** Beside the fixed lines. */
  readonly perMillion: number;
  /** Of deliveries; absent: none were asked for. */
  readonly perMillionDeliveries?: number;
  /** What others ask; null: not listed for as much. */
  readonly alternatives: readonly { readonly name: string; readonly dollars: number | null; readonly source: string }[];
}

interface CostOptions {
  /** That receive events, about equally many. */
  readonly sources?: number;
  /** Fields that an event is found by. */
  readonly searchable?: number;
  readonly shares?: Shares;
  /** To customers. */
  readonly deliveries?: Deliveries | undefined;
}

export function predictCost(
  eventsPerDay: number,
  bodyBytes: number,
  alarms: AlarmLevel,
  { sources = SHIPPED_SOURCES, searchable = 0, shares = NO_TROUBLE, deliveries }: CostOptions = {},
): CostPrediction {
  const batch = batchAt(eventsPerDay);
  const times = modelledTimes(batch);
  const units = countedUnits();
  const bill = monthlyBill(units, times, eventsPerDay, bodyBytes);
  const trouble = troubleLines(units, batch, times, eventsPerDay * DAYS_PER_MONTH, shares);
  const ofTrouble = troubleMetrics(eventsPerDay, sources, shares);
  const metrics = {
    item: 'Custom metrics of what happens',
    dollars: metricsOf(eventsPerDay, alarms, sources) + ofTrouble,
  };
  const fields = { item: 'Searchable fields', dollars: fieldsOf(eventsPerDay * searchable) };
  const sending = deliveries && predictDeliveries(deliveries);
  const lines = [
    ...(sending?.lines ?? []),
    ...Object.entries(bill).map(([item, dollars]) => ({ item, dollars })),
    ...trouble,
    metrics,
    fields,
    ...fixedCosts(alarms),
  ];
  return {
    basis: { eventsPerDay, bodyBytes, batch, times, alarms, pricesReadOn: PRICES_READ_ON },
    lines: lines.filter(it => it.dollars >= SHOWN_FROM_DOLLARS).sort((a, b) => b.dollars - a.dollars),
    total: sumOf(lines),
    perMillion: (1e6 * (totalOf(bill) + sumOf(trouble))) / (eventsPerDay * DAYS_PER_MONTH),
    ...(sending && { perMillionDeliveries: sending.perMillion }),
    alternatives: ALTERNATIVES.map(it => costOf(it, eventsPerDay)),
  };
}

const sumOf = (lines: readonly { readonly dollars: number }[]): number =>
  lines.reduce((sum, it) => sum + it.dollars, 0);

/** Key, time and hash, with what DynamoDB adds to an item. */
const FIELD_BYTES = 280;
/** As long as a dead letter may live, and the margin of payloads. */
const FIELD_MONTHS = 97 / DAYS_PER_MONTH;

/** One write unit for each, and its storage. */
function fieldsOf(perDay: number): number {
  const millions = (perDay * DAYS_PER_MONTH) / 1e6;
  const storage = PRICES.dynamoStorageGbMonth.dollars + PRICES.dynamoPitrGbMonth.dollars;
  return millions * (PRICES.dynamoWriteMillion.dollars + (FIELD_BYTES / 1_000) * FIELD_MONTHS * storage);
}

/** Billed by the hour in which a metric comes. What an idle environment publishes is a fixed line. */
function metricsOf(eventsPerDay: number, alarms: AlarmLevel, sources: number): number {
  const { perEnvironment, perSource } = countedStreams();
  // Where silence is learned, the sweeper publishes `Accepted` of every source anyway.
  const already = alarms === 'all' ? dimensionsOf('Accepted').length : 0;
  const hours = Math.min(1, eventsPerDay / sources / 24);
  return (perEnvironment + (perSource - already) * sources) * PRICES.customMetricMonth.dollars * hours;
}

function costOf(it: Alternative, eventsPerDay: number): CostPrediction['alternatives'][number] {
  const { name, perMillion, fromEventsPerDay = 0, source } = it;
  const dollars = eventsPerDay < fromEventsPerDay ? null : (perMillion * eventsPerDay * DAYS_PER_MONTH) / 1e6;
  return { name, dollars, source };
}
