/** A replay job as a person and a script see it; times are ISO 8601, UTC. */
import { toIso } from '#core/time.ts';
import type { ReplayJob } from './replay-job.ts';

export function reportJob(job: ReplayJob): Record<string, unknown> {
  const { filter } = job;
  const done = Object.values(job.counts).reduce((sum, count) => sum + count, 0);
  return {
    job_id: job.id,
    state: job.state,
    by: job.by,
    why: job.why,
    created_at: toIso(job.createdAt),
    as_of: toIso(job.asOf),
    begun_at: job.begunAt === undefined ? undefined : toIso(job.begunAt),
    updated_at: toIso(job.updatedAt),
    finished_at: job.finishedAt === undefined ? undefined : toIso(job.finishedAt),
    canceled_by: job.canceledBy,
    rate_per_second: job.ratePerSecond,
    limit: job.limit,
    expected: job.expected,
    done,
    counts: job.counts,
    filter: {
      source: filter.sources.join(','),
      status: filter.statuses?.join(','),
      type: filter.type,
      cause: filter.cause,
      error: filter.error,
      since: toIso(filter.since),
      until: toIso(filter.until),
    },
  };
}
