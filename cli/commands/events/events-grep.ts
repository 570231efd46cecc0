/** `holdfast events grep`: looks for a text in the bodies of a time window. */
import { summarizeEvent } from '#core/inbound/search/event-report.ts';
import { toIso } from '#core/time.ts';
import { grepEvents } from '#operator/events/grep-events.ts';
import { EXIT, type ExitCode, usageError } from '../../cli-error.ts';
import { addFilterOptions, filterOf } from '../../filter-options.ts';
import type { Run, RunCommand } from '../../run.ts';
import { sayReads } from '../../say-reads.ts';
import { eventLine } from '../../show-event.ts';

type Options = Readonly<Record<string, string | undefined>>;

export function addEventsGrep(events: RunCommand): void {
  addFilterOptions(events.command('grep').argument('<text>', 'the text to search for, byte for byte'))
    .description('Search the bodies of events for a text, newest first. It says what the search read and cost')
    .option(
      '--path <path>',
      'search only the value at this path of a JSON body, which must be equal, e.g. data.object.id',
    )
    .option('--cursor <cursor>', 'continue where an earlier search stopped')
    .examples(
      ['holdfast events grep order-1234 --since 2h', 'every event whose body has this text'],
      [
        'holdfast events grep pi_3Px --path data.object.id --source stripe',
        'only where the value there is exactly this',
      ],
    )
    .does(grep);
}

async function grep(run: Run, text: string, options: Options): Promise<ExitCode> {
  if (text === '')
    throw usageError('No text to look for', 'at least one character', 'e.g. holdfast events grep order-1234');
  const filter = filterOf(run, options);
  const { path, cursor } = options;
  // The record, and its body.
  await sayReads(run, filter, { each: 2 });
  const progress = run.out.progress('Reading bodies');
  let hits = 0;
  for await (const step of grepEvents(run, { text, path, cursor, filter, signal: run.io.interrupted })) {
    if (step.kind === 'hit') {
      hits += 1;
      run.out.row({ ...summarizeEvent(step.item), excerpt: step.excerpt }, () => {
        const shown = run.out.paint('dim', step.excerpt.replaceAll('\n', ' '));
        return `${eventLine(step.item, run.out)}\n          ${shown}`;
      });
    } else if (step.kind === 'progress') progress.update(step.tally.read, undefined, `read, ${hits} found`);
    else {
      progress.end();
      const { read, dollars, lookedTo, cursor: goOn } = step.tally;
      run.out.note(
        `${read} bodies read, ${hits} found, about $${dollars.toFixed(6)}; looked back to ${toIso(lookedTo)}`,
      );
      if (goOn !== undefined) run.out.note(`Stopped there. Go on with --cursor ${goOn}`);
    }
  }
  return hits > 0 ? EXIT.ok : EXIT.notFound;
}
