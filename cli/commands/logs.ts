/** `holdfast logs`: what the functions logged, of a source or of one event. */
import { toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { findOne } from '#operator/events/find-one.ts';
import { keptAttempts, readEventLog } from '#operator/health/event-log.ts';
import { type LogEntry, readLogs, wordsOf } from '#operator/health/read-logs.ts';
import { usageError } from '../cli-error.ts';
import { filterOf, oneOf, refuseBeside } from '../filter-options.ts';
import type { Output } from '../output.ts';
import type { Run, RunCommand } from '../run.ts';

const POLL_MS = 1_000;
/** A line may be written late. */
const OVERLAP_MS = 15_000;

interface Options {
  readonly source?: string;
  readonly event?: string;
  readonly attempt?: string;
  readonly since?: string;
  readonly tail?: boolean;
  readonly of?: string;
  readonly errors?: boolean;
  readonly where?: readonly string[];
}

/** Those that a stack may have, and the access log of the webhooks. */
const LOGS = [
  ...['ingest', 'process', 'sweep', 'audit', 'api', 'probe', 'notify', 'reconcile-providers', 'otlp'],
  ...['publish', 'fan-out', 'drain-fast', 'drain-slow', 'delivery-api', 'tend', 'portal', 'contacts', 'requests'],
];

export function addLogs(program: RunCommand): void {
  program
    .command('logs')
    .description('Show what the functions logged, oldest first, and the stack of each error')
    .option('--source <name>', 'only lines of this source')
    .option('--event <id>', 'only lines of this event')
    .option('--attempt <n>', 'only this attempt of the event; its newest of that number')
    .option('--since <when>', 'since then (default: 1h; with --event: since it arrived; with --tail: now)')
    .option('--of <function>', 'only the log of this function, or of the HTTP requests (`requests`)')
    .option('--errors', 'only errors and warnings')
    .option('--where <field=value...>', 'only lines whose fields have these values')
    .option('--tail', 'show new lines as they come, until Ctrl-C')
    .examples(
      ['holdfast logs --event evt_stripe.evt_1P2x', 'every attempt of an event, with the stack of each error'],
      ['holdfast logs --event evt_stripe.evt_1P2x --attempt 3', 'one attempt, and the lines of the handler that threw'],
      ['holdfast logs --of process --errors', 'what went wrong in one function'],
      ['holdfast logs --of requests --where status=429', 'the requests that were throttled'],
      ['holdfast logs --source stripe --tail', 'watch a source while you try its handler'],
    )
    .does(async (run, options: Options) => {
      const source = options.source === undefined ? undefined : run.source(options.source).id;
      const item = options.event === undefined ? undefined : await findOne(run, options.event, source);
      if (options.attempt !== undefined) {
        refuseBeside('--attempt', options, ['since', 'of', 'errors', 'where', 'tail']);
        return showAttempt(run, item, options.attempt);
      }
      const usual = options.tail === true ? '1s' : '1h';
      const since =
        options.since === undefined && item !== undefined
          ? item.receivedAt - OVERLAP_MS
          : filterOf(run, { since: options.since ?? usual }).since;
      const { errors = false } = options;
      const of = options.of === undefined ? undefined : oneOf('--of', options.of, LOGS);
      const where = Object.fromEntries((options.where ?? []).map(pairOf));
      const filter = { source, eventId: item && toEventId(item.pk), since, of, errors, where };
      const found = await readLogs(run, filter);
      for (const entry of found) show(run, entry);
      if (options.tail === true) await tail(run, filter, found);
      else if (found.length === 0)
        run.out.note('No lines. Try a longer --since; what a log keeps ends with its retention.');
    });
}

async function showAttempt(run: Run, item: EventItem | undefined, written: string): Promise<void> {
  if (item === undefined)
    throw usageError('--attempt without an event', '--event <id> --attempt <n>', 'name the event');
  const kept = keptAttempts(item);
  const found = kept.findLast(({ n }) => String(n) === written);
  if (found === undefined) {
    const allowed = kept.map(({ n }) => n).join(', ') || 'none: it has not been tried';
    throw usageError(`--attempt: "${written}"`, allowed, 'one of these; --event alone shows the earlier ones, too');
  }
  const { lines, none, code } = await readEventLog(run, item, found.at);
  for (const entry of lines) show(run, entry);
  if (none !== undefined) run.out.note(none);
  if (code === undefined) return;
  run.out.note(`\n${code.file}, as this checkout has it:`);
  for (const { n, text } of code.lines)
    run.out.note(`${n === code.line ? '>' : ' '} ${String(n).padStart(5)}  ${text}`);
}

/** `cause=mismatch`. */
function pairOf(given: string): readonly [string, string] {
  const [, field, value] = /^([A-Za-z_]\w*)=(.+)$/.exec(given) ?? [];
  if (field === undefined || value === undefined)
    throw usageError(`--where: "${given}"`, 'a field of a line and its value', '--where cause=mismatch');
  return [field, value];
}

async function tail(run: Run, filter: Parameters<typeof readLogs>[1], shown: readonly LogEntry[]): Promise<void> {
  const { timer } = await run.gateway();
  const nameOf = ({ at, from, text }: LogEntry): string => `${at} ${from} ${text}`;
  let known = new Set(shown.map(nameOf));
  let since = filter.since;
  while (!run.io.interrupted.aborted) {
    await timer.sleep(POLL_MS);
    if (run.io.interrupted.aborted) return;
    const found = await readLogs(run, { ...filter, since });
    for (const entry of found) if (!known.has(nameOf(entry))) show(run, entry);
    known = new Set(found.map(nameOf));
    since = Math.max(since, run.clock.now() - OVERLAP_MS);
  }
}

function show(run: Run, entry: LogEntry): void {
  const { _aws, ...value } = entry.fields;
  run.out.row({ function: entry.from, ...value }, () => lineOf(entry, run.out));
}

function lineOf(entry: LogEntry, out: Output): string {
  const { at, from, fields } = entry;
  const level = String(fields['level'] ?? 'INFO');
  const style = level === 'ERROR' ? 'red' : level === 'WARN' ? 'yellow' : 'dim';
  const rest = wordsOf(entry).map(([name, text]) => `${out.paint('dim', `${name}=`)}${text}`);
  const stack = Array.isArray(fields['stack']) ? fields['stack'].map(place => `\n    at ${String(place)}`) : [];
  const head = [
    new Date(at).toISOString(),
    from.padEnd(8),
    out.paint(style, level.padEnd(5)),
    String(fields['stage'] ?? ''),
  ];
  return `${[...head, ...rest].join(' ')}${stack.join('')}`;
}
