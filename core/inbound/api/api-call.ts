/** One call of the status API: what it brings, what it may use, and how it is refused. */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { ControlStore, EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { WriteRules } from '#core/inbound/protocol/event-writes.ts';
import { type EventFilter, readFilter, type WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { findEvent } from '#core/inbound/search/event-report.ts';
import type { ListStore } from '#core/inbound/search/list-events.ts';
import type { Clock, Ids, Telemetry, WorkQueue } from '#core/ports.ts';
import { type ConfigProblem, object, problemsOf } from '#core/problem.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { capText } from '#core/scan/text.ts';
import { type Body, bodyFields } from './api-fields.ts';
import { API_FIELDS, type ApiRoute } from './api-routes.ts';

export interface ApiPorts {
  readonly store: ListStore & Pick<EventStore, 'get' | 'update'>;
  readonly payloads: Pick<PayloadStore, 'getDetail' | 'raiseBody' | 'putDetail'>;
  readonly control: ControlStore;
  readonly queue: WorkQueue;
  /** Asks the sweeper to run now, and does not wait for its end. */
  readonly beginSweep: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}

export interface ApiRules extends WriteRules {
  readonly sources: readonly ResolvedSource[];
  readonly replaysPerSecond: number;
  readonly sweepSendsPerSecond: number;
}

export interface ApiRequest {
  readonly route: ApiRoute;
  /** Decoded. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
  /** The caller's IAM identity, for the records of replays and pauses. */
  readonly caller: string;
}

export interface ApiCall extends ApiRequest {
  readonly ports: ApiPorts;
  readonly rules: ApiRules;
  readonly sourceIds: readonly SourceId[];
}

/** Characters of a body. The longest useful one has a few hundred. */
const BODY_LIMIT = 16_384;
/** Bytes kept of a reason. */
const REASON_LIMIT = 500;

/** The JSON body, an absent one is an empty object, and what is wrong in it. Throws `Refused` when it is none. */
export function readBody({ body = '', route, rules, ports }: ApiCall) {
  if (body.length > BODY_LIMIT)
    refuse(413, 'too_large', `the body has ${body.length} characters; at most ${BODY_LIMIT} are allowed`);
  const fields = decodeJsonObject(body.trim() === '' ? '{}' : body);
  const { body: known, required = [] } = API_FIELDS[route];
  const allowed = known.length === 0 ? 'none, or an empty one' : `with ${known.join(', ')}`;
  if (fields === undefined) return refuse(400, 'invalid_request', `the body is not a JSON object (${allowed})`);
  const checks = bodyFields(route, rules.sweepSendsPerSecond, ports.clock.now());
  const needed = fields['dry_run'] === true ? [] : required;
  return { fields: fields as Body, problems: problemsOf(fields, object(checks, needed)) };
}

/** The JSON body, each field checked. Throws `Refused` with every problem. */
export function bodyOf(call: ApiCall): Body {
  const { fields, problems } = readBody(call);
  refuseProblems(problems);
  return fields;
}

/** As much of a reason as is kept. */
export const reasonOf = ({ why = '' }: Body): string => capText(why.trim(), REASON_LIMIT);

/** A source by its name. Throws `Refused` (404) when there is none. */
export function sourceOf(name: string, { sourceIds }: ApiCall): SourceId {
  const known = sourceIds.find(it => it === name);
  if (known !== undefined) return known;
  const detail = `no source "${name.slice(0, 60)}"; configured sources: ${sourceIds.join(', ')}`;
  return refuse(404, 'unknown_source', detail);
}

/** The event the path names. Throws `Refused`: 404 when there is none, 409 when several sources have the id. */
export async function eventOf(call: ApiCall): Promise<EventItem> {
  const { source } = call.query;
  const id = call.path['event_id'] ?? '';
  const known = source === undefined ? undefined : sourceOf(source, call);
  const found = await findEvent(id, known, call.sourceIds, call.ports.store);
  switch (found.kind) {
    case 'found':
      return found.item;
    case 'not_found': {
      const place = known === undefined ? 'any source' : `source ${known}`;
      const detail = `no event "${id.slice(0, 80)}" in ${place}: it was never accepted, or its retention is over; GET /events lists what there is`;
      return refuse(404, 'unknown_event', detail);
    }
    case 'ambiguous': {
      const detail = `the id exists in several sources; add ?source= with one of: ${found.sources.join(', ')}`;
      return refuse(409, 'ambiguous_event', detail, { sources: found.sources });
    }
  }
}

/** The filter as meant. `problems`: of the other fields. Throws `Refused` (400) if there are any, in it or in those. */
export function filterOf(
  written: WrittenFilter,
  now: EpochMs,
  problems: readonly ConfigProblem[],
  { sourceIds }: ApiCall,
): EventFilter {
  const read = readFilter(written, sourceIds, now);
  if (read.kind === 'filter' && problems.length === 0) return read.filter;
  refuseProblems([...problems, ...(read.kind === 'wrong' ? read.problems : [])]);
  throw new Error('A filter that is neither right nor wrong');
}
