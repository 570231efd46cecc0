/** The part of benchmark (c) about sending: what AWS bills for one delivery, in four shapes of traffic. */
import { totalOf } from '#operator/cost/bill.ts';
import { deliveryBill } from '#operator/cost/delivery-bill.ts';
import type { Section, Table } from '../report/section.ts';
import { billDeliveries, type DeliveryResult, SHAPES } from './billed-deliveries.ts';

/** Of the design: write units, and the most dollars per million. It says nothing of the widest shape. */
const BUDGETS: readonly { readonly units: number; readonly dollars: number }[] = [
  { units: 8, dollars: 13 },
  { units: 6.2, dollars: 10 },
  { units: 3.8, dollars: 6 },
];
const NAMES = ['Quiet', 'Busy', 'BusyFanOut', 'WideFanOut'];

const short = (value: number): string => String(Math.round(value * 100) / 100);
const dollarsOf = ({ perDelivery }: DeliveryResult): number => totalOf(deliveryBill(perDelivery));

/** A table and numbers for section (c). */
export async function measureDeliveries(): Promise<Required<Pick<Section, 'numbers'>> & { readonly table: Table }> {
  const results: DeliveryResult[] = [];
  for (const shape of SHAPES) results.push(await billDeliveries(shape));
  return {
    table: {
      title: 'Sending: one delivery',
      head: ['', 'write units (design)', 'dollars a million (limit)', 'read units, with `tend`', 'SQS requests'],
      rows: results.map(rowOf),
    },
    numbers: Object.fromEntries(
      results.flatMap((result, at) => [
        [`delivery${NAMES[at]}WriteUnits`, Math.round(result.perDelivery.writeUnits * 1e4) / 1e4],
        [`delivery${NAMES[at]}Dollars`, Math.round(dollarsOf(result) * 100) / 100],
      ]),
    ),
  };
}

function rowOf(result: DeliveryResult, at: number): readonly string[] {
  const { writeUnits, readUnits, reconcileReads, queueRequests } = result.perDelivery;
  const [budget, dollars] = [BUDGETS[at], dollarsOf(result)];
  const beside = (value: string, limit: string, reached: boolean): string =>
    budget === undefined ? value : `${value} (${limit})${reached ? '' : ': **not reached**'}`;
  return [
    result.shape.name,
    beside(short(writeUnits), `${budget?.units}`, writeUnits <= (budget?.units ?? 0) + 0.005),
    beside(`$${dollars.toFixed(2)}`, `$${budget?.dollars}`, dollars <= (budget?.dollars ?? 0)),
    short(readUnits + reconcileReads),
    short(queueRequests),
  ];
}
