/**
 * The status API as a function of route, parameters and body; IAM guards it at the front door. Reads go by the indexes,
 * writes are the ones the CLI makes. Every refusal says what was given, what is allowed and what to do.
 */
import type { ConfigProblem } from '../config/check-value.ts';
import type { EventItem } from '../event-item.ts';
import type { SourceId } from '../glossary.ts';
import type { Clock, ControlStore, EventStore, Ids, PayloadStore, WorkQueue } from '../ports.ts';
import type { ResolvedSource } from '../resolved-config.ts';
import { toIso } from '../time.ts';
import { ApiInput } from './api-input.ts';
import type { ApiRoute } from './api-routes.ts';
import { readFilter, type WrittenFilter } from './event-filter.ts';
import { findEvent, reportEvent, reportHistory, summarizeEvent } from './event-report.ts';
import type { WriteRules } from './event-writes.ts';
import { CursorError, type ListStore, listEvents } from './list-events.ts';
import { pauseSource, readPauses, resumeSource } from './pause-source.ts';
import { replayEvent } from './replay-event.ts';
import { cancelReplayJob, createReplayJob, previewReplay, readReplayJob } from './replay-job.ts';
import type { Reply } from './reply.ts';
import { reportJob } from './report-job.ts';

export interface ApiPorts {
  readonly store: ListStore & Pick<EventStore, 'get' | 'update'>;
  readonly payloads: Pick<PayloadStore, 'getDetail' | 'raiseBody' | 'putDetail'>;
  readonly control: ControlStore;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly ids: Ids;
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

/** A dry run counts for so long at most; API Gateway gives up after 30 s. */
const COUNT_LIMIT_MS = 8_000;

export async function answerApi(request: ApiRequest, ports: ApiPorts, rules: ApiRules): Promise<Reply> {
  const api = new Api(request, ports, rules);
  try {
    return await api.answer();
  } catch (error) {
    if (error instanceof CursorError) return refusal(400, 'invalid_cursor', error.message);
    if (error instanceof Refused) return error.reply;
    throw error;
  }
}

class Refused extends Error {
  override readonly name = 'Refused';
  readonly reply: Reply;

  constructor(reply: Reply) {
    super();
    this.reply = reply;
  }
}

class Api {
  private readonly request: ApiRequest;
  private readonly ports: ApiPorts;
  private readonly rules: ApiRules;
  private readonly sources: readonly SourceId[];

  constructor(request: ApiRequest, ports: ApiPorts, rules: ApiRules) {
    this.request = request;
    this.ports = ports;
    this.rules = rules;
    this.sources = rules.sources.map(it => it.id);
  }

  async answer(): Promise<Reply> {
    const { ports } = this;
    switch (this.request.route) {
      case 'GET /events':
        return this.list(this.request.query);
      case 'GET /dead-letters':
        return this.list({ since: '90d', ...this.request.query, status: 'dead_letter' });
      case 'GET /events/{event_id}':
        return json(200, await reportHistory(await this.event(), ports.payloads));
      case 'GET /events/{event_id}/status':
        return json(200, await reportEvent(await this.event(), ports.payloads));
      case 'POST /events/{event_id}/replay':
        return this.replayOne();
      case 'POST /replay-jobs':
        return this.createJob();
      case 'GET /replay-jobs/{job_id}':
        return this.showJob();
      case 'POST /replay-jobs/{job_id}/cancel':
        return this.cancelJob();
      case 'GET /sources':
        return this.listSources();
      case 'POST /sources/{source}/pause':
        return this.pause();
      case 'POST /sources/{source}/resume':
        return this.resume();
    }
  }

