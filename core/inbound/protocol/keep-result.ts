/** Where the `data` of a finished handler is kept: in the record while it is small, else beside the payload. */

import type { EpochMs } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import type { EventItem } from './event-item.ts';
import { expiryAfter, type WriteRules } from './event-writes.ts';
import { PAYLOAD_MARGIN_DAYS } from './retention.ts';

/** Characters of JSON the record takes, and those the item beside the payload takes. */
const RECORD_LIMIT = 200;
const DETAIL_LIMIT = 32_768;
/** In the record in the place of a result that is kept in the detail item of its generation. */
export const SEE_DETAIL = '"see detail"';

/** The record's `result`: JSON text, or a mark that says where it is. Undefined: the handler answered no data. */
export async function keepResult(
  data: unknown,
  { pk, gen }: Pick<EventItem, 'pk' | 'gen'>,
  now: EpochMs,
  { payloads }: { readonly payloads: Pick<PayloadStore, 'putDetail'> },
  rules: Pick<WriteRules, 'retentionDays'>,
): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const text = toJsonText(data);
  if (text.length <= RECORD_LIMIT) return text;
  const detail =
    text.length <= DETAIL_LIMIT ? text : JSON.stringify({ truncated: true, start: text.slice(0, DETAIL_LIMIT - 100) });
  const expiresAt = expiryAfter(now, rules.retentionDays + PAYLOAD_MARGIN_DAYS);
  await payloads.putDetail({ pk, sk: `D#${gen}`, detail, expiresAt });
  return SEE_DETAIL;
}

/** Whether the record itself takes it. */
export function isSmallResult(data: unknown): boolean {
  return data === undefined || toJsonText(data).length <= RECORD_LIMIT;
}

/** A result that is not JSON must not undo a finished event: it is noted as such. */
function toJsonText(data: unknown): string {
  try {
    return JSON.stringify(data) ?? 'null';
  } catch {
    return '"the result is not JSON"';
  }
}
