/** Replays by the status API: one event now, or many as a job that the sweeper carries out. */
import { askOrSkip } from '#core/ask.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import { cancelReplayJob, createReplayJob, previewReplay, readReplayJob } from '#core/inbound/replay/replay-job.ts';
import { reportJob } from '#core/inbound/replay/report-job.ts';
import { type EventFilter, FILTER_FIELDS } from '#core/inbound/search/event-filter.ts';
import { reportEvent } from '#core/inbound/search/event-report.ts';
import type { ConfigProblem } from '#core/problem.ts';
import { problem } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { parseIso, toIso } from '#core/time.ts';
import { type ApiCall, bodyOf, eventOf, filterOf, readBody, reasonOf } from './api-call.ts';
import { filterIn } from './api-fields.ts';

/** The longest time that a dry run counts; the function has 15 s. */
const COUNT_LIMIT_MS = 8_000;
const NO_FILTER: ConfigProblem = {
  path: 'filter',
  given: 'none',
  allowed: `at least one of ${FILTER_FIELDS.join(', ')}`,
  fix: 'e.g. {"status":"dead_letter","since":"6h"}',
};

const REFUSALS = {
  running: 'an attempt is running; wait for it, or send {"force":true} (it is fenced)',
  changed: 'somebody else changed the event a moment ago; look at it again',
  gone: 'the record is gone: its retention is over',
} as const;

export async function replayOne(call: ApiCall): Promise<Reply> {
  const { ports, rules } = call;
  const body = bodyOf(call);
  const why = reasonOf(body);
  const { new_key: newKey = false, force = false, body_sha256: bodySha, request_id: requestId } = body;
  const item = await eventOf(call);
  const replayId = `api-${requestId ?? ports.ids.uuid()}`;
  const request = { replayId, by: call.caller, why, newKey, force, ...given({ bodySha }) };
  const result = await replayEvent(item, request, ports, rules);
  switch (result.kind) {
    case 'replayed':
    case 'already_replayed':
      return json(202, { outcome: result.kind, ...(await reportEvent(result.item, ports.payloads)) });
    case 'body_missing':
      return problem(409, 'body_missing', 'that body is not kept (any more), so the event cannot run with it');
    case 'refused':
      return problem(409, result.reason, REFUSALS[result.reason]);
  }
}

/** `as_of` of a dry run means the same events, and makes a repeated request harmless: what it replayed is left alone. */
export async function createJob(call: ApiCall): Promise<Reply> {
  const { ports, rules } = call;
  const now = ports.clock.now();
  const { fields, problems } = readBody(call);
  const written = filterIn(fields);
  const asOf = (problems.length === 0 && fields.as_of !== undefined ? parseIso(fields.as_of) : undefined) ?? now;
  const wrong = problems.length === 0 && Object.keys(written).length === 0 ? [NO_FILTER] : problems;
  const meant = { filter: filterOf(written, asOf, wrong, call), asOf, ...given({ limit: fields.limit }) };
  if (fields.dry_run === true) return json(200, await countMeant(meant, call));
  const { rate_per_second: ratePerSecond = rules.replaysPerSecond, new_key: newKey = false } = fields;
  const request = { ...meant, ratePerSecond, newKey, by: call.caller, why: reasonOf(fields) };
  const job = await createReplayJob(request, ports);
  // Where this fails, the run of the next minute begins it.
  await askOrSkip({ telemetry: ports.telemetry, stage: 'begin_replay', fields: { job: job.id } }, ports.beginSweep);
  return json(202, reportJob(job));
}

async function countMeant(meant: { filter: EventFilter; asOf: EpochMs; limit?: number }, { ports }: ApiCall) {
  const until = ports.clock.now() + COUNT_LIMIT_MS;
  let [count, complete] = [0, true];
  for await (const items of previewReplay(meant, ports)) {
    count += items.length;
    complete = ports.clock.now() < until;
    if (!complete) break;
  }
  return { dry_run: true, count, complete, as_of: toIso(meant.asOf) };
}

export async function showJob({ path, ports }: ApiCall): Promise<Reply> {
  const id = jobIdOf(path);
  const found = id === undefined ? undefined : await readReplayJob(id, ports.control);
  return found ? json(200, reportJob(found.job)) : unknownJob();
}

export async function cancelJob(call: ApiCall): Promise<Reply> {
  bodyOf(call);
  const id = jobIdOf(call.path);
  if (id === undefined) return unknownJob();
  const result = await cancelReplayJob(id, call.caller, call.ports);
  switch (result.kind) {
    case 'not_found':
      return unknownJob();
    case 'already_over':
      return problem(409, 'job_over', `the job is over already: ${result.job.state}`);
    case 'canceled':
      return json(200, reportJob(result.job));
  }
}

/** A text that no job can have is not looked for. */
function jobIdOf(path: ApiCall['path']): string | undefined {
  const id = path['job_id'] ?? '';
  return /^rj-[\w-]{1,60}$/.test(id) ? id : undefined;
}

const unknownJob = (): Reply =>
  problem(404, 'unknown_job', 'no such replay job; POST /replay-jobs answers with the job_id');
