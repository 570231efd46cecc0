/** `holdfast replay`: one event at once, or many as a job that the sweeper carries out. */
import { Option } from 'commander';
import { given } from '#core/given.ts';
import { toEventId } from '#core/glossary.ts';
import type { ReplayJob } from '#core/inbound/replay/replay-job.ts';
import { reportJob } from '#core/inbound/replay/report-job.ts';
import { FILTER_FIELDS } from '#core/inbound/search/event-filter.ts';
import { findEach } from '#operator/events/find-one.ts';
import {
  beginning,
  cancelJob,
  findJob,
  listJobs,
  previewOf,
  type ReplayPreview,
  replayNow,
  startReplay,
} from '#operator/events/replay.ts';
import { shellWord } from '#operator/sources/curl-command.ts';
import { span } from '#operator/span.ts';
import { EXIT, type ExitCode, usageError } from '../cli-error.ts';
import { addFilterOptions, filterOf, refuseBesideIds, wholeNumber } from '../filter-options.ts';
import { isStopped } from '../io.ts';
import type { Run, RunCommand } from '../run.ts';
import { sayReads } from '../say-reads.ts';
import { watchJob } from '../watch-job.ts';

interface ReplayOptions {
  readonly [name: string]: string | boolean | undefined;
}

export function addReplay(program: RunCommand): void {
  const replay = addFilterOptions(program.command('replay').argument('[ids...]', 'ids of events to replay now'))
    .description('Run events again: those whose ids you give, or as a job all that match a filter')
    .option('--why <text>', 'the reason, kept with each event')
    .option('--dry-run', 'count the events and show where they come from, change nothing')
    .option('--rate <n>', 'events a second (default: 50)')
    .option('--limit <n>', 'at most N events, the oldest first')
    .option('--new-key', 'give outside calls a new idempotency key, so that they happen again')
    .option('--force', 'also replay an event whose attempt is still running (only with ids)')
    .option('--body <sha256>', 'run the other body that arrived under the same id (only with one id)')
    .option('--detach', 'start the job and end the command; the job continues')
    .addOption(new Option('--yes', 'do not ask'))
    .examples(
      ['holdfast replay --cause handler_error --since 6h --dry-run', 'show how many events, and which'],
      ['holdfast replay --cause handler_error --since 6h --why "schema fixed" --yes', 'run them again, 50 a second'],
      ['holdfast replay evt_stripe.evt_1P2x --why "customer asked"', 'one event, now'],
    );
  replay.does(async (run, ids: string[], options: ReplayOptions) =>
    ids.length > 0 ? replayByIds(run, ids, options) : replayByFilter(run, options),
  );

  replay
    .command('ls')
    .argument('[job]', 'only this one')
    .description('List replay jobs, newest first, or follow one until it ends')
    .option('--watch', 'follow this job; the exit code says how it ended')
    .examples(
      ['holdfast replay ls', 'the last twenty jobs'],
      ['holdfast replay ls rj-20261121t030000-1a2b3c4d --watch', 'a progress bar until it ends'],
    )
    .does(async (run, id: string | undefined, { watch }: { watch?: boolean }): Promise<ExitCode> => {
      if (watch === true && id === undefined)
        throw usageError('--watch without a job', 'the id of one job', run.command('replay ls'));
      const jobs = id === undefined ? await listJobs(run, 20) : [await findJob(run, id)];
      const [only] = jobs;
      if (watch === true && only !== undefined) return watchJob(run, only.id);
      run.out.result({ jobs: jobs.map(reportJob) }, () =>
        run.out.table(
          ['CREATED', 'JOB', 'STATE', 'BEGINNING', 'DONE', 'BY', 'WHY'],
          jobs.map(job => [
            run.out.ago(job.createdAt),
            job.id,
            job.state,
            beginning(job, run.clock.now()),
            doneText(job),
            job.by,
            job.why,
          ]),
        ),
      );
      if (jobs.length === 0) run.out.note('No replay job was ever started here.');
      return EXIT.ok;
    });

  replay
    .command('cancel')
    .argument('<job>')
    .description('Stop a job; what was replayed stays replayed')
    .option('--yes', 'do not ask')
    .examples(['holdfast replay cancel rj-20261121t030000-1a2b3c4d --yes', 'stops within two seconds of work'])
    .does(async (run, id: string, options: { yes?: boolean }) => {
      await findJob(run, id);
      await run.confirm(`Cancel the replay job ${id} in ${run.environment}?`, options.yes);
      const result = await cancelJob(run, id);
      run.out.result(reportJob(result.job), () => [
        result.kind === 'canceled' ? `Canceled ${id}` : `${id} was over already (${result.job.state})`,
      ]);
    });
}

