/** Benchmark (h): how much runs at once, what it takes and what it costs to deliver so many a second. */

import type { DeliveryCounts } from '#operator/cost/delivery-bill.ts';
import type { Bench, Figure, Section } from '../report/section.ts';
import type { Load } from './load.ts';
import { runPlain } from './plain-queue.ts';
import { LOADS, type LoadName, marginOf, perMillion, type Row, rowOf, sizingTable, WIDE } from './rows.ts';
import { runLoad } from './run-load.ts';

/** Of these the reads of `tend` are counted, too. */
const COMPARED: readonly LoadName[] = ['single', 'usual', 'wide'];
const QUICK: readonly LoadName[] = ['single', 'usual', 'wide'];

type SizingRows = Partial<Readonly<Record<LoadName, Row>>>;

export const measureSizing: Bench = async ({ quick, say }): Promise<Section> => {
  const rows: { -readonly [Name in LoadName]?: Row } = {};
  for (const name of quick ? QUICK : (Object.keys(LOADS) as LoadName[])) {
    const load: Load = LOADS[name];
    const row = rowOf(load, await runLoad(load, COMPARED.includes(name)), await runPlain(load));
    rows[name] = row;
    say(`  ${JSON.stringify(row)}`);
  }
  const { single, usual, wide } = rows;
  if (single === undefined || usual === undefined || wide === undefined) throw new Error('a load has not run');
  // Retries are compared as the first attempts are.
  for (const row of Object.values(rows))
    if (row.counts.reconcileReads === 0)
      rows[nameOf(rows, row)] = { ...row, counts: { ...row.counts, reconcileReads: usual.counts.reconcileReads } };
  rows.wide = { ...wide, counts: marginOf(wide.counts, usual.counts, wide.times.deliveries) };
  return report(rows, { 1: single.counts, 20: usual.counts, [WIDE]: rows.wide.counts });
};

const nameOf = (rows: SizingRows, row: Row): LoadName =>
  (Object.keys(rows) as LoadName[]).find(name => rows[name] === row) as LoadName;

const off = (measured: number, predicted: number): number => Math.abs(measured / predicted - 1);

function report(rows: SizingRows, counts: Readonly<Record<number, DeliveryCounts>>): Section {
  const list = Object.values(rows);
  const { usual, hang, hangSlots, wide } = rows;
  const littles = list.filter(({ predicted }) => predicted.hanging === 0);
  const worst = Math.max(...littles.map(({ predicted, sessions }) => off(sessions.mean, predicted.sessions)));
  const figures: Figure[] = [
    {
      name: 'sessions at once, off what Little’s law says, at most',
      value: `${Math.round(100 * worst)} %`,
      reference: 'rate × time of a delivery',
      target: '≤ 10 %',
      reached: worst <= 0.1,
    },
  ];
  const isolated = (name: string, row: Row | undefined): void => {
    if (row === undefined || usual === undefined) return;
    figures.push({
      name: `first attempt at healthy endpoints, p99, ${name}`,
      value: `${row.times.first.p99} ms`,
      reference: `one queue for all: ${row.plain.p99} ms`,
      target: '≤ 500 ms',
      reached: row.times.first.p99 <= 500,
    });
  };
  isolated('600/s, 100 of 1,000 hang', hang);
  isolated('600/s, 1,000 of 10,000 hang, with the slots that the guide says', hangSlots);
  if (wide?.wide)
    figures.push({
      name: 'one message to 10,000 endpoints beside 231/s: delivered to the last one after',
      value: `${(wide.wide.delivered.most / 1_000).toFixed(1)} s`,
      reference: `one queue for all: ${((wide.plain.wideMost ?? 0) / 1_000).toFixed(1)} s`,
    });
  const { head, rows: cells } = sizingTable(list);
  return {
    id: 'h',
    title: '(h) Sizing of deliveries',
    method:
      'The real functions with the default settings over AWS in memory, on a virtual clock: 5 ms for each call of DynamoDB and SQS, answers log-normal with mean 165 ms and p99 770 ms, bodies of Stripe, GitHub and Shopify. Messages come by chance, exactly as many as the rate says, after five seconds of warming up. Times are those of healthy endpoints, from the request that publishes. Sessions are leases held; a run of drain takes up to ten wake-ups, as many as wait. Predicted by Little’s law: rate × (165 ms + six calls with the lease), and for runs four calls more and one wake-up each, which is the most; of endpoints that hang, each one that begins to within a deadline holds one more. A wide message counts at the mean rate of its run. Units are counted until ten seconds after the last message, or until every healthy endpoint has its messages. The reference is one queue, a message for each delivery, as many runs as both our functions have, and batches of ten. Not modelled: starts of environments, throttling of whole tables, and what AWS allows a mapping in its first minute.',
    figures,
    tables: [{ title: 'Loads', head, rows: cells }],
    notes: [
      'Dollars: `holdfast cost --deliveries-per-day` prices the same counts by the same function; what an environment costs without deliveries is not in them. In the row of the wide message they are what it adds. Where endpoints are unhealthy they are those of the incident’s first seconds.',
      'A run ends with the slowest of its ten sessions, so an endpoint that hangs holds a whole run. 1,000 that begin to hang within one deadline take all slots, and the others wait, until each has been tried once and goes by the slow function.',
    ],
    data: {
      'bench/data/sizing.json': rows,
      'operator/cost/counted-deliveries.json': counts,
    },
    numbers: Object.fromEntries(
      Object.entries(rows).flatMap(([name, row]) => [
        [`${name}Sessions`, row.sessions.mean],
        [`${name}Runs`, row.runs.mean],
        [`${name}FirstP99`, row.times.first.p99],
        [`${name}Dollars`, Math.round(perMillion(row.counts) * 100) / 100],
      ]),
    ),
  };
}
