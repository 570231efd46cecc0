/** `holdfast dlq close`: a person decides that dead events will not be replayed. */
import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { closeDeaths, meantToClose } from '#operator/deaths/close-deaths.ts';
import { findEach } from '#operator/events/find-one.ts';
import { EXIT, type ExitCode, usageError } from '../../cli-error.ts';
import { filterOf, refuseBesideIds } from '../../filter-options.ts';
import { isStopped, STOPPED } from '../../io.ts';
import type { Run, RunCommand } from '../../run.ts';
import { sayReads } from '../../say-reads.ts';

const FILTERS = ['source', 'type', 'cause', 'error', 'since'] as const;
interface CloseOptions extends Pick<WrittenFilter, (typeof FILTERS)[number]> {
  readonly why?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addDlqClose(dlq: RunCommand): void {
  dlq
    .command('close')
    .argument('[ids...]', 'the dead events, by id')
    .description(
      'Decide that dead events will not be replayed. They stay visible with who and why; a replay reopens them',
    )
    .option('--cause <cause>', 'only this cause')
    .option('--error <text>', 'only this error, whatever numbers and ids are in it')
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--type <type>', 'event type, or a prefix such as invoice.*')
    .option('--since <when>', 'received since then (default: 90d)')
    .option('--why <text>', 'the reason, kept with each event')
    .option('--dry-run', 'count them, change nothing')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast dlq close --cause schema --why "test data of the trial, nothing to book"', 'all that died of it'],
      ['holdfast dlq close evt_stripe.evt_1P2x --why "booked by hand"', 'one event'],
    )
    .does((run, ids: string[], options: CloseOptions) => close(run, ids, options));
}

async function close(run: Run, ids: readonly string[], options: CloseOptions): Promise<ExitCode> {
  const items = ids.length > 0 ? await named(run, ids, options) : await matching(run, options);
  if (options.dryRun === true || items.length === 0) {
    run.out.result({ count: items.length, by_source_type_cause: kindsOf(items), dry_run: true }, () => preview(items));
    return EXIT.ok;
  }
  const why = await run.reason(options.why);
  for (const line of preview(items)) run.out.note(line);
  await run.confirm(`Close ${counted(items.length)} in ${run.environment}? They will not run.`, options.yes);
  const progress = run.out.progress('Closing');
  const { closed, left } = await closeDeaths(run, items, {
    why,
    signal: run.io.interrupted,
    onClosed: done => progress.update(done, items.length),
  });
  progress.end();
  run.out.result({ closed, left }, () => [
    `${closed} closed${left === 0 ? '' : `, ${left} left: replayed or changed meanwhile${isStopped(run.io) ? ', or not reached' : ''}`}`,
  ]);
  run.out.note('The sweeper takes their messages out of the dead-letter queue within minutes.');
  run.out.next(run.command('dlq ls --closed'), 'who closed what, and why');
  if (left > 0 && isStopped(run.io)) {
    run.out.note(STOPPED);
    return EXIT.interrupted;
  }
  return left === 0 ? EXIT.ok : closed === 0 ? EXIT.failure : EXIT.partial;
}

async function named(run: Run, ids: readonly string[], options: CloseOptions): Promise<readonly EventItem[]> {
  refuseBesideIds(
    { ...options },
    FILTERS.filter(name => name !== 'source'),
  );
  const items = await findEach(run, ids, options.source);
  for (const item of items) {
    if (item.status !== 'dead_letter')
      throw usageError(
        `${toEventId(item.pk)} is ${item.status}`,
        'events with the status dead_letter',
        'leave this one out',
      );
  }
  return items;
}

async function matching(run: Run, options: CloseOptions): Promise<readonly EventItem[]> {
  if (!FILTERS.some(name => options[name] !== undefined)) {
    throw usageError(
      'dlq close without events or a filter',
      'ids, or at least one of --cause, --error, --source, --type, --since',
      'e.g. --cause schema --dry-run',
    );
  }
  const { why: _why, dryRun: _dryRun, yes: _yes, since = '90d', ...written } = options;
  const filter = filterOf(run, { ...written, since, status: 'dead_letter' });
  await sayReads(run, filter);
  return meantToClose(run, filter);
}

function kindsOf(items: readonly EventItem[]): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const item of items) {
    const kind = `${splitEventPk(item.pk).sourceId} ${item.eventType} (${item.cause ?? 'unknown'})`;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

const SHOWN_KINDS = 10;

function preview(items: readonly EventItem[]): readonly string[] {
  if (items.length === 0) return ['0 dead letters match; nothing to close'];
  const kinds = Object.entries(kindsOf(items)).sort((a, b) => b[1] - a[1]);
  const shown = kinds.slice(0, SHOWN_KINDS).map(([kind, count]) => `  ${String(count).padStart(7)}  ${kind}`);
  const more = kinds.length - SHOWN_KINDS;
  return [`${counted(items.length)} match`, ...shown, ...(more > 0 ? [`           and ${more} more kinds`] : [])];
}

function counted(count: number): string {
  return `${count} dead letter${count === 1 ? '' : 's'}`;
}
