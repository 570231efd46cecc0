/** `holdfast status`: one screen. Is it healthy, is there a backlog, is there poison? */
import { given } from '#core/given.ts';
import { type Concern, EVENTS_LOOKED_AT } from '#core/inbound/protocol/concerns.ts';
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import { reportJob } from '#core/inbound/replay/report-job.ts';
import type { AuditState } from '#core/inbound/watch/audit-records.ts';
import { toIso } from '#core/time.ts';
import { countedText, type DeliverySummary, guardText } from '#operator/customers/deliveries.ts';
import type { OpenBreaker, Unfinished } from '#operator/events/unfinished.ts';
import { isNotice } from '#operator/health/alarm-words.ts';
import { deadCountText, type Need, needsAPerson, needsOf } from '#operator/health/needs.ts';
import { describeSweeper } from '#operator/health/sweeper.ts';
import { readSystem, type SystemView } from '#operator/health/system-view.ts';
import { span } from '#operator/span.ts';
import { EXIT, type ExitCode } from '../cli-error.ts';
import type { Run, RunCommand } from '../run.ts';
import { muteJson } from './mute.ts';

export function addStatus(program: RunCommand): void {
  program
    .command('status')
    .description('Show rates, backlog, dead letters and alarms on one screen. Exit code 1 if something needs a person')
    .examples(
      ['holdfast status --env prod', 'the first thing to run when paged'],
      ['holdfast status --json || echo look', 'for a script'],
    )
    .does(async run => {
      const view = await readSystem(run);
      const { place } = await run.gateway();
      const all = needsOf(view, run.clock.now());
      const needs = needsAPerson(all);
      run.out.result(toJson(run, view, all), () => screen(run, view, all, place));
      if (view.processor?.running === false) run.out.next(run.command('processor start'), 'handlers run again');
      if (view.openDeadLetters) run.out.next(run.command('dlq ls'), 'what died, and of what');
      else if (needs.length > 0) run.out.next(run.command('doctor'), 'checks every part');
      else run.out.next(run.command('events tail'), 'watch events come and end');
      return needs.length === 0 ? EXIT.ok : (EXIT.failure satisfies ExitCode);
    });
}

function toJson(run: Run, view: SystemView, all: readonly Need[]): unknown {
  const needs = needsAPerson(all);
  return {
    environment: run.environment,
    at: toIso(run.clock.now()),
    deployed_at: view.deployedAt === undefined ? null : toIso(view.deployedAt),
    healthy: needs.length === 0,
    needs_a_person: needs,
    notices: noticesOf(all),
    // What could not be read is null, and named here.
    unread: view.unread.map(({ part, why }) => ({ part, why })),
    received: view.received ?? null,
    queue: view.main ?? null,
    dead_letter_queue: view.dead ?? null,
    open_dead_letters: view.openDeadLetters ?? null,
    // Of very many: when they were counted, if that was not now; and whether there are more.
    ...given({
      open_dead_letters_counted_at: view.deadLettersAt && toIso(view.deadLettersAt),
      open_dead_letters_capped: view.deadLettersCapped,
    }),
    unfinished: unfinishedJson(view.unfinished),
    last_due_at: isoOrNull(view.unfinished?.lastDueAt),
    open_breakers: view.unfinished?.breakers.map(breakerJson) ?? null,
    refused: view.refused?.map(each => ({ ...each, lastAt: toIso(each.lastAt) })) ?? null,
    concerns: view.concerns?.map(concernJson) ?? null,
    paused: view.pauses
      ? Object.entries(view.pauses ?? {}).map(([source, note]) => ({ source, ...note, since: toIso(note.since) }))
      : null,
    sweeper: sweeperJson(view.sweeper),
    audit: auditJson(view.audit),
    customers: view.customers ?? null,
    replay_jobs: view.jobs?.map(reportJob) ?? null,
    alarms: view.alarms?.map(alarm => ({ ...alarm, since: toIso(alarm.since) })) ?? null,
    throttled_by: view.throttles ?? null,
    mutes: view.mutes?.map(mute => muteJson(mute, run.clock.now())) ?? null,
  };
}

function unfinishedJson(unfinished: SystemView['unfinished']): unknown {
  if (unfinished === undefined) return null;
  const { count, capped, estimated, oldestAt } = unfinished;
  return { count, capped, estimated, oldest_received_at: isoOrNull(oldestAt) };
}

