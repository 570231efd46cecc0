/** One event: its history and its body. */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { reportHistory } from '#core/inbound/search/event-report.ts';
import type { Operator } from '#operator/operator.ts';

const MAX_BODY_BYTES = 16 * 1_048_576;

/** The status document with the timeline and who replayed it why. Never the body. */
export async function historyOf(operator: Operator, item: EventItem): ReturnType<typeof reportHistory> {
  return reportHistory(item, (await operator.gateway()).payloads);
}

export interface StoredBody {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes as they are stored: compressed. */
  readonly storedBytes: number;
  /** In the bucket, as too large for an item. */
  readonly inBlob: boolean;
}

/** What a provider sent: the bytes of the wire and the headers that were kept. Undefined when its retention is over. */
export async function readStoredBody(operator: Operator, item: EventItem): Promise<StoredBody | undefined> {
  const { payloads, blobs } = await operator.gateway();
  const stored = await payloads.getBody(item.pk, item.bodySha);
  const deflated = stored?.bytes ?? (stored?.ref === undefined ? undefined : await blobs.get(stored.ref));
  if (stored === undefined || deflated === undefined) return undefined;
  const body = Buffer.from(nodeCodec.inflate(deflated, MAX_BODY_BYTES));
  return { body, headers: stored.headers, storedBytes: deflated.length, inBlob: stored.ref !== undefined };
}
