/** `holdfast status`: one screen. Is it healthy, is there a backlog, is there poison? */
import type { Command } from 'commander';
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import { reportJob } from '#core/inbound/replay/report-job.ts';
import { toIso } from '#core/time.ts';
import { isNotice } from '#operator/is-notice.ts';
import { span } from '#operator/span.ts';
import { needsOf, readSystem, type SystemView } from '#operator/system-view.ts';
import { EXIT, type ExitCode } from '../cli-error.ts';
import { type CommandSet, type Run, withExamples } from '../run.ts';

export function addStatus(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('status')
      .description('Rates, backlog, dead letters, alarms on one screen; exit code 1 when something needs a person'),
    ['holdfast status --env prod', 'the first thing to run when paged'],
    ['holdfast status --json || echo look', 'for a script'],
  ).action(
    set.action(async run => {
      const view = await readSystem(run);
      const { place } = await run.gateway();
      const needs = needsOf(view, run.clock.now());
      run.out.result(toJson(run, view, needs), () => screen(run, view, needs, place));
      if (view.openDeadLetters > 0) run.out.next(run.command('dlq ls'), 'what died, and of what');
      else if (needs.length > 0) run.out.next(run.command('doctor'), 'checks every part');
      else run.out.next(run.command('events tail'), 'watch events come and end');
      return needs.length === 0 ? EXIT.ok : (EXIT.failure satisfies ExitCode);
    }),
  );
}

function toJson(run: Run, view: SystemView, needs: readonly string[]): unknown {
  return {
    environment: run.environment,
    at: toIso(run.clock.now()),
    deployed_at: view.deployedAt === undefined ? null : toIso(view.deployedAt),
    healthy: needs.length === 0,
    needs_a_person: needs,
    received: view.received,
    queue: view.main,
    dead_letter_queue: view.dead,
    open_dead_letters: view.openDeadLetters,
    unfinished: {
      count: view.unfinished.count,
      capped: view.unfinished.capped,
      estimated: view.unfinished.estimated,
      oldest_received_at: view.unfinished.oldestAt === undefined ? null : toIso(view.unfinished.oldestAt),
    },
    refused: view.refused.map(each => ({ ...each, lastAt: toIso(each.lastAt) })),
    paused: Object.entries(view.pauses).map(([source, note]) => ({ source, ...note, since: toIso(note.since) })),
    replay_jobs: view.jobs.map(reportJob),
    alarms: view.alarms.map(alarm => ({ ...alarm, since: toIso(alarm.since) })),
  };
}

function screen(run: Run, view: SystemView, needs: readonly string[], place: string): readonly string[] {
  const { out } = run;
  const { main, dead, received, unfinished } = view;
  const line = (name: string, text: string): string => `${out.paint('dim', name.padEnd(14))} ${text}`;
  const times = ({ count, capped }: { count: number; capped: boolean }): string => `${capped ? 'over ' : ''}${count}`;
  const alarmed = view.alarms.filter(alarm => alarm.state === 'ALARM');
  const about = unfinished.estimated && !unfinished.capped ? 'about ' : '';
  const oldest = unfinished.oldestAt === undefined ? '' : `, the oldest received ${out.ago(unfinished.oldestAt)}`;
  return [
    `${out.paint('bold', run.environment)}  ${out.paint('dim', place)}  ${
      needs.length === 0 ? out.paint('green', 'healthy') : out.paint('red', `needs a person: ${needs.join(', ')}`)
    }`,
    '',
    line('received', `${times(received['5m'])} in 5 min, ${times(received['1h'])} in 1 h`),
    line('queue', `${main.visible} waiting, ${main.hidden} in flight, ${main.delayed} delayed`),
    line('unfinished', `${about}${times(unfinished)} events${oldest}`),
    line('dead letters', `${view.openDeadLetters} events; ${dead.visible + dead.hidden} messages in the queue`),
    ...(view.refused.length === 0 ? [] : [line('refused', refusedText(view))]),
    line('sweeper', sweeperText(run, view.sweptUntil)),
    ...(view.deployedAt === undefined ? [] : [line('deployed', out.ago(view.deployedAt))]),
    line('alarms', alarmed.length === 0 ? `none of ${view.alarms.length} in ALARM` : `${alarmed.length} in ALARM`),
    ...alarmed.flatMap(alarm => [
      `  ${out.paint(isNotice(alarm) ? 'yellow' : 'red', alarm.name)} since ${out.ago(alarm.since)}`,
      ...alarm.description.split('\n').map(text => `    ${out.paint('dim', text)}`),
    ]),
    ...Object.entries(view.pauses).map(([source, note]) =>
      line('paused', `${source} ${out.ago(note.since)} by ${note.by}: ${note.why}`),
    ),
    ...view.jobs.map(job =>
      line(
        'replaying',
        `${job.id}: ${job.counts.replayed}/${job.expected ?? '?'}, ${span((run.clock.now() - job.createdAt) / 1_000)} so far`,
      ),
    ),
  ];
}

/** Of each source and cause 20 are kept, so that many more may have come. */
function refusedText({ refused }: SystemView): string {
  const times = (count: number): string => (count >= REFUSED_SLOTS ? `${count} or more` : String(count));
  return refused.map(({ source, cause, count }) => `${source}: ${times(count)} ${cause}`).join(', ');
}

function sweeperText(run: Run, sweptUntil: number | undefined): string {
  if (sweptUntil === undefined) return 'never ran (it comes every minute)';
  if (sweptUntil > run.clock.now()) return 'ran within the last minute';
  return `last run ended ${run.out.ago(sweptUntil)} or earlier`;
}
