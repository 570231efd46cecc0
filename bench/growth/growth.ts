/** Benchmark (e): what breaks first as a gateway grows, simulated with AWS's quotas and the counted write units. */

import { DEFAULT_THROTTLE } from '#core/config/defaults.ts';
import { AUDITED_A_NIGHT, MOST_SENDS_PER_SECOND } from '#core/config/sweeper-speed.ts';
import { ITEMS_AN_HOUR } from '#core/inbound/protocol/activity.ts';
import { shardsFor } from '#core/inbound/protocol/spread.ts';
import { COUNTED_A_MINUTE } from '#core/inbound/sweep/count-deaths.ts';
import { IDLE_ASKED } from '#core/inbound/sweep/sweep.ts';
import { DAY_SECONDS } from '#core/time.ts';
import { PRICES } from '#operator/cost/prices.ts';
import { idleSweep } from '../billing/idle-sweep.ts';
import type { Bench, Figure, Section, Table } from '../report/section.ts';
import { auditOf } from './audit.ts';
import type { Design, Load, Times } from './design.ts';
import { endpointReads } from './endpoint-reads.ts';
import { endpointUnits, idleOutbound, type Size } from './idle-outbound.ts';
import type { Result } from './observations.ts';
import { DEFAULT_QUOTAS, NEW_ACCOUNT, type Quotas, raised } from './quotas.ts';
import { Growth } from './simulate.ts';

/** Claim and finish; the rest of an event's units is its accept. */
const UNITS_OF_AN_ATTEMPT = 2;
/** Medians in milliseconds on warm environments: three calls of 5 ms, the poll of the queue, a handler of 20 ms. */
const TIMES: Times = { acceptMs: 20, handOverMs: 15, batchMs: 35, coldMs: 300 };

interface Case {
  readonly name: string;
  readonly design: Design;
  readonly load: Load;
  readonly quotas: Quotas;
  /** One event of this number is simulated, against quotas divided by it. */
  readonly thin: number;
}

/** A source of its own, as fast as one may be: ten keys. */
const FAST = { rate: 10_000, burst: 10_000 };

function ours(units: number, maxConcurrency: number, throttle = DEFAULT_THROTTLE): Design {
  return {
    name: 'Holdfast',
    units: { accept: units - UNITS_OF_AN_ATTEMPT, complete: UNITS_OF_AN_ATTEMPT, fail: 3 },
    unitsOnOneKey: 1,
    // An accept puts the body (one unit or two) and one entry of the timeline.
    besides: { 'the table payloads': 1.67, 'the index timeline': 1 },
    batchSize: 10,
    maxConcurrency,
    keysPerSource: shardsFor(throttle.rate),
    throttle,
    waits: { kind: 'outside', sendsPerSecond: MOST_SENDS_PER_SECOND },
  };
}

/** The tutorial design: the body inline, an index on the status, waits by visibility, five receives. */
const TUTORIAL: Design = {
  name: 'tutorial design',
  units: { accept: 9, complete: 14, fail: 7 },
  unitsOnOneKey: 2,
  batchSize: 10,
  maxConcurrency: 1_000,
  keysPerSource: 1,
  waits: { kind: 'visibility', waitSeconds: 120, receives: 5 },
};

const rate = (perDay: number): number => perDay / DAY_SECONDS;
const load = (perDay: number, sources: number): Load => ({ perSecond: rate(perDay), burst: 25, sources });

export const measureGrowth: Bench = async ({ known, say }): Promise<Section> => {
  const units = known('c')?.['okWriteUnits'] ?? Number.NaN;
  if (Number.isNaN(units)) throw new Error('(e) needs the write units of (c): run `npm run bench -- c e`');
  const cases: readonly Case[] = [
    { name: '1M a day, new account', design: ours(units, 5), load: load(1e6, 1), quotas: NEW_ACCOUNT, thin: 1 },
    { name: '1M a day', design: ours(units, 20), load: load(1e6, 1), quotas: DEFAULT_QUOTAS, thin: 1 },
    { name: '1M a day', design: TUTORIAL, load: load(1e6, 1), quotas: DEFAULT_QUOTAS, thin: 1 },
    { name: '100M a day', design: ours(units, 200), load: load(1e8, 10), quotas: DEFAULT_QUOTAS, thin: 20 },
    {
      name: '100M a day, raised',
      design: ours(units, 600, FAST),
      load: load(1e8, 4),
      quotas: raised(rate(25e8), units),
      thin: 20,
    },
    { name: '100M a day', design: TUTORIAL, load: load(1e8, 10), quotas: DEFAULT_QUOTAS, thin: 20 },
    {
      name: '1B a day, raised',
      design: ours(units, 1_000),
      load: load(1e9, 400),
      quotas: raised(rate(25e9), units),
      thin: 200,
    },
  ];
  const results = cases.map(each => {
    const result = new Growth(each.design, each.load, TIMES, each.quotas, each.thin).run();
    say(`  ${each.name}, ${each.design.name}: ${JSON.stringify(result)}`);
    return { ...each, result };
  });
  return report(results, units, [await idleTable(say), await sendingTable(say), await endpointTable()]);
};

