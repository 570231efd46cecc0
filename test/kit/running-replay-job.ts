import type { EpochMs } from '#core/glossary.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import type { ReplayJobItem } from '#core/outbound/protocol/items.ts';

/** A job that replays all dead deliveries of an application, as it is when it is asked for. */
export function runningReplayJob(app: AppId, now: EpochMs, ratePerSecond = 50): ReplayJobItem {
  return {
    ...{ id: 'job_1' as never, app, status: 'dead', dryRun: false, ratePerSecond, by: 'test', asOf: now },
    ...{ state: 'running', counts: { seen: 0, replayed: 0, skipped: 0 }, createdAt: now, updatedAt: now, version: 1 },
    expiresAt: Math.floor(now / 1_000) + 86_400,
  };
}
