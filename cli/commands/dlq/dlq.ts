/** `holdfast dlq`: dead letters, by cause and source; and the messages of the dead-letter queue itself. */
import { toEventId } from '#core/glossary.ts';
import type { EventFilter, WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { toIso } from '#core/time.ts';
import {
  type ClosedGroup,
  type DeadLetters,
  groupClosed,
  groupDeadLetters,
  moveDeadMessages,
} from '#operator/deaths/dead-letters.ts';
import { shortIdOf } from '#operator/events/short-id.ts';
import { EXIT, type ExitCode } from '../../cli-error.ts';
import { filterOf, wholeNumber } from '../../filter-options.ts';
import { STOPPED } from '../../io.ts';
import type { Run, RunCommand } from '../../run.ts';
import { sayReads } from '../../say-reads.ts';
import { addDlqClose } from './dlq-close.ts';

export function addDlq(program: RunCommand): void {
  const dlq = program.command('dlq').description('Dead letters: list, close, redrive, purge');

  dlq
    .command('ls')
    .description('List open dead letters, grouped by source, event type and cause')
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--cause <cause>', 'only this cause')
    .option('--type <type>', 'event type, or a prefix such as invoice.*')
    .option('--since <when>', 'received since then', '90d')
    .option('--closed', 'instead of the open ones, show those that a person closed, with who and why')
    .examples(
      ['holdfast dlq ls', 'what died, how often, since when, with a sample'],
      ['holdfast dlq ls --closed', 'what will not be replayed, and who decided that'],
    )
    .does(async (run, { closed, ...options }: ListOptions) => {
      const filter = filterOf(run, { ...options, status: 'dead_letter' });
      if (closed === true) return showClosed(run, await groupClosed(run, filter), askedFor(options));
      await sayReads(run, filter);
      showGroups(run, await groupDeadLetters(run, filter), askedFor(options));
    });

  addDlqClose(dlq);

  dlq
    .command('redrive')
    .description('Move messages from the dead-letter queue back to the main queue. Same run, same idempotency key')
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--cause <cause>', 'only this cause (default: all)')
    .option('--rate <n>', 'messages a second', '50')
    .option('--limit <n>', 'at most N events', '100000')
    .option('--dry-run', 'count them, move nothing')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast dlq redrive --cause handler_error --dry-run', 'how many messages it would move'],
      ['holdfast dlq redrive --source stripe --yes', 'all of Stripe; a closed terminal stops it (replay goes on)'],
    )
    .does((run, options: MoveOptions) => moveMessages(run, options, 'redrive'));

  dlq
    .command('purge')
    .description(
      'Delete messages from the dead-letter queue. Events stay as they are: a dead one stays open (see dlq close)',
    )
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--cause <cause>', 'only this cause')
    .option('--limit <n>', 'at most N messages', '100000')
    .option('--dry-run', 'count them, delete nothing')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast dlq purge --dry-run', 'messages that are not ours, and those of events somebody dealt with'],
      ['holdfast dlq purge --yes', 'delete them, one by one'],
    )
    .does((run, options: MoveOptions) => moveMessages(run, options, 'purge'));
}

/** Deleting messages settles no event: say so where some are still open. */
async function sayWhatIsLeft(run: Run, filter: EventFilter): Promise<void> {
  const { total } = await groupDeadLetters(run, filter);
  run.out.note(
    total === 0
      ? 'No record was changed; no dead letter is open.'
      : `No record was changed: ${total} dead letter${total === 1 ? ' is' : 's are'} still open, and so are status and the alarm. Replay them, or close them: ${run.command('dlq close --cause … --why "…"')}`,
  );
}