/** Sources and open dead letters of which an idle run of the sweeper is counted. */
const IDLE = [
  [7, 0],
  [106, 0],
  [506, 0],
  [1_000, 0],
  [106, 1e4],
  [106, 1e5],
  [1_000, 1e5],
] as const;
/** Applications that publish in turn, and the endpoints of each. */
const PUBLISHING = [
  [500, 10],
  [501, 10],
  [5_000, 10],
  [1, 1_000],
  [1, 10_000],
] as const;
const counted = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

async function idleTable(say: (line: string) => void): Promise<Table> {
  const rows: string[][] = [];
  for (const [sources, deaths] of IDLE) {
    const it = await idleSweep(sources, deaths);
    say(`  idle, ${sources} sources, ${deaths} dead letters: ${JSON.stringify(it)}`);
    const numbers = [sources, deaths, it.calls, it.readUnits, it.seconds].map(counted);
    rows.push([...numbers, `$${it.dollars.toFixed(2)}`, counted(it.deaths)]);
  }
  return {
    title:
      'One idle run of the sweeper, each minute (counted, the mean of an hour; seconds of the longest, at 5 ms a call, 25 side by side)',
    head: [
      'sources',
      'open dead letters',
      'calls',
      'read units',
      'seconds',
      'a month of them',
      'dead letters it reports',
    ],
    rows,
  };
}

async function endpointTable(): Promise<Table> {
  const rows: string[][] = [];
  for (const [applications, endpoints] of PUBLISHING) {
    const queries = await endpointReads(applications, endpoints);
    const once = await endpointUnits(endpoints);
    const units = queries === 0 ? 0 : once;
    const dollars = units * PRICES.dynamoReadMillion.dollars;
    rows.push([...[applications, endpoints, queries, units].map(counted), `$${dollars.toFixed(2)}`, counted(once)]);
  }
  return {
    title: 'Reading the endpoints again, where applications publish in turn (counted)',
    head: [
      'applications',
      'endpoints of each',
      'queries of a publish',
      'read units of a publish',
      'a million of them',
      'read units of the first',
    ],
    rows,
  };
}

/** Of what an idle minute of sending is counted. */
const SENDING: readonly Size[] = [
  { endpoints: 10, messages: 0, jobs: 0 },
  { endpoints: 1_000, messages: 0, jobs: 0 },
  { endpoints: 10_000, messages: 0, jobs: 0 },
  { endpoints: 10, messages: 100, jobs: 0 },
  { endpoints: 10, messages: 1_000, jobs: 0 },
  { endpoints: 10, messages: 0, jobs: 10 },
  { endpoints: 10, messages: 0, jobs: 100 },
];