async function replayByIds(run: Run, ids: readonly string[], options: ReplayOptions): Promise<ExitCode> {
  refuseBesideIds(options, [...FILTER_FIELDS.filter(name => name !== 'source'), 'limit', 'rate']);
  if (options['body'] !== undefined && new Set(ids).size > 1)
    throw usageError('--body with several events', '--body with one event', 'replay them one by one');
  const why = options['dryRun'] === true ? '' : await reasonOf(run, options);
  const items = await findEach(run, ids, options['source'] as string | undefined);
  if (options['dryRun'] === true) {
    run.out.result({ count: items.length, events: items.map(it => toEventId(it.pk)) }, () => [
      `${items.length} event${items.length === 1 ? '' : 's'} would be replayed`,
    ]);
    return EXIT.ok;
  }
  await run.confirm(
    `Replay ${items.length} event${items.length === 1 ? '' : 's'} in ${run.environment}?`,
    options['yes'] as boolean,
  );
  let failures = 0;
  for (const [at, item] of items.entries()) {
    if (isStopped(run.io)) {
      run.out.note(
        `Stopped. Not replayed: ${items
          .slice(at)
          .map(it => toEventId(it.pk))
          .join(' ')}`,
      );
      return EXIT.interrupted;
    }
    const outcome = await replayNow(run, item, {
      face: 'cli',
      why,
      newKey: options['newKey'] === true,
      force: options['force'] === true,
      ...(options['body'] === undefined ? {} : { bodySha: String(options['body']) }),
    });
    const ok = outcome === 'replayed' || outcome === 'already_replayed';
    if (!ok) failures += 1;
    const id = toEventId(item.pk);
    run.out.row({ id, outcome, ...(ok ? {} : { fix: FIXES[outcome] }) }, () =>
      ok ? `${id}  replayed` : `${id}  not replayed: ${FIXES[outcome] ?? outcome}`,
    );
  }
  const first = items[0];
  if (first) run.out.next(run.command(`events get ${toEventId(first.pk)}`), 'what happened to it');
  return failures === 0 ? EXIT.ok : failures === items.length ? EXIT.failure : EXIT.partial;
}

const FIXES: Readonly<Record<string, string>> = {
  running: 'an attempt is running; wait for it, or add --force (it is fenced)',
  changed: 'somebody else replayed it a moment ago; look at it with events get',
  gone: 'its record is gone: its retention is over',
  body_missing: 'its body is gone: its retention is over',
};

async function replayByFilter(run: Run, options: ReplayOptions): Promise<ExitCode> {
  if (!FILTER_FIELDS.some(name => options[name] !== undefined)) {
    throw usageError(
      'replay without events or a filter',
      'ids, or at least one of --status, --cause, --error, --source, --type, --since, --until',
      'e.g. --status dead_letter --since 6h --dry-run',
    );
  }
  for (const name of ['force', 'body']) {
    if (options[name] !== undefined)
      throw usageError(`--${name} with a filter`, `--${name} with ids`, 'leave it out, or name the events');
  }
  const config = run.deployment.config;
  const asOf = run.clock.now();
  const filter = filterOf(run, options as Record<string, string>, asOf);
  const rate = wholeNumber('rate', String(options['rate'] ?? config.replaysPerSecond), 1, config.sweepSendsPerSecond);
  const limit =
    options['limit'] === undefined ? undefined : wholeNumber('limit', String(options['limit']), 1, 10_000_000);
  const why = options['dryRun'] === true ? '' : await reasonOf(run, options);
  const meant = { filter, asOf, ...given({ limit }) };
  await sayReads(run, filter, given({ most: limit }));
  const progress = run.out.progress('Counting');
  const preview = await previewOf(run, meant, {
    signal: run.io.interrupted,
    onCount: count => progress.update(count, undefined, 'events'),
  });
  progress.end();
  if (options['dryRun'] === true || preview.count === 0) {
    const { count, kinds, sample } = preview;
    const value = { count, by_source_type_status: kinds, sample, rate_per_second: rate, dry_run: true };
    run.out.result(value, () => previewLines(run, preview, rate));
    if (preview.count > 0)
      run.out.next(`${run.command(`replay ${written(options)}`)} --why "…" --yes`, 'replays exactly these');
    return EXIT.ok;
  }
  for (const line of previewLines(run, preview, rate)) run.out.note(line);
  await run.confirm(`Replay ${preview.count} events in ${run.environment}?`, options['yes'] as boolean);
  const newKey = options['newKey'] === true;
  const { job, waits } = await startReplay(run, {
    ...meant,
    ratePerSecond: rate,
    expected: preview.count,
    newKey,
    why,
  });
  run.out.note(
    waits === undefined
      ? `Job ${job.id}: the sweeper was told to begin it now; it goes on whether or not you watch`
      : `Job ${job.id}: it begins in the next run of the sweeper, within a minute, because this one could not be asked for: ${waits}`,
  );
  if (options['detach'] === true) {
    run.out.result(reportJob(job), () => [job.id]);
    run.out.next(run.command(`replay ls ${job.id} --watch`), 'progress');
    return EXIT.ok;
  }
  return watchJob(run, job.id);
}

function previewLines(run: Run, preview: ReplayPreview, rate: number): readonly string[] {
  if (preview.count === 0) return ['0 events match; nothing to replay. Try a longer --since, or fewer filters'];
  const groups = Object.entries(preview.kinds).sort((a, b) => b[1] - a[1]);
  return [
    `${run.out.paint('bold', String(preview.count))} events match; at ${rate}/s about ${span(Math.ceil(preview.count / rate))}`,
    ...groups.slice(0, 10).map(([group, count]) => `  ${String(count).padStart(7)}  ${group}`),
    ...(groups.length > 10 ? [`           and ${groups.length - 10} more kinds`] : []),
    `  e.g. ${preview.sample.join(' ')}`,
  ];
}

function reasonOf(run: Run, options: ReplayOptions): Promise<string> {
  return run.reason(options['why'] as string | undefined);
}

/** What was typed beside `--dry-run`, for a shell: an error may have anything in it. */
function written(options: ReplayOptions): string {
  const quoted = (text: string): string => (/^[\w.,:-]+$/.test(text) ? text : shellWord(text));
  const words = [...FILTER_FIELDS, 'limit', 'rate'].flatMap(name => {
    const value = options[name];
    return value === undefined ? [] : [`--${name} ${quoted(String(value))}`];
  });
  return [...words, ...(options['newKey'] === true ? ['--new-key'] : [])].join(' ');
}

function doneText(job: ReplayJob): string {
  return `${job.counts.replayed}/${job.expected ?? '?'}`;
}
