/** The bill of a month, from what one event is billed, scaled to a body size and a rate. All of it predicted. */
import { type Bill, type BilledTimes, billPerMillion } from './bill.ts';
import type { CountedUnits } from './counted-units.ts';
import type { Counts } from './counts.ts';
import { DAYS_PER_MONTH } from './prices.ts';

/** Deflated bodies above this travel in S3 (core/config/defaults.ts, inlineLimitBytes). */
const INLINE_LIMIT_BYTES = 65_536;
const HTTP_CHUNK_BYTES = 512 * 1024;
const SQS_CHUNK_BYTES = 64 * 1024;
const BASE64 = 4 / 3;
const EVENTS_DAYS = 30;
const PAYLOADS_DAYS = 37;

/** Messages a batch holds at a rate: window 0 sends what is there, and ten at most. Estimates. */
export function batchAt(eventsPerDay: number): 1 | 3 | 10 {
  const perSecond = eventsPerDay / 86_400;
  if (perSecond < 50) return 1;
  return perSecond < 250 ? 3 : 10;
}

/** Counts and stored bytes, sweeper and audit included, for bodies of a size, deflating as well as the counted ones did. */
function scaled(units: CountedUnits, batch: 1 | 3 | 10, bodyBytes: number): { counts: Counts; payloadsStored: number } {
  const counted = units.perEvent[batch];
  const deflated = (units.deflated / units.body) * bodyBytes;
  const inS3 = deflated > INLINE_LIMIT_BYTES;
  const item = units.payloadItem - units.deflated + (inS3 ? 0 : deflated);
  const message = units.message - BASE64 * units.deflated + (inS3 ? 0 : BASE64 * deflated);
  const requests = queueRequests(message, batch) - queueRequests(units.message, batch);
  return {
    counts: {
      ...counted,
      readUnits: counted.readUnits + units.upkeepReads.sweep + units.upkeepReads.audit,
      httpRequests: Math.max(1, Math.ceil(bodyBytes / HTTP_CHUNK_BYTES)),
      // The counted mean is of payloads of one and of two units; none costs less than one.
      writeUnits: Math.max(
        Math.floor(counted.writeUnits),
        counted.writeUnits + Math.ceil(item / 1024) - Math.ceil(units.payloadItem / 1024),
      ),
      queueRequests: counted.queueRequests + requests,
      fairRequests: counted.fairRequests + requests,
      s3Puts: inS3 ? 1 : 0,
      s3Gets: inS3 ? 1 : 0,
    },
    payloadsStored: units.payloadsStored + item - units.payloadItem,
  };
}

/** Of one message: its send, and its part of a batch's receive. The delete has no payload. */
function queueRequests(messageBytes: number, batch: number): number {
  return Math.ceil(messageBytes / SQS_CHUNK_BYTES) + Math.ceil((batch * messageBytes) / SQS_CHUNK_BYTES) / batch;
}

/** Dollars a month by line, fixed costs apart. Storage as it is once a month of events is kept. */
export function monthlyBill(units: CountedUnits, times: BilledTimes, eventsPerDay: number, bodyBytes: number): Bill {
  const { counts, payloadsStored } = scaled(units, batchAt(eventsPerDay), bodyBytes);
  const stored = {
    eventsBytes: units.eventsStored,
    payloadsBytes: payloadsStored,
    eventsDays: EVENTS_DAYS,
    payloadsDays: PAYLOADS_DAYS,
  };
  const millions = (eventsPerDay * DAYS_PER_MONTH) / 1e6;
  const perMillion = billPerMillion(counts, times, stored);
  return Object.fromEntries(Object.entries(perMillion).map(([line, dollars]) => [line, dollars * millions])) as Bill;
}
