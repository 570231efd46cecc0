import type { EpochMs } from '#core/glossary.ts';
import type { ReplayJob } from '#core/inbound/replay/replay-job.ts';
import { reportJob } from '#core/inbound/replay/report-job.ts';
import { beginning, doneOf, findJob } from '#operator/events/replay.ts';
import { span } from '#operator/span.ts';
import { EXIT, type ExitCode } from './cli-error.ts';
import type { Run } from './run.ts';

const POLL_MS = 1_000;
/** What was made in less time says nothing. */
const STEADY_SECONDS = 5;

/** Shows a job until it is over. Ctrl-C leaves it at work. The exit code says whether every event was replayed. */
export async function watchJob(run: Run, id: string): Promise<ExitCode> {
  const { timer } = await run.gateway();
  const progress = run.out.progress('Replaying');
  let first: { readonly at: EpochMs; readonly done: number } | undefined;
  for (;;) {
    const job = await findJob(run, id);
    const done = doneOf(job);
    if (done > 0) first ??= { at: run.clock.now(), done };
    progress.update(done, job.expected, job.state === 'running' ? noteOf(job, run.clock.now(), first) : job.state);
    if (job.state !== 'running') {
      progress.end();
      return showEnd(run, job);
    }
    if (run.io.interrupted.aborted) {
      progress.end();
      run.out.note(`\nThe job goes on without you. Progress: ${run.command(`replay ls ${id} --watch`)}`);
      return EXIT.ok;
    }
    await timer.sleep(POLL_MS);
  }
}

/** What else there is to say while it runs. The time left is by what it made since it was first seen, at best its rate. */
function noteOf(
  job: ReplayJob,
  now: EpochMs,
  first: { readonly at: EpochMs; readonly done: number } | undefined,
): string {
  const done = doneOf(job);
  const idle = first !== undefined && done === first.done && now - first.at >= STEADY_SECONDS * 1_000;
  if (job.begunAt === undefined) return beginning(job, now);
  if (idle) return 'waiting for the sweeper (once a minute)';
  const others = done - job.counts.replayed;
  const seconds = first === undefined ? 0 : (now - first.at) / 1_000;
  const made = first === undefined || seconds < STEADY_SECONDS ? job.ratePerSecond : (done - first.done) / seconds;
  const left = ((job.expected ?? done) - done) / Math.min(job.ratePerSecond, made);
  return `${others === 0 ? '' : `${others} not replayed, `}about ${span(Math.ceil(Math.max(0, left)))} left`;
}

function showEnd(run: Run, job: ReplayJob): ExitCode {
  const { replayed, changed, running, gone, body_missing: bodyMissing } = job.counts;
  const others = doneOf(job) - replayed;
  run.out.result(reportJob(job), () => [
    `${job.state === 'done' ? 'Done' : `Canceled by ${job.canceledBy}`}: ${replayed} replayed; it ${beginning(job, run.clock.now())}`,
    ...(others === 0
      ? []
      : [
          `  not replayed: ${changed} changed meanwhile, ${running} with a running attempt, ${gone} gone, ${bodyMissing} without a body`,
        ]),
  ]);
  run.out.next(run.command('status'), 'backlog and dead letters after the replay');
  if (job.state === 'canceled' || others > 0) return replayed === 0 ? EXIT.failure : EXIT.partial;
  return EXIT.ok;
}
