/** The part of benchmark (c) about sending: what AWS bills for one delivery, in four shapes of traffic. */
import { totalOf } from '#operator/cost/bill.ts';
import { DELIVERY_LINES, type DeliveryBill, type DeliveryCounts, deliveryBill } from '#operator/cost/delivery-bill.ts';
import type { Figure, Section, Table } from '../report/section.ts';
import { billDeliveries, type DeliveryResult, SHAPES } from './billed-deliveries.ts';

/** Of the design: write units, and dollars per million (target and limit). It says nothing of the widest shape. */
const BUDGETS: readonly { readonly units: number; readonly target: number; readonly limit: number }[] = [
  { units: 8, target: 12, limit: 13 },
  { units: 6.2, target: 9, limit: 10 },
  { units: 3.8, target: 5, limit: 6 },
];

const short = (value: number): string => String(Math.round(value * 100) / 100);

/** Figures, tables, notes and numbers for section (c). */
export async function measureDeliveries(): Promise<
  Pick<Section, 'figures' | 'numbers'> & { readonly tables: readonly Table[]; readonly notes: readonly string[] }
> {
  const results: DeliveryResult[] = [];
  for (const shape of SHAPES) results.push(await billDeliveries(shape));
  const bills = results.map(({ perDelivery }) => deliveryBill(perDelivery));
  const figures = results.flatMap(({ shape, perDelivery: { writeUnits } }, at): Figure[] => {
    const budget = BUDGETS[at];
    const dollars = totalOf(bills[at] as DeliveryBill);
    const floor = `floor of the shape: ${short(1 + 2 / shape.fanOut)}`;
    return [
      {
        name: `sending: write units of a delivery, ${shape.name}`,
        value: short(writeUnits),
        reference: budget ? `design: ${budget.units}; ${floor}` : floor,
        ...(budget && { target: `${budget.units}`, reached: writeUnits <= budget.units + 0.005 }),
      },
      {
        name: `sending: dollars per million deliveries, ${shape.name} (predicted)`,
        value: `$${dollars.toFixed(2)}`,
        reference: `of them DynamoDB requests: $${((bills[at]?.['DynamoDB writes'] ?? 0) + (bills[at]?.['DynamoDB reads'] ?? 0)).toFixed(2)}`,
        ...(budget && { target: `$${budget.target}, at most $${budget.limit}`, reached: dollars <= budget.limit }),
      },
    ];
  });
  return {
    figures,
    tables: [countTable(results), dollarTable(results, bills), callTable(results)],
    notes: [
      'Sending: bodies as above, published through the code of the API; every delivery succeeds at its first attempt; an answer takes 120 ms, a call 5 ms. Lambda is billed for that virtual time plus 5 ms for each run (publish and fan-out 512 MB, drain 256 MB). Storage is 37 days with point-in-time recovery. Not included: what an environment costs without deliveries (about $5.70 a month, docs/api/delivery.md).',
      'Sending, quiet, read units: application 1 and type 0.5 (publish); runtime item 1, rows before the lease 1, endpoint and secrets 0.5 each (eventual), message 0.5 (eventual: it never changes), record 1, rows at the end 1, rows after the release 1 (drain). The type is kept for 15 seconds, the endpoint for 5.',
      'Sending: if up to three endpoints match, publish itself puts their rows and sends their wake-ups. For more endpoints it sends a job, whose fan-out sends one wake-up for several messages.',
      'Sending: `tend` compares each message with its deliveries once, and those of the last ten minutes again.',
    ],
    numbers: Object.fromEntries(
      results.flatMap(({ perDelivery }, at) => {
        const name = ['Quiet', 'Busy', 'BusyFanOut', 'WideFanOut'][at] ?? '';
        return [
          [`delivery${name}WriteUnits`, Math.round(perDelivery.writeUnits * 1e4) / 1e4],
          [`delivery${name}Dollars`, Math.round(totalOf(bills[at] as DeliveryBill) * 100) / 100],
        ];
      }),
    ),
  };
}

function countTable(results: readonly DeliveryResult[]): Table {
  const row = (name: string, of: (counts: DeliveryCounts) => number): readonly string[] => [
    name,
    ...results.map(({ perDelivery }) => short(of(perDelivery))),
  ];
  return {
    title: 'Sending: billed units of one delivery',
    head: ['', ...results.map(({ shape }) => shape.name)],
    rows: [
      row('write units', it => it.writeUnits),
      row('of them in indexes', it => it.indexUnits),
      row('read units', it => it.readUnits),
      row('read units of tend', it => it.reconcileReads),
      row('SQS requests', it => it.queueRequests),
      row('invocations', it => it.invocations),
      row('log bytes', it => Math.round(it.logBytes)),
      row('stored bytes', it => Math.round(it.storedBytes)),
    ],
  };
}

function dollarTable(results: readonly DeliveryResult[], bills: readonly DeliveryBill[]): Table {
  return {
    title: 'Sending: dollars per million deliveries, predicted',
    head: ['', ...results.map(({ shape }) => shape.name)],
    rows: [
      ...DELIVERY_LINES.map(line => [line, ...bills.map(bill => bill[line].toFixed(2))]),
      ['**together**', ...bills.map(bill => totalOf(bill).toFixed(2))],
    ],
  };
}

function callTable([quiet]: readonly DeliveryResult[]): Table {
  const writes = (quiet?.calls ?? []).filter(({ units }) => units > 0);
  return {
    title: 'Sending: the calls of one delivery alone in its session, reads left out',
    head: ['call', 'on', 'units', 'of them in indexes', 'bytes'],
    rows: writes.map(it => [it.call, it.target, String(it.units), String(it.indexUnits), String(it.bytes)]),
  };
}
