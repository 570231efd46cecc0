/**
 * The status API as a function of route, parameters and body; IAM guards it at the front door. Reads go by the indexes,
 * writes are the ones the CLI makes. Every refusal says what was given, what is allowed and what to do.
 */
import { findPaused, pauseSource, readPauses, resumeSource } from '#core/inbound/protocol/pause-source.ts';
import type { PauseNote } from '#core/inbound/protocol/pauses.ts';
import { reportEvent, reportHistory, summarizeEvent } from '#core/inbound/search/event-report.ts';
import { CursorError, listEvents } from '#core/inbound/search/list-events.ts';
import { object, problemsOf } from '#core/problem.ts';
import { answerOrRefuse, refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toIso } from '#core/time.ts';
import {
  type ApiCall,
  type ApiPorts,
  type ApiRequest,
  type ApiRules,
  bodyOf,
  eventOf,
  filterOf,
  reasonOf,
  sourceOf,
} from './api-call.ts';
import { filterIn, queryFields } from './api-fields.ts';
import { cancelJob, createJob, replayOne, showJob } from './api-replays.ts';
import type { ApiRoute } from './api-routes.ts';

type Answer = (call: ApiCall) => Promise<Reply>;

/** Refuses unknown query parameters. A list does it itself, to name them together with wrong values. */
const strict =
  (answer: Answer): Answer =>
  call => {
    refuseProblems(queryProblems(call));
    return answer(call);
  };

const queryProblems = ({ query, route }: ApiCall) => problemsOf(query, object(queryFields(route)));

const ANSWERS: Readonly<Record<ApiRoute, Answer>> = {
  'GET /events': call => list(call),
  'GET /dead-letters': call => list(call, { since: `${call.rules.deadRetentionDays}d`, status: 'dead_letter' }),
  'GET /events/{event_id}': strict(async call =>
    json(200, await reportHistory(await eventOf(call), call.ports.payloads)),
  ),
  'GET /events/{event_id}/status': strict(async call =>
    json(200, await reportEvent(await eventOf(call), call.ports.payloads)),
  ),
  'POST /events/{event_id}/replay': strict(replayOne),
  'POST /replay-jobs': strict(createJob),
  'GET /replay-jobs/{job_id}': strict(showJob),
  'POST /replay-jobs/{job_id}/cancel': strict(cancelJob),
  'GET /sources': strict(listSources),
  'POST /sources/{source}/pause': strict(pause),
  'POST /sources/{source}/resume': strict(resume),
};

export function answerApi(request: ApiRequest, ports: ApiPorts, rules: ApiRules): Promise<Reply> {
  const call = { ...request, ports, rules, sourceIds: rules.sources.map(it => it.id) };
  return answerOrRefuse(
    { telemetry: ports.telemetry, stage: 'api', fields: { route: request.route } },
    'send the request again; a pause, and a replay with the same request_id, happen once',
    () => ANSWERS[request.route](call),
  );
}

async function list(call: ApiCall, fixed: { since?: string; status?: string } = {}): Promise<Reply> {
  const { query, ports } = call;
  const limit = Number(query['limit'] ?? 50);
  const order = query['order'] === 'oldest' ? 'oldest' : 'newest';
  const filter = filterOf({ ...fixed, ...filterIn(query) }, ports.clock.now(), queryProblems(call), call);
  const page = await listEvents(filter, { limit, order, cursor: query['cursor'] }, ports).catch(refuseCursor);
  return json(200, {
    events: page.items.map(summarizeEvent),
    next_cursor: page.cursor ?? null,
    looked_to: page.lookedTo === undefined ? null : toIso(page.lookedTo),
  });
}

function refuseCursor(error: unknown): never {
  if (error instanceof CursorError) return refuse(400, 'invalid_cursor', error.message);
  throw error;
}

async function listSources({ ports, rules }: ApiCall): Promise<Reply> {
  const pauses = await readPauses(ports.control);
  const sources = rules.sources.map(({ id, spec, paths }) => {
    return { source: id, provider: spec.id, paths, paused: reportPause(pauses[id]) };
  });
  return json(200, { sources });
}

async function pause(call: ApiCall): Promise<Reply> {
  const source = sourceOf(call.path['source'] ?? '', call);
  const why = reasonOf(bodyOf(call));
  const { kind, note } = await pauseSource(source, { by: call.caller, why }, call.ports);
  return json(200, { source, changed: kind === 'paused', paused: reportPause(note) });
}

async function resume(call: ApiCall): Promise<Reply> {
  const name = call.path['source'] ?? '';
  const source = (await findPaused(name, call.ports.control)) ?? sourceOf(name, call);
  bodyOf(call);
  const { kind } = await resumeSource(source, call.ports);
  return json(200, { source, changed: kind === 'resumed', paused: null });
}

function reportPause(note: PauseNote | undefined) {
  return note === undefined ? null : { by: note.by, why: note.why, since: toIso(note.since) };
}
