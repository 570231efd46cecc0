/** Dollars from what deliveries are counted to use. */
import { DAYS_PER_MONTH, PRICES } from './prices.ts';

/** State and bodies: the retention and a week. */
const STORED_DAYS = 37;
const GB = 1e9;

/** Of one delivery. */
export interface DeliveryCounts {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  readonly fairRequests: number;
  readonly httpRequests: number;
  readonly logBytes: number;
  readonly invocations: number;
  /** Of publish, fan-out and drain, with the predicted times of their calls. */
  readonly gbSeconds: number;
  /** Read units of tend that compare each message with its deliveries, within the two hours after. */
  readonly reconcileReads: number;
  readonly storedBytes: number;
  /** Bytes of one request, headers included. */
  readonly sentBytes: number;
}

type DeliveryLine =
  | ('API' | 'SQS' | 'Lambda' | 'DynamoDB writes' | 'DynamoDB reads')
  | ('comparing (tend)' | 'Logs' | 'Storage' | 'Transfer out');
export type DeliveryBill = Readonly<Record<DeliveryLine, number>>;

/** Dollars for a million deliveries of these counts each. */
export function deliveryBill(counts: DeliveryCounts): DeliveryBill {
  const stored = (counts.storedBytes * STORED_DAYS) / GB / DAYS_PER_MONTH;
  return {
    API: counts.httpRequests * PRICES.httpApiMillion.dollars,
    SQS: counts.queueRequests * PRICES.sqsRequestMillion.dollars + counts.fairRequests * PRICES.sqsFairMillion.dollars,
    Lambda:
      counts.invocations * PRICES.lambdaRequestMillion.dollars +
      1e6 * counts.gbSeconds * PRICES.lambdaArmGbSecond.dollars,
    'DynamoDB writes': counts.writeUnits * PRICES.dynamoWriteMillion.dollars,
    'DynamoDB reads': counts.readUnits * PRICES.dynamoReadMillion.dollars,
    'comparing (tend)': counts.reconcileReads * PRICES.dynamoReadMillion.dollars,
    Logs: ((1e6 * counts.logBytes) / GB) * PRICES.logsGb.dollars,
    Storage: 1e6 * stored * (PRICES.dynamoStorageGbMonth.dollars + PRICES.dynamoPitrGbMonth.dollars),
    'Transfer out': ((1e6 * counts.sentBytes) / GB) * PRICES.transferOutGb.dollars,
  };
}
