/** Dollars from counts. */
import type { Counts } from './counts.ts';
import type { DeliveryBill } from './delivery-bill.ts';
import { DAYS_PER_MONTH, PRICES } from './prices.ts';

/** Predicted durations as Lambda bills them (from the latency model), in milliseconds of one invocation. */
export interface BilledTimes {
  readonly memoryGb: number;
  readonly ingestMs: number;
  /** Of one batch. */
  readonly processMs: number;
}

/** What one event leaves behind, and for how long. */
export interface StoredEvent {
  readonly eventsBytes: number;
  readonly payloadsBytes: number;
  readonly eventsDays: number;
  readonly payloadsDays: number;
}

type BillLine = 'API' | 'Lambda' | 'DynamoDB writes' | 'DynamoDB reads' | 'DynamoDB storage' | 'SQS' | 'Logs' | 'S3';
export type Bill = Readonly<Record<BillLine, number>>;

const GB = 1e9;

/** Dollars for a million events of these counts each. */
export function billPerMillion(counts: Counts, times: BilledTimes, stored: StoredEvent | undefined): Bill {
  const { ingest, process } = counts.invocations;
  const gbSeconds = (times.memoryGb * (ingest * times.ingestMs + process * times.processMs)) / 1000;
  const storedGbMonths =
    stored === undefined
      ? 0
      : (stored.eventsBytes * stored.eventsDays + stored.payloadsBytes * stored.payloadsDays) / GB / DAYS_PER_MONTH;
  return {
    API: counts.httpRequests * PRICES.httpApiMillion.dollars,
    Lambda:
      (ingest + process) * PRICES.lambdaRequestMillion.dollars + 1e6 * gbSeconds * PRICES.lambdaArmGbSecond.dollars,
    'DynamoDB writes': counts.writeUnits * PRICES.dynamoWriteMillion.dollars,
    'DynamoDB reads': counts.readUnits * PRICES.dynamoReadMillion.dollars,
    'DynamoDB storage': 1e6 * storedGbMonths * (PRICES.dynamoStorageGbMonth.dollars + PRICES.dynamoPitrGbMonth.dollars),
    SQS: counts.queueRequests * PRICES.sqsRequestMillion.dollars + counts.fairRequests * PRICES.sqsFairMillion.dollars,
    Logs: ((1e6 * counts.logBytes) / GB) * PRICES.logsGb.dollars,
    S3: 1000 * (counts.s3Puts * PRICES.s3PutThousand.dollars + counts.s3Gets * PRICES.s3GetThousand.dollars),
  };
}

export function totalOf(bill: Bill | DeliveryBill): number {
  return Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);
}