/** `healthy` judges by `ended_well_at`: a run that began says nothing. */
function sweeperJson(sweeper: SystemView['sweeper']): unknown {
  if (sweeper === undefined) return null;
  const { wellAt, error } = sweeper;
  const last = error && { at: toIso(error.at), text: error.text };
  return { ended_well_at: isoOrNull(wellAt), last_error: last ?? null };
}

function auditJson(audit: SystemView['audit']): unknown {
  if (audit === undefined || audit === 'never') return null;
  return { under_way: audit.isUnderWay, none_finished_since: toIso(audit.since) };
}

function concernJson({ kind, source, eventType, firstAt, lastAt, eventId, bodySha, events }: Concern): unknown {
  return {
    ...{ kind, source, event_type: eventType, first_at: toIso(firstAt), last_at: toIso(lastAt), event_id: eventId },
    ...{ body_sha: bodySha, events },
  };
}

function breakerJson({ handler, waiting, estimated, since, nextTryAt }: OpenBreaker): unknown {
  return { handler, waiting, estimated, open_since: toIso(since), next_try_at: toIso(nextTryAt) };
}

function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : toIso(at);
}

const noticesOf = (all: readonly Need[]): readonly string[] =>
  all.flatMap(({ text, isNotice: notice }) => (notice ? [text] : []));

function screen(run: Run, view: SystemView, all: readonly Need[], place: string): readonly string[] {
  const needs = needsAPerson(all);
  const { out } = run;
  const line = (name: string, text: string): string => `${out.paint('dim', name.padEnd(14))} ${text}`;
  /** A part that could not be read says so in its own line. */
  const part = <T>(name: string, read: T | undefined, text: (value: T) => string): string =>
    line(name, read === undefined ? out.paint('red', 'cannot be read') : text(read));
  const alarmed = (view.alarms ?? []).filter(alarm => alarm.state === 'ALARM');
  const letters = view.openDeadLetters === undefined || view.dead === undefined ? undefined : view.dead;
  return [
    `${out.paint('bold', run.environment)}  ${out.paint('dim', place)}  ${
      needs.length === 0 ? out.paint('green', 'healthy') : out.paint('red', `needs a person: ${needs.join(', ')}`)
    }`,
    ...noticesOf(all).map(text => out.paint('yellow', text)),
    '',
    part('received', view.received, it => `${times(it['5m'])} in 5 min, ${times(it['1h'])} in 1 h`),
    part('queue', view.main, it => `${it.visible} waiting, ${it.hidden} in flight, ${it.delayed} delayed`),
    part('in progress', view.unfinished, it => unfinishedText(run, it)),
    ...(view.unfinished?.breakers ?? []).map(it => line('on hold', breakerText(run, it))),
    part(
      'dead letters',
      letters,
      it =>
        `${deadCountText(view, 'event', run.clock.now())}; ${counted(it.visible + it.hidden, 'message')} in the queue`,
    ),
    ...(view.refused?.length === 0 ? [] : [part('refused', view.refused, refusedText)]),
    ...(view.concerns ?? []).flatMap(concern => concernLines(run, concern, line)),
    part('sweeper', view.sweeper, it => describeSweeper(it, run.clock.now())),
    part('audit', view.audit, it => auditText(run, it)),
    ...(view.customers === undefined ? [] : [line('customers', customersText(run, view.customers))]),
    ...(view.deployedAt === undefined ? [] : [line('deployed', out.ago(view.deployedAt))]),
    part('alarms', view.alarms, it =>
      alarmed.length === 0 ? `none of ${it.length} in ALARM` : `${alarmed.length} in ALARM`,
    ),
    ...alarmed.flatMap(alarm => [
      `  ${out.paint(isNotice(alarm) ? 'yellow' : 'red', alarm.name)} since ${out.ago(alarm.since)}`,
      ...alarm.description.split('\n').map(text => `    ${out.paint('dim', text)}`),
    ]),
    ...Object.entries(view.pauses ?? {}).map(([source, note]) =>
      line('paused', `${source} ${out.ago(note.since)} by ${note.by}: ${note.why}`),
    ),
    ...(view.jobs ?? []).map(job =>
      line(
        'replaying',
        `${job.id}: ${job.counts.replayed}/${job.expected ?? '?'}, ${span((run.clock.now() - job.createdAt) / 1_000)} so far`,
      ),
    ),
    ...view.unread.map(({ part: name, why }) => line('not read', `${name}: ${why}`)),
  ];
}

