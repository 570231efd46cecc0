/** How all endpoints were at the last audit: what `status` and `doctor` show in a line. */
import type { EpochMs } from '#core/glossary.ts';
import type { ControlItem } from '#core/outbound/protocol/items.ts';
import type { AuditCounts } from './audit.ts';

/** The control item. */
export const SUMMARY = 'summary';

export type Summary = Omit<AuditCounts, 'lost'> & { readonly at: EpochMs };

export function summaryOf({ lost: _counted, ...counts }: AuditCounts, at: EpochMs): ControlItem {
  return { version: 1, value: JSON.stringify({ ...counts, at } satisfies Summary) };
}

/** Undefined: no audit has come to its end yet. */
export function readSummary(item: Pick<ControlItem, 'value'> | undefined): Summary | undefined {
  return item === undefined ? undefined : (JSON.parse(item.value) as Summary);
}