interface MoveOptions extends Pick<WrittenFilter, 'source' | 'cause'> {
  readonly rate?: string;
  readonly limit: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

async function moveMessages(run: Run, options: MoveOptions, verb: 'redrive' | 'purge'): Promise<ExitCode> {
  const filter = filterOf(run, { source: options.source, cause: options.cause, since: '365d' });
  const rate = wholeNumber('rate', options.rate ?? '50', 1, 1_000);
  const limit = wholeNumber('limit', options.limit, 1, 10_000_000);
  const { visible, hidden } = await (await run.gateway()).gauge.dead();
  const question = `${verb === 'redrive' ? 'Move' : 'Delete'} messages of the dead-letter queue (${visible} waiting) in ${run.environment}?`;
  if (!options.dryRun) await run.confirm(question, options.yes);
  const progress = run.out.progress(verb === 'redrive' ? 'Moving' : 'Deleting');
  const counts = await moveDeadMessages(run, {
    verb,
    filter,
    open: false,
    rate,
    limit,
    dryRun: options.dryRun === true,
    signal: run.io.interrupted,
    onMoved: moved => progress.update(moved, visible + hidden),
  });
  progress.end();
  const what = { redrive: 'moved', purge: 'deleted' }[verb];
  const { done, ...others } = counts;
  run.out.result({ [options.dryRun ? `would_be_${what}` : what]: done, ...others }, () => [
    `${done} messages ${options.dryRun ? `would be ${what}` : what}, ${counts.kept} kept`,
  ]);
  if (counts.stopped === 'limit') run.out.note(`Stopped at --limit ${limit}: there may be more.`);
  if (counts.stopped === 'interrupted') run.out.note(STOPPED);
  if (options.dryRun) run.out.note('The messages that were looked at are hidden from others for a moment.');
  if (verb === 'purge') await sayWhatIsLeft(run, filter);
  run.out.next(run.command('dlq ls'), 'what is still dead');
  return counts.stopped === 'interrupted' ? EXIT.interrupted : EXIT.ok;
}

interface ListOptions extends Pick<WrittenFilter, 'source' | 'cause' | 'type' | 'since'> {
  readonly closed?: boolean;
}

function askedFor({ source, cause, type }: ListOptions): string {
  const part = (name: string, value: string | undefined) =>
    value === undefined ? '' : `${name} ${value.slice(0, 60)}`;
  return `${part(' of', source)}${part(', cause', cause)}${part(', type', type)}`;
}

function showClosed(run: Run, groups: readonly ClosedGroup[], asked: string): void {
  const value = {
    groups: groups.map(({ source, eventType, cause, by, why, count, lastAt, sample }) => ({
      source,
      event_type: eventType,
      cause,
      count,
      closed_by: by,
      closed_why: why,
      last_closed_at: toIso(lastAt),
      sample: toEventId(sample.pk),
    })),
  };
  run.out.result(value, () =>
    run.out.table(
      ['COUNT', 'SOURCE', 'TYPE', 'CAUSE', 'CLOSED', 'BY', 'SAMPLE', 'WHY'],
      groups.map(({ source, eventType, cause, by, why, count, lastAt, sample }) => [
        String(count),
        source,
        eventType,
        cause,
        run.out.ago(lastAt),
        by,
        { long: toEventId(sample.pk), short: shortIdOf(sample.pk) },
        why,
      ]),
    ),
  );
  if (run.out.json) return;
  if (groups.length === 0) run.out.note(`No closed dead letters${asked}.`);
}

/** `asked`: what was looked for, in words, where it was not everything. */
function showGroups(run: Run, { groups, total, inQueue }: DeadLetters, asked: string): void {
  const value = {
    open_dead_letters: total,
    messages_in_queue: inQueue,
    groups: groups.map(({ source, eventType, cause, count, firstAt, lastAt, sample }) => ({
      source,
      event_type: eventType,
      cause,
      count,
      first_dead_at: toIso(firstAt),
      last_dead_at: toIso(lastAt),
      sample: toEventId(sample.pk),
      sample_error: sample.lastError,
    })),
  };
  run.out.result(value, () =>
    run.out.table(
      ['COUNT', 'SOURCE', 'TYPE', 'CAUSE', 'FIRST', 'LAST', 'SAMPLE', 'ERROR'],
      groups.map(({ source, eventType, cause, count, firstAt, lastAt, sample }) => [
        run.out.paint('red', String(count)),
        source,
        eventType,
        cause,
        run.out.ago(firstAt),
        run.out.ago(lastAt),
        { long: toEventId(sample.pk), short: shortIdOf(sample.pk) },
        run.out.paint('dim', sample.lastError ?? ''),
      ]),
    ),
  );
  if (run.out.json) return;
  const [worst] = groups;
  if (worst) run.out.next(run.command(`events get ${toEventId(worst.sample.pk)}`), 'why, and its history');
  else run.out.note(`No open dead letters${asked}.`);
  if (asked === '' && inQueue > total)
    run.out.note(
      `The queue holds about ${inQueue - total} more messages than events are dead: settled ones, or not ours (dlq purge --dry-run)`,
    );
}
