/** What on-call reads when events have died: which, of what, and the commands that show and fix it. */

import { type EpochMs, type SourceId, splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';

export interface DeathView {
  readonly environment: string;
  readonly sourceIds: readonly SourceId[];
  /** Deaths since then are news. */
  readonly since: EpochMs;
}

/** Records that are read, the newest of each source first; more are told as "or more". */
const READ_LIMIT = 100;
const SHOWN_EVENTS = 5;
const SHOWN_GROUPS = 5;

/** The deaths since then, in words; undefined when there are none (any more). */
export async function describeDeaths(
  view: DeathView,
  store: Pick<EventStore, 'attention' | 'getMany'>,
): Promise<string | undefined> {
  const pages = await Promise.all(view.sourceIds.map(source => store.attention(source)));
  const fresh = pages.flatMap(page => page.items.filter(it => Number(it.attentionAt.slice(0, 13)) >= view.since));
  const newest = fresh.toSorted((a, b) => (a.attentionAt < b.attentionAt ? 1 : -1)).slice(0, READ_LIMIT);
  const items = (await store.getMany(newest.map(it => it.pk))).filter(it => it.status === 'dead_letter');
  const [sample] = items;
  if (sample === undefined) return undefined;
  const holdfast = (text: string): string => `npm run holdfast -- ${text} --env ${view.environment}`;
  const many = fresh.length > READ_LIMIT ? ` or more` : '';
  const groups = [...Map.groupBy(items, item => `${splitEventPk(item.pk).sourceId} ${item.cause}`).entries()];
  return [
    `${items.length}${many} event${items.length === 1 ? ' has' : 's have'} just died in ${view.environment}:`,
    ...groups.slice(0, SHOWN_GROUPS).map(([group, members]) => {
      const [source, cause] = group.split(' ');
      return `  ${members.length} of source ${source}, cause ${cause}`;
    }),
    ...items.slice(0, SHOWN_EVENTS).map(it => `  ${toEventId(it.pk)} (${it.eventType}): ${it.lastError}`),
    `Show it: ${holdfast(`events get ${toEventId(sample.pk)}`)}`,
    `Once the cause is fixed: ${holdfast(`replay --source ${splitEventPk(sample.pk).sourceId} --cause ${sample.cause} --since 24h --dry-run`)}`,
  ].join('\n');
}
