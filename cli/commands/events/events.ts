/** `holdfast events`: what was received, and what became of it. */
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { summarizeEvent } from '#core/inbound/search/event-report.ts';
import { toIso } from '#core/time.ts';
import { mostOf } from '#operator/events/expected-reads.ts';
import { listWhere, readWhere, WHERE_SINCE } from '#operator/events/find-by-field.ts';
import { findOne } from '#operator/events/find-one.ts';
import { listEvents } from '#operator/events/list-events.ts';
import { historyOf } from '#operator/events/show-event.ts';
import { followRefused } from '#operator/refused/follow-refused.ts';
import type { RefusedRequest } from '#operator/refused/refused.ts';
import { addFilterOptions, filterOf, wholeNumber } from '../../filter-options.ts';
import { openLog } from '../../follow.ts';
import type { Run, RunCommand } from '../../run.ts';
import { sayReads } from '../../say-reads.ts';
import { EVENT_HEADINGS, eventCells, eventLine, eventScreen, refusedLine } from '../../show-event.ts';
import { showBody } from '../../stored-body.ts';
import { addEventsGrep } from './events-grep.ts';

/** A list that is not asked for the whole window answers with what it has found by then. */
const FIRST_ANSWER_MS = 600;

export function addEvents(program: RunCommand): void {
  const events = program.command('events').description('List, show and follow events');

  addFilterOptions(events.command('ls'))
    .description('List events, newest first')
    .option(
      '--where <field=value>',
      'find events by a field that their source declares as searchable, e.g. order=1234; --since is then a year',
    )
    .option('--limit <n>', 'at most N events', '30')
    .option('--all', 'search the whole window, however long it takes')
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .examples(
      ['holdfast events ls --status dead_letter,failed --since 7d', 'what failed this week'],
      ['holdfast events ls --where order=1234', 'every event of that order'],
      ['holdfast events ls --source stripe --type "invoice.*" --json', 'as JSON, for a script'],
    )
    .does(async (run, { all, ...options }: Record<string, string | undefined> & { all?: boolean }) => {
      const { where: written, since, ...others } = options;
      const where = written === undefined ? undefined : readWhere(run, written);
      const filter = filterOf(run, { ...others, since: since ?? (where && WHERE_SINCE) });
      const limit = wholeNumber('limit', options['limit'] ?? '30', 1, 10_000);
      if (where !== undefined) {
        const { items, cursor, lookedTo } = await listWhere(run, filter, where, { limit, cursor: options['cursor'] });
        showList(run, items, cursor, lookedTo);
        return;
      }
      await sayReads(run, filter, mostOf(filter, limit));
      const progress = run.out.progress('Looking for events');
      const { items, cursor, lookedTo } = await listEvents(run, filter, {
        limit,
        cursor: options['cursor'],
        until: all ? undefined : run.clock.now() + FIRST_ANSWER_MS,
        signal: run.io.interrupted,
        onProgress: found => progress.update(found, limit),
      });
      progress.end();
      showList(run, items, cursor, lookedTo);
    });

  events
    .command('get')
    .argument('<id>', "our id (evt_…) or the provider's")
    .description('Show an event with its history (of a dead one: why), or its body')
    .option('--source <name>', 'its source, if the id exists in several')
    .option('--body', 'print what the provider sent instead of the history')
    .examples(
      ['holdfast events get evt_stripe.evt_1P2x', 'status, attempts, result and timeline'],
      ['holdfast events get 72d3162e-cc78-11e3-81ab-4c9367dc0958 --source github', "by the provider's own id"],
      ['holdfast events get evt_stripe.evt_1P2x --body', 'what a handler could not take'],
    )
    .does(async (run, id: string, options: { source?: string; body?: boolean }) => {
      const item = await findOne(run, id, options.source);
      if (options.body === true) return showBody(run, item);
      const report = await historyOf(run, item);
      run.out.result(report, () => eventScreen(report, run.out));
      const own = String(report['id']);
      if (item.status === 'closed') run.out.next(run.command(`replay ${own} --why "…"`), 'reopens it');
      if (item.status !== 'dead_letter') return;
      run.out.next(run.command(`events get ${own} --body`), 'what the provider sent');
      run.out.next(run.command(`replay ${own} --why "…"`), 'this one, once the cause is fixed');
      if (item.cause !== undefined)
        run.out.next(run.command(`replay --cause ${item.cause} --since 24h --dry-run`), 'all that died of it');
      run.out.next(run.command(`dlq close ${own} --why "…"`), 'if it must not run');
    });

  events
    .command('tail')
    .description(
      'Follow events as they arrive and end, and refused requests. It continues where it stopped, and misses no event',
    )
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--since <when>', 'begin then, not where the last tail stopped (5m, 2026-11-21T03:00Z)')
    .option('--name <name>', 'remember under this name how far it got, to continue from there', 'tail')
    .examples(
      ['holdfast events tail', 'every event of every source, until Ctrl-C'],
      ['holdfast events tail --source stripe --since 1h --json', 'one JSON object a line'],
    )
    .does(async (run, options: { source?: string; since?: string; name: string }) => {
      const { payloads, timer } = await run.gateway();
      const { log, sources, from } = await openLog(run, options);
      run.out.note(`Following ${sources.join(', ')} in ${run.environment} (Ctrl-C ends it)`);
      const tell = (it: RefusedRequest): void =>
        run.out.row({ ...it, hint: it.hint ?? null, at: toIso(it.at), status: 'refused' }, () =>
          refusedLine(it, run.out),
        );
      // It ends by itself with the signal: nobody waits for its last look.
      void followRefused({ payloads, timer, sources, ...from }, tell, run.io.interrupted).catch(() => undefined);
      await log.follow(async item => {
        run.out.row(summarizeEvent(item), () => eventLine(item, run.out));
        return true;
      }, run.io.interrupted);
    });

  addEventsGrep(events);
}

function showList(run: Run, items: readonly EventItem[], cursor: string | undefined, lookedTo: number): void {
  const value = {
    events: items.map(summarizeEvent),
    next_cursor: cursor ?? null,
    looked_back_to: toIso(lookedTo),
  };
  run.out.result(value, () =>
    run.out.table(
      EVENT_HEADINGS,
      items.map(item => eventCells(item, run.out)),
    ),
  );
  if (run.out.json) return;
  if (cursor !== undefined)
    run.out.note(`Looked back to ${toIso(lookedTo)}; more with --all, or from there with --cursor ${cursor}`);
  else if (items.length === 0)
    run.out.note(
      `No events match: everything since ${toIso(lookedTo)} was looked at. Try a longer --since, or fewer filters.`,
    );
  const first = items[0];
  if (first) run.out.next(run.command(`events get ${String(summarizeEvent(first)['id'])}`), 'its history');
}
