/** The internal status API as a pure function of method, path and query; IAM guards it at the front door. */
import type { SourceId } from '../glossary.ts';
import type { EventStore, PayloadStore } from '../ports.ts';
import { findEvent, reportEvent } from './event-report.ts';
import type { Reply } from './reply.ts';

export interface ApiPorts {
  readonly store: Pick<EventStore, 'get' | 'getMany'>;
  readonly payloads: Pick<PayloadStore, 'getDetail'>;
}

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** `GET /events/{event_id}/status?source=`: 200, 404 when unknown, 409 when the id exists in several sources. */
export async function answerEventStatus(
  eventId: string,
  source: string | undefined,
  sources: readonly SourceId[],
  ports: ApiPorts,
): Promise<Reply> {
  const known = sources.find(it => it === source);
  if (source !== undefined && known === undefined) {
    const message = `No source "${source.slice(0, 60)}"; configured sources: ${sources.join(', ')}`;
    return json(404, { error: 'unknown_source', message });
  }
  const found = await findEvent(eventId, known, sources, ports.store);
  switch (found.kind) {
    case 'found':
      return json(200, await reportEvent(found.item, ports.payloads));
    case 'not_found':
      return json(404, {
        error: 'unknown_event',
        message: 'No such event; it was never accepted, or its retention is over',
      });
    case 'ambiguous': {
      const message = `The id exists in several sources; add ?source= with one of: ${found.sources.join(', ')}`;
      return json(409, { error: 'ambiguous_event', message, sources: found.sources });
    }
  }
}