  private async event(): Promise<EventItem> {
    const { source } = this.request.query;
    const known = source === undefined ? undefined : this.knownSource(source);
    const found = await findEvent(this.request.path['event_id'] ?? '', known, this.sources, this.ports.store);
    switch (found.kind) {
      case 'found':
        return found.item;
      case 'not_found':
        throw new Refused(
          refusal(404, 'unknown_event', 'No such event; it was never accepted, or its retention is over'),
        );
      case 'ambiguous': {
        const message = `The id exists in several sources; add ?source= with one of: ${found.sources.join(', ')}`;
        throw new Refused(json(409, { error: 'ambiguous_event', message, sources: found.sources }));
      }
    }
  }

  private knownSource(name: string): SourceId {
    const known = this.sources.find(it => it === name);
    if (known !== undefined) return known;
    const message = `No source "${name.slice(0, 60)}"; configured sources: ${this.sources.join(', ')}`;
    throw new Refused(refusal(404, 'unknown_source', message));
  }

  private filter(written: WrittenFilter, now: number) {
    const read = readFilter(written, this.sources, now);
    if (read.kind === 'wrong') throw new Refused(invalid(read.problems));
    return read.filter;
  }

  private async list(query: Readonly<Record<string, string | undefined>>): Promise<Reply> {
    const filter = this.filter(query, this.ports.clock.now());
    const input = new ApiInput({ limit: query['limit'] === undefined ? undefined : Number(query['limit']) });
    const limit = input.number('limit', 1, 500) ?? 50;
    const order = query['order'] ?? 'newest';
    if (order !== 'newest' && order !== 'oldest') {
      input.problem('order', `"${order.slice(0, 40)}"`, 'newest or oldest', 'leave it out for the newest first');
    }
    if (input.problems.length > 0) throw new Refused(invalid(input.problems));
    const way = order === 'oldest' ? 'oldest' : 'newest';
    const page = await listEvents(filter, { limit, cursor: query['cursor'], order: way }, this.ports.store);
    return json(200, {
      events: page.items.map(summarizeEvent),
      next_cursor: page.cursor ?? null,
      looked_to: page.lookedTo === undefined ? null : toIso(page.lookedTo),
    });
  }

  private body(): ApiInput {
    const input = ApiInput.parse(this.request.body);
    if (input === undefined) {
      throw new Refused(refusal(400, 'invalid_body', 'The body is not a JSON object; send one, e.g. {"why":"…"}'));
    }
    return input;
  }

  private async replayOne(): Promise<Reply> {
    const input = this.body();
    const why = input.required('why');
    const newKey = input.boolean('new_key') ?? false;
    const force = input.boolean('force') ?? false;
    const bodySha = input.text('body_sha256', /^[0-9a-f]{64}$/, '64 hex characters');
    const requestId = input.text('request_id', /^[\w-]{1,64}$/, '1 to 64 letters, digits, - and _');
    if (input.problems.length > 0) throw new Refused(invalid(input.problems));
    const item = await this.event();
    const replayId = `api-${requestId ?? this.ports.ids.uuid()}`;
    const request = { replayId, by: this.request.caller, why, newKey, force };
    const result = await replayEvent(
      item,
      bodySha === undefined ? request : { ...request, bodySha },
      this.ports,
      this.rules,
    );
    switch (result.kind) {
      case 'replayed':
      case 'already_replayed':
        return json(202, { outcome: result.kind, ...(await reportEvent(result.item, this.ports.payloads)) });
      case 'body_missing':
        return refusal(409, 'body_missing', 'The body is not kept any more, so the event cannot run again');
      case 'refused':
        return refusal(409, result.reason, REFUSALS[result.reason]);
    }
  }

