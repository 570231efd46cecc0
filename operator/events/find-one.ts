import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { findEvent } from '#core/inbound/search/event-report.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { isShortId, resolveShortId } from './short-id.ts';

/** The event behind our id, its short form, or the provider's id. Throws OperatorError when there is none, or several. */
export async function findOne(operator: Operator, id: string, source: string | undefined): Promise<EventItem> {
  const known = source === undefined ? undefined : operator.source(source).id;
  const { store } = await operator.gateway();
  if (isShortId(id)) {
    const pk = await resolveShortId(operator, id, known === undefined ? operator.sourceIds : [known]);
    const item = await store.get(pk);
    if (item !== undefined) return item;
  }
  const found = await findEvent(id, known, operator.sourceIds, store);
  if (found.kind === 'found') return found.item;
  if (found.kind === 'ambiguous') {
    throw usageError(
      `The id ${id} exists in several sources`,
      found.sources.join(', '),
      `--source ${found.sources[0]}`,
    );
  }
  throw new OperatorError(
    `No event "${id.slice(0, 120)}" in ${operator.environment}: no such event was accepted, or its retention is over.\nLook for it: ${operator.command('events ls --since 7d')}`,
    'not_found',
  );
}

/** The events behind several ids, in their order; one that is named twice, in whatever form, is there once. Throws as `findOne`. */
export async function findEach(
  operator: Operator,
  ids: readonly string[],
  source: string | undefined,
): Promise<readonly EventItem[]> {
  const found = new Map<EventItem['pk'], EventItem>();
  for (const id of ids) {
    const item = await findOne(operator, id, source);
    found.set(item.pk, item);
  }
  return [...found.values()];
}
