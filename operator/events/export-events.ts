/** Events as lines that anybody can read: the status document of each, with what the provider sent. */
import { given } from '#core/given.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { portable } from '#core/inbound/protocol/event-writes.ts';
import { SEE_DETAIL } from '#core/inbound/protocol/keep-result.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { reportEvent } from '#core/inbound/search/event-report.ts';
import { EventSearch } from '#core/inbound/search/list-events.ts';
import { everyPage } from '#core/pages.ts';
import { groupsOf } from '#core/side-by-side.ts';
import type { Operator } from '#operator/operator.ts';
import { readStoredBody } from './show-event.ts';

const PAGE = 100;
/** Bodies of up to megabytes lie in memory together. */
const AT_ONCE = 16;

export type ExportedEvent = Readonly<Record<string, unknown>>;

/** Oldest first, each once. */
export async function* exportEvents(operator: Operator, filter: EventFilter): AsyncGenerator<readonly ExportedEvent[]> {
  const search = new EventSearch(filter, 'oldest', await operator.gateway());
  for await (const page of everyPage(cursor => search.page({ limit: PAGE, cursor })))
    for (const items of groupsOf(page.items, AT_ONCE))
      yield await Promise.all(items.map(item => exported(operator, item)));
}

/**
 * The body as text, or as `body_base64` where it is no UTF-8; `null`: its retention is over. `record` is what an import needs
 * (import-events.ts), `result_text` a result that is too long for it.
 */
async function exported(operator: Operator, item: EventItem): Promise<ExportedEvent> {
  const { payloads } = await operator.gateway();
  const [shown, stored, detail] = await Promise.all([
    reportEvent(item, payloads),
    readStoredBody(operator, item),
    item.result === SEE_DETAIL ? payloads.getDetail(item.pk, `D#${item.gen}`) : undefined,
  ]);
  const report = { ...shown, record: portable(item), ...given({ result_text: detail?.detail }) };
  if (stored === undefined) return { ...report, headers: null, body: null };
  const { headers, body } = stored;
  const text = body.toString('utf8');
  const isText = Buffer.from(text).equals(body);
  return { ...report, headers, ...(isText ? { body: text } : { body_base64: body.toString('base64') }) };
}
