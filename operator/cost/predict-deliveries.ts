/** What deliveries to customers cost a month, by line: counted by `npm run bench -- h --write`, times list prices. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { totalOf } from './bill.ts';
import { type DeliveryCounts, deliveryBill } from './delivery-bill.ts';
import { DAYS_PER_MONTH } from './prices.ts';

const FILE = join(import.meta.dirname, 'counted-deliveries.json');

/** Endpoints that a message goes to, of which a delivery was counted. */
export const COUNTED_FAN_OUTS = [1, 20, 10_000] as const;
export type FanOut = (typeof COUNTED_FAN_OUTS)[number];

/** Of one delivery: 231 a second to 1,000 endpoints; of the widest message, what it adds to them. */
export function countedDelivery(fanOut: FanOut): DeliveryCounts {
  return (JSON.parse(readFileSync(FILE, 'utf8')) as Record<FanOut, DeliveryCounts>)[fanOut];
}

export interface Deliveries {
  readonly perDay: number;
  readonly fanOut: FanOut;
}

/** Dollars a month by line, and of a million. What `outbound` costs without a message is not in them. */
export function predictDeliveries({ perDay, fanOut }: Deliveries): {
  readonly lines: readonly { readonly item: string; readonly dollars: number }[];
  readonly perMillion: number;
} {
  const bill = deliveryBill(countedDelivery(fanOut));
  const millions = (perDay * DAYS_PER_MONTH) / 1e6;
  return {
    lines: Object.entries(bill).map(([item, dollars]) => ({ item: `Sending: ${item}`, dollars: dollars * millions })),
    perMillion: totalOf(bill),
  };
}
