/** Benchmark (h): how much runs at once, what it takes and what it costs to deliver so many a second. */

import type { DeliveryCounts } from '#operator/cost/delivery-bill.ts';
import type { Bench, Figure, Section } from '../report/section.ts';
import type { Load } from './load.ts';
import { runPlain } from './plain-queue.ts';
import { type Kept, keptOf, LOADS, type LoadName, marginOf, rowOf, WIDE } from './rows.ts';
import { runLoad } from './run-load.ts';

/** Of these the reads of `tend` are counted, too. */
const COMPARED: readonly LoadName[] = ['single', 'usual', 'wide'];
const QUICK: readonly LoadName[] = ['single', 'usual', 'wide'];

type OfLoads<T> = { -readonly [Name in LoadName]?: T };

export const measureSizing: Bench = async ({ quick, say }): Promise<Section> => {
  const rows: OfLoads<Kept> = {};
  for (const name of quick ? QUICK : (Object.keys(LOADS) as LoadName[])) {
    const load: Load = LOADS[name];
    rows[name] = keptOf(await runLoad(load, COMPARED.includes(name)), await runPlain(load));
    say(`  ${JSON.stringify(rowOf(load, rows[name]))}`);
  }
  const { single, usual, wide } = rows;
  if (single === undefined || usual === undefined || wide === undefined) throw new Error('a load has not run');
  // Retries are compared as the first attempts are.
  for (const [name, row] of Object.entries(rows))
    if (row.counts.reconcileReads === 0)
      rows[name as LoadName] = { ...row, counts: { ...row.counts, reconcileReads: usual.counts.reconcileReads } };
  rows.wide = { ...wide, counts: marginOf(wide.counts, usual.counts, wide.times.deliveries) };
  return report(rows, { 1: single.counts, 20: usual.counts, [WIDE]: rows.wide.counts });
};

const off = (measured: number, predicted: number): number => Math.abs(measured / predicted - 1);

function report(rows: OfLoads<Kept>, counts: Readonly<Record<number, DeliveryCounts>>): Section {
  const list = Object.entries(rows).map(([name, kept]) => rowOf(LOADS[name as LoadName], kept));
  const { usual, hang, hangSlots, wide } = rows;
  const littles = list.filter(({ predicted }) => predicted.hanging === 0);
  const worst = Math.max(...littles.map(({ predicted, sessions }) => off(sessions.mean, predicted.sessions)));
  const figures: Figure[] = [
    {
      name: 'sessions at once: off Little’s law, at most',
      value: `${Math.round(100 * worst)} %`,
      reference: 'rate × time of a delivery',
      target: '≤ 10 %',
      reached: worst <= 0.1,
    },
  ];
  const isolated = (name: string, row: Kept | undefined): void => {
    if (row === undefined || usual === undefined) return;
    figures.push({
      name: `first attempt, p99, ${name}`,
      value: `${row.times.first.p99} ms`,
      reference: `one queue: ${row.plain.p99} ms`,
      target: '≤ 500 ms',
      reached: row.times.first.p99 <= 500,
    });
  };
  isolated('600/s, 100 of 1,000 hang', hang);
  isolated('600/s, 1,000 of 10,000 hang, `slots: 700`', hangSlots);
  if (wide?.wideMost !== undefined)
    figures.push({
      name: 'one message to 10,000 endpoints beside 231/s: the last has it after',
      value: `${(wide.wideMost / 1_000).toFixed(1)} s`,
      reference: `one queue: ${((wide.plain.wideMost ?? 0) / 1_000).toFixed(1)} s`,
    });
  return {
    id: 'h',
    title: '(h) Sizing of deliveries',
    method:
      'The real functions with default settings over AWS in memory, on a virtual clock: 5 ms a call, answers with mean 165 ms and p99 770 ms. [Scale](../docs/operate/scale.md#sending) has the table of loads. Little’s law: rate × (165 ms + six calls), one session more for each endpoint that hangs. One queue: a message a delivery, batches of ten.',
    figures,
    notes: [
      'Not modelled: starts of environments, throttling of whole tables, and what AWS allows a mapping in its first minute.',
      'An endpoint that hangs holds a whole run of ten sessions: 1,000 that begin to within one deadline take all slots, until each has been tried once.',
    ],
    data: {
      'bench/data/sizing.json': rows,
      'operator/cost/counted-deliveries.json': counts,
    },
  };
}