const counted = (count: number | undefined, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function times({ count, capped }: { readonly count: number; readonly capped: boolean }): string {
  return `${capped ? 'over ' : ''}${count}`;
}

/** How many, how old, and until when they wait at the longest: nothing open is left without a time. */
function unfinishedText(run: Run, unfinished: Unfinished): string {
  const { count, estimated, capped, oldestAt, lastDueAt } = unfinished;
  if (capped && count === 0) return 'none among the newest arrivals; there are too many arrivals to read all of them';
  const about = estimated && !capped ? 'about ' : '';
  const oldest = oldestAt === undefined ? '' : `, the oldest received ${run.out.ago(oldestAt)}`;
  const left = lastDueAt === undefined ? 0 : lastDueAt - run.clock.now();
  const due = left <= 0 ? '' : `, each tried again or looked at within ${span(left / 1_000)}`;
  return `${about}${times(unfinished)} event${count === 1 && !capped ? '' : 's'}${oldest}${due}`;
}

/** The dependency of a handler is away: what waits for it, and when it is asked again. */
function breakerText(run: Run, { handler, waiting, estimated, since, nextTryAt }: OpenBreaker): string {
  const next = nextTryAt > run.clock.now() ? run.out.ago(nextTryAt) : 'now';
  const events = `${estimated ? 'about ' : ''}${waiting} event${waiting === 1 ? ' waits' : 's wait'}`;
  return `${run.out.paint('yellow', handler)} has kept failing since ${run.out.ago(since)}; ${events}; next try ${next}`;
}

const CONCERNS = {
  conflict: ['conflict', 'one event id arrived with two bodies; the second was kept but not run'],
  too_old: ['too old', 'an event was recorded but not run, because it was too old'],
  handler_fails: ['failing', 'only failures'],
} as const;

/** What a person should know of a source, and the command that goes on from there. */
function concernLines(run: Run, concern: Concern, line: (name: string, text: string) => string): readonly string[] {
  const { kind, source, eventType, firstAt, lastAt, eventId, bodySha, events = 0 } = concern;
  const [name, text] = CONCERNS[kind];
  const what = kind === 'handler_fails' ? `${source} ${eventType}` : source;
  const how =
    kind === 'handler_fails'
      ? `${text} at ${events}${events < EVENTS_LOOKED_AT ? '' : ' or more'} event${events === 1 ? '' : 's'} since ${run.out.ago(firstAt)}`
      : text;
  const last = kind === 'handler_fails' ? '' : `, last ${run.out.ago(lastAt)}`;
  const next =
    kind === 'handler_fails'
      ? `events get ${eventId}`
      : `replay ${eventId}${bodySha === undefined ? '' : ` --body ${bodySha}`} --why "…"`;
  return [line(name, `${what}: ${how}${last}`), `  ${run.out.paint('dim', run.command(next))}`];
}

/** Endpoints of customers that do not get their webhooks: theirs to repair, so nothing that needs a person of ours. */
function customersText({ out, clock }: Run, it: DeliverySummary): string {
  if (it.as_of === null) return 'endpoints are counted with the first endpoint check, within ten minutes';
  const closed = [`${it.on_hold} on hold`, `${it.paused} paused`, `${it.disabled} disabled`];
  const guard = it.egress_guard === null ? '' : `; ${guardText(it.egress_guard)}`;
  const counted = `${it.endpoints} endpoints: ${closed.join(', ')}${countedText(it, clock.now())}`;
  if (it.audited_at === null)
    return `${counted}; what waits and what died is counted with the first endpoint check${guard}`;
  const waiting =
    it.oldest_waiting_at === null
      ? 'nothing waits'
      : `${it.waiting} wait, the oldest since ${out.ago(Date.parse(it.oldest_waiting_at))}`;
  return `${counted}; ${waiting}; ${it.dead} deliveries dead${guard}`;
}

/** At most 20 refused requests are kept for each source and cause; more may have come. */
function refusedText(refused: NonNullable<SystemView['refused']>): string {
  const many = (count: number): string => (count >= REFUSED_SLOTS ? `${count} or more` : String(count));
  return refused.map(({ source, cause, count }) => `${source}: ${many(count)} ${cause}`).join(', ');
}

/** The nightly check of all records: of a pass that takes several nights, how long none has come to its end. */
function auditText(run: Run, audit: AuditState | 'never'): string {
  if (audit === 'never') return 'never ran (it comes at night)';
  if (!audit.isUnderWay) return `all records were checked ${run.out.ago(audit.since)}`;
  return `continues tonight; none has checked all records for ${span((run.clock.now() - audit.since) / 1_000)}`;
}
