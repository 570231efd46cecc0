/** How far the nightly audit comes in a table of this size: it reads each record, and goes on in the next night. */
import { DEFAULT_RETENTION_DAYS } from '#core/config/defaults.ts';
import { AUDITED_A_NIGHT } from '#core/config/sweeper-speed.ts';

export interface AuditPass {
  /** In the table once the first ones leave it again. */
  readonly records: number;
  /** Of a night with all its runs; at most 1: each pass ends before the next one begins. */
  readonly nights: number;
}

export function auditOf(eventsPerDay: number, retentionDays = DEFAULT_RETENTION_DAYS): AuditPass {
  const records = eventsPerDay * retentionDays;
  return { records, nights: records / AUDITED_A_NIGHT };
}
