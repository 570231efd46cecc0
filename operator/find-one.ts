import type { Run } from '#cli/run.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { findEvent } from '#core/inbound/search/event-report.ts';
import { CliError, EXIT, usageError } from './operator-error.ts';

/** The event behind our id, or behind the provider's. Throws CliError when there is none, or several. */
export async function findOne(run: Run, id: string, source: string | undefined): Promise<EventItem> {
  const known = source === undefined ? undefined : run.source(source).id;
  const { store } = await run.gateway();
  const found = await findEvent(id, known, run.sourceIds, store);
  if (found.kind === 'found') return found.item;
  if (found.kind === 'ambiguous') {
    throw usageError(
      `The id ${id} exists in several sources`,
      found.sources.join(', '),
      `--source ${found.sources[0]}`,
    );
  }
  throw new CliError(
    `No event "${id.slice(0, 120)}" in ${run.environment}: it was never accepted, or its retention is over.\nLook for it: ${run.command('events ls --since 7d')}`,
    EXIT.notFound,
  );
}