async function sendingTable(say: (line: string) => void): Promise<Table> {
  const rows: string[][] = [];
  for (const size of SENDING) {
    const it = await idleOutbound(size);
    say(`  idle sending, ${JSON.stringify(size)}: ${JSON.stringify(it)}`);
    const numbers = [size.endpoints, size.messages, size.jobs, it.calls, it.readUnits, it.seconds].map(counted);
    rows.push([...numbers, `$${it.dollars.toFixed(2)}`]);
  }
  return {
    title: 'One idle minute of sending (counted, the mean of two hours; seconds of the longest run, at 5 ms a call)',
    head: [
      'endpoints',
      'messages in the log',
      'paused replay jobs',
      'calls',
      'read units',
      'seconds',
      'a month of them',
    ],
    rows,
  };
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const breaches = ({ breaches }: Result): string =>
  breaches.length === 0 ? 'none' : breaches.map(it => `${it.quota} (${clock(it.at)})`).join(', ');

function report(
  results: readonly (Case & { readonly result: Result })[],
  units: number,
  idle: readonly Table[],
): Section {
  const [fresh, million, tutorial] = results;
  const audited = auditOf(1e7);
  const figures: Figure[] = [
    {
      name: 'quotas broken at 1M a day, bursts of 290/s, default quotas and a new table',
      value: million ? breaches(million.result) : '',
      reference: `tutorial design: ${tutorial ? breaches(tutorial.result) : ''}`,
      target: 'none',
      reached: million?.result.breaches.length === 0,
    },
    {
      name: 'the same in an account that starts with ten environments',
      value: fresh ? breaches(fresh.result) : '',
      reference: 'ten environments',
      target: 'none',
      reached: fresh?.result.breaches.length === 0,
    },
    {
      name: 'outage of 15 minutes at 1M a day: drained after',
      value: `${Math.round(million?.result.drainSeconds ?? Number.NaN)} s, ${million?.result.deadLettered} dead letters`,
      reference: `tutorial design: ${Math.round(tutorial?.result.drainSeconds ?? Number.NaN)} s, ${tutorial?.result.deadLettered} dead letters`,
      target: '0 dead letters',
      moonshot: '≤ 30 min at any size',
      reached: million?.result.deadLettered === 0,
    },
    {
      name: 'nightly audit at 10M a day: of a night',
      value: `${(100 * audited.nights).toFixed(0)} % (${(audited.records / 1e6).toFixed(0)} million records)`,
      reference: `a night reads ${(AUDITED_A_NIGHT / 1e6).toFixed(0)} million`,
      target: 'ends before the next',
      reached: audited.nights <= 1,
    },
  ];
  return {
    id: 'e',
    title: '(e) Growth: what breaks first',
    method: `A discrete-event simulation, not a measurement: Poisson arrivals, a burst of 25 times the rate from 5:00 to 6:00, a downstream that is away from 15:00 to 30:00, arrivals until 45:00, providers that send a refused event again after a minute. Requests, the throttles of the routes, environments and their growth, write units, index keys, pollers, messages in flight and the sweeper are bounded by the default quotas (or the raised ones, where it says so). If the table refuses a write of ingest, the event is accepted with its message alone, which holds it until the processor can write the record. If the table also refuses the processor, the message waits as a delayed copy, first 30 s, then twice as long each time. The sweeper works 50 s of each minute and sends no more than one function can. ${units} write units are an event's, as counted in (c), ${UNITS_OF_AN_ATTEMPT} of them for the attempt. Medians assumed: accept ${TIMES.acceptMs} ms, hand-over ${TIMES.handOverMs} ms, batch ${TIMES.batchMs} ms, cold start ${TIMES.coldMs} ms. Of the larger loads, one event in 20 or 200 is simulated, against quotas divided by as much.`,
    figures,
    tables: [
      {
        title: 'Loads',
        head: [
          'load',
          'design',
          'quotas broken, in order (minute of the run)',
          'refused, sent again by the provider',
          'accepted without a record at first',
          'largest backlog',
          'drained after the outage',
          'p99 accepted → processed, calm',
          'dead letters',
        ],
        rows: results.map(({ name, design, result }) => [
          name,
          design.name,
          breaches(result),
          result.refused.toLocaleString('en'),
          result.spilled.toLocaleString('en'),
          result.backlog.toLocaleString('en'),
          result.drainSeconds === undefined ? 'not within 6 h' : clock(result.drainSeconds),
          `${Math.round(result.p99Ms)} ms`,
          result.deadLettered.toLocaleString('en'),
        ]),
      },
      ...idle,
    ],
    notes: [
      `An idle run reads the notes of active sources (${ITEMS_AN_HOUR} items an hour at most) and asks no source without one what arrived. A source with events is asked three questions: what arrived, what arrived ten minutes earlier, and whether requests were refused; of idle sources ${IDLE_ASKED} a run are asked the last one, in turn. What is due and what is dead the run learns from one look at each index, unless these hold more than 1,000 entries. Then every source is asked for what is due, and dead letters are counted again after a minute for each ${COUNTED_A_MINUTE.toLocaleString('en')} of them, at most an hour.`,
      'Some new accounts start with ten environments. A burst of 290/s that meets cold environments needs about ninety for its first 300 ms, so no design of this shape fits. A sender that retries loses nothing, but ask AWS for the usual 1,000 first.',
      'Raised means that you asked AWS to raise these quotas beforehand: API Gateway requests, Lambda concurrency, and the table’s warm throughput and quota, for the burst and not only for the average; `queue.maxConcurrency` in gateway.config.ts; at 100M a day four sources of `throttle: 10_000`, ten index keys each; at 1B, 400 sources at the default.',
      `One sweeper sends at most ${MOST_SENDS_PER_SECOND.toLocaleString('en')} parked events a second, whatever the load. After an outage of the service behind the handlers, these drain last.`,
    ],
    numbers: {
      breachesAtMillion: million?.result.breaches.length ?? Number.NaN,
      drainSeconds: million?.result.drainSeconds ?? Number.NaN,
      auditNightsAtTenMillion: audited.nights,
    },
  };
}
