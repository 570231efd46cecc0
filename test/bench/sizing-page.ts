/** The rows that were written, and the table that docs/operate/scale.md shows of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_QUOTAS } from '#bench/growth/quotas.ts';
import { type Kept, LOADS, type LoadName, type Row, rowOf, WIDE } from '#bench/sizing/rows.ts';
import type { Times } from '#bench/sizing/times.ts';
import { DAY_SECONDS } from '#core/time.ts';
import { totalOf } from '#operator/cost/bill.ts';
import { type DeliveryCounts, deliveryBill } from '#operator/cost/delivery-bill.ts';
import { DAYS_PER_MONTH } from '#operator/cost/prices.ts';

/** Written by `npm run bench -- h --write`. */
export function readSizing(): Readonly<Record<LoadName, Row>> {
  const file = join(import.meta.dirname, '../../bench/data/sizing.json');
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<LoadName, Kept>>;
  const rows = Object.entries(LOADS).map(([name, load]) => [name, rowOf(load, kept[name as LoadName])]);
  return Object.fromEntries(rows) as Record<LoadName, Row>;
}

export function renderSizing(): string {
  const { head, rows } = sizingTable(Object.values(readSizing()));
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
  return ['', ...lines, ''].join('\n');
}

export const perMillion = (counts: DeliveryCounts): number => totalOf(deliveryBill(counts));
const perMonth = ({ load, counts }: Row): number =>
  (perMillion(counts) * load.perSecond * DAY_SECONDS * DAYS_PER_MONTH) / 1e6;

/** The limit of which a load uses most, with the share: 1 is all of it. */
export function nearest({ fast, slots, allRuns, writes, readsOfKey }: Row): {
  readonly limit: string;
  readonly share: number;
} {
  const { tableFirst, concurrency } = DEFAULT_QUOTAS;
  const shares = [
    { limit: 'slots', share: fast / slots },
    { limit: 'Lambda environments of the account', share: allRuns / concurrency },
    { limit: 'a new table `outbox`', share: writes.outbox / tableFirst },
    { limit: 'a new table `registry`', share: writes.registry / tableFirst },
    { limit: 'reads of one key', share: readsOfKey / READS_OF_A_KEY },
  ];
  return shares.reduce((most, each) => (each.share > most.share ? each : most));
}
/** A partition's read units a second (docs/understand/aws-assumptions.md). */
const READS_OF_A_KEY = 3_000;

const HEAD = [
  'load',
  'sessions at once: predicted, measured (most)',
  'runs at once: predicted at most, measured (most)',
  'first attempt, p50 / p99',
  'delivered, p50 / p99',
  'one queue for all: first attempt p99',
  'write, read units',
  '$ a million',
  '$ a month',
  'nearest limit, used in the busiest second',
];

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
const pair = ({ p50, p99 }: Times['first']): string => `${seconds(p50)} / ${seconds(p99)}`;
const count = (value: number): string => Math.round(value).toLocaleString('en');
const units = (value: number): string => value.toFixed(1);

/** An incident has no month. */
function monthOf(row: Row): string {
  if (row.load.unhealthy !== undefined) return '–';
  if (row.wideMost !== undefined) return `${((perMillion(row.counts) * WIDE) / 1e6).toFixed(2)} a message`;
  return count(perMonth(row));
}

/** Head and cells. */
function sizingTable(rows: readonly Row[]): { readonly head: readonly string[]; readonly rows: string[][] } {
  const cells = rows.map(row => {
    const { predicted, sessions, runs, times, plain, counts } = row;
    const { limit, share } = nearest(row);
    const wanted = predicted.sessions + predicted.hanging;
    return [
      row.load.name,
      `${count(wanted)}, ${count(sessions.mean)} (${count(sessions.most)})`,
      `${count(predicted.runs)}, ${count(runs.mean)} (${count(runs.most)})`,
      pair(times.first),
      pair(times.delivered),
      seconds(plain.p99),
      `${units(counts.writeUnits)}, ${units(counts.readUnits)}`,
      perMillion(counts).toFixed(2),
      monthOf(row),
      `${limit}, ${count(100 * share)} %`,
    ];
  });
  return { head: HEAD, rows: cells };
}