  private async createJob(): Promise<Reply> {
    const { clock } = this.ports;
    const now = clock.now();
    const input = this.body();
    const dryRun = input.boolean('dry_run') ?? false;
    const why = dryRun ? '' : input.required('why');
    const ratePerSecond =
      input.number('rate_per_second', 1, this.rules.sweepSendsPerSecond) ?? this.rules.replaysPerSecond;
    const limit = input.number('limit', 1, 10_000_000);
    const newKey = input.boolean('new_key') ?? false;
    const asOf = input.time('as_of', now) ?? now;
    const written = input.filter();
    if (Object.values(written).every(value => value === undefined)) {
      const allowed = 'at least one of source, status, type, cause, since, until';
      input.problem('filter', 'none', allowed, 'e.g. {"status":"dead_letter","since":"6h"}');
    }
    if (input.problems.length > 0) throw new Refused(invalid(input.problems));
    const filter = this.filter(written, asOf);
    const meant = { filter, asOf, ...(limit === undefined ? {} : { limit }) };
    if (dryRun) return json(200, await this.count(meant));
    const request = { ...meant, ratePerSecond, newKey, by: this.request.caller, why };
    return json(202, reportJob(await createReplayJob(request, this.ports)));
  }

  private async count(meant: Parameters<typeof previewReplay>[0]) {
    const until = this.ports.clock.now() + COUNT_LIMIT_MS;
    let [count, complete] = [0, true];
    for await (const items of previewReplay(meant, this.ports.store)) {
      count += items.length;
      complete = this.ports.clock.now() < until;
      if (!complete) break;
    }
    return { dry_run: true, count, complete, as_of: toIso(meant.asOf) };
  }

  private async showJob(): Promise<Reply> {
    const found = await readReplayJob(this.request.path['job_id'] ?? '', this.ports.control);
    return found ? json(200, reportJob(found.job)) : unknownJob();
  }

  private async cancelJob(): Promise<Reply> {
    const result = await cancelReplayJob(this.request.path['job_id'] ?? '', this.request.caller, this.ports);
    switch (result.kind) {
      case 'not_found':
        return unknownJob();
      case 'already_over':
        return refusal(409, 'already_over', `The job is over already: ${result.job.state}`);
      case 'cancelled':
        return json(200, reportJob(result.job));
    }
  }

  private async listSources(): Promise<Reply> {
    const pauses = await readPauses(this.ports.control);
    const sources = this.rules.sources.map(({ id, spec, paths }) => {
      const pause = pauses[id];
      return {
        source: id,
        provider: spec.id,
        paths,
        paused: pause === undefined ? null : { by: pause.by, why: pause.why, since: toIso(pause.since) },
      };
    });
    return json(200, { sources });
  }

  private async pause(): Promise<Reply> {
    const source = this.knownSource(this.request.path['source'] ?? '');
    const input = this.body();
    const why = input.required('why');
    if (input.problems.length > 0) throw new Refused(invalid(input.problems));
    const { kind, note } = await pauseSource(source, { by: this.request.caller, why }, this.ports);
    const paused = { by: note.by, why: note.why, since: toIso(note.since) };
    return json(200, { source, changed: kind === 'paused', paused });
  }

  private async resume(): Promise<Reply> {
    const source = this.knownSource(this.request.path['source'] ?? '');
    const { kind } = await resumeSource(source, this.ports);
    return json(200, { source, changed: kind === 'resumed', paused: null });
  }
}

const REFUSALS = {
  running: 'An attempt is running; wait for it, or send {"force":true} (it is fenced)',
  changed: 'Somebody else changed the event a moment ago; look at it again',
  gone: 'The record is gone: its retention is over',
} as const;

function json(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function refusal(status: number, error: string, message: string): Reply {
  return json(status, { error, message });
}

function invalid(problems: readonly ConfigProblem[]): Reply {
  const fields = problems.map(({ path, given, allowed, fix }) => ({ field: path, given, allowed, fix }));
  const message = fields.map(it => `${it.field}: given ${it.given}; allowed: ${it.allowed}; ${it.fix}`).join(' · ');
  return json(400, { error: 'invalid_request', message, problems: fields });
}

function unknownJob(): Reply {
  return refusal(404, 'unknown_job', 'No such replay job; POST /replay-jobs answers with the job_id');
}
