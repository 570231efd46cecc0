/** Benchmark (e): what breaks first as a gateway grows, simulated with AWS's quotas and the counted write units. */

import { DEFAULT_THROTTLE } from '#core/config/defaults.ts';
import { AUDITED_A_NIGHT, MOST_SENDS_PER_SECOND } from '#core/config/sweeper-speed.ts';
import { shardsFor } from '#core/inbound/protocol/spread.ts';
import { IDLE_ASKED } from '#core/inbound/sweep/sweep.ts';
import { DAY_SECONDS } from '#core/time.ts';
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
  [501, 10],
  [5_000, 10],
  [1, 10_000],
] as const;
const counted = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

async function idleTable(say: (line: string) => void): Promise<Table> {
  const rows: string[][] = [];
  for (const [sources, deaths] of IDLE) {
    const it = await idleSweep(sources, deaths);
    say(`  idle, ${sources} sources, ${deaths} dead letters: ${JSON.stringify(it)}`);
    const numbers = [sources, deaths, it.calls, it.readUnits, it.seconds].map(counted);
    rows.push([...numbers, `$${it.dollars.toFixed(2)}`]);
  }
  return {
    title: 'One idle minute of the sweeper (mean of an hour; seconds of the longest run, 25 calls of 5 ms at once)',
    head: ['sources', 'open dead letters', 'calls', 'read units', 'seconds', 'a month of them'],
    rows,
  };
}

async function endpointTable(): Promise<Table> {
  const rows: string[][] = [];
  for (const [applications, endpoints] of PUBLISHING) {
    const queries = await endpointReads(applications, endpoints);
    const once = await endpointUnits(endpoints);
    const units = queries === 0 ? 0 : once;
    rows.push([applications, endpoints, queries, units, once].map(counted));
  }
  return {
    title: 'Reading the endpoints again, where applications publish in turn',
    head: ['applications', 'endpoints of each', 'queries of a publish', 'read units', 'read units of the first'],
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
    title: 'One idle minute of sending (mean of two hours; seconds of the longest run, at 5 ms a call)',
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
  const [fresh, million, tutorial, ...larger] = results;
  const refused = (of: Result | undefined): string => `${(of?.refused ?? Number.NaN).toLocaleString('en')} refused`;
  const audited = auditOf(1e7);
  const figures: Figure[] = [
    {
      name: 'quotas broken at 1M a day, bursts of 290/s, new table',
      value: million ? breaches(million.result) : '',
      reference: `tutorial design: ${tutorial ? breaches(tutorial.result) : ''}, ${refused(tutorial?.result)}`,
      target: 'none',
      reached: million?.result.breaches.length === 0,
    },
    {
      name: 'the same in a new account',
      value: fresh ? `${breaches(fresh.result)}, ${refused(fresh.result)}` : '',
      reference: 'ten environments',
      target: 'none',
      reached: fresh?.result.breaches.length === 0,
    },
    {
      name: 'outage of 15 minutes at 1M a day: drained',
      value: `${Math.round(million?.result.drainSeconds ?? Number.NaN)} s, ${million?.result.deadLettered} dead letters`,
      reference: `tutorial design: ${Math.round(tutorial?.result.drainSeconds ?? Number.NaN)} s, ${tutorial?.result.deadLettered} dead letters`,
      target: '0 dead letters (≤ 30 min at any size)',
      reached: million?.result.deadLettered === 0,
    },
    {
      name: 'nightly audit at 10M a day',
      value: `${(100 * audited.nights).toFixed(0)} % of a night (${(audited.records / 1e6).toFixed(0)} million records)`,
      reference: `a night reads ${(AUDITED_A_NIGHT / 1e6).toFixed(0)} million`,
      target: 'ends before the next',
      reached: audited.nights <= 1,
    },
  ];
  return {
    id: 'e',
    title: '(e) Growth: what breaks first',
    method: `Simulated: Poisson arrivals for 45 minutes, at 5:00 a minute of 25 times the rate, from 15:00 to 30:00 a downstream away, providers that send a refused event again, AWS's default quotas. An event takes ${units} write units. The tutorial design has the body inline, an index on the status, waits by visibility, five receives. Idle minutes are counted.`,
    figures,
    tables: [
      {
        title: 'Larger loads',
        head: ['load', 'quotas broken', 'refused, sent again', 'backlog', 'drained', 'dead letters'],
        rows: larger.map(({ name, result }) => [
          name,
          breaches(result),
          result.refused.toLocaleString('en'),
          result.backlog.toLocaleString('en'),
          result.drainSeconds === undefined ? 'not within 6 h' : clock(result.drainSeconds),
          result.deadLettered.toLocaleString('en'),
        ]),
      },
      ...idle,
    ],
    notes: [
      `The sweeper asks only sources with a note of this hour what arrived, and ${IDLE_ASKED} others a run whether requests were refused. It counts dead letters again at most an hour later.`,
      'A burst of 290/s that meets cold environments needs about ninety at first; some new accounts have ten. Ask AWS for the usual 1,000.',
      `Raised: quotas and warm throughput for the burst, \`queue.maxConcurrency\`; at 100M a day four sources of ten index keys, at 1B 400 sources. Events that waited outside drain last, at ${MOST_SENDS_PER_SECOND.toLocaleString('en')} a second.`,
    ],
  };
}
