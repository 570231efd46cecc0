/** What an agent may look at in an environment: the functions of operator/ that the command line and the console call. */
import { given } from '#core/given.ts';
import { EVENT_STATUSES, splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { errorPattern } from '#core/inbound/search/error-pattern.ts';
import type { EventFilter, WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { number } from '#core/problem.ts';
import { SECOND_MS, toIso } from '#core/time.ts';
import { causeWords, stateWord } from '#core/words.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { listEndpoints, readOutbound, worstFirst } from '#operator/customers/deliveries.ts';
import { groupDeadByError } from '#operator/deaths/dead-letters.ts';
import { listWhere, readWhere, WHERE_SINCE } from '#operator/events/find-by-field.ts';
import { findOne } from '#operator/events/find-one.ts';
import { listEvents, readMeant } from '#operator/events/list-events.ts';
import { listJobs } from '#operator/events/replay.ts';
import { historyOf } from '#operator/events/show-event.ts';
import { needsAPerson, needsOf } from '#operator/health/needs.ts';
import { listGuides, readRunbook } from '#operator/health/read-guide.ts';
import { readSystem } from '#operator/health/system-view.ts';
import type { Operator } from '#operator/operator.ts';
import { listRefused, type RefusedRequest, showRefused } from '#operator/refused/refused.ts';
import { endpointView, oneEndpoint } from './delivery-views.ts';
import { handle, outside } from './outside.ts';
import { ArgumentError, anyId, anyText, argument, type Tool, tool } from './tool.ts';

/** A list that takes longer answers with what it found by then, and a cursor. */
const LOOK_MS = 10 * SECOND_MS;
/** As long as dead letters may live. */
const DEATHS_SINCE = '90d';
const MOST_LISTED = 50;
const FEW = 20;

export const FILTER_ARGUMENTS = {
  source: argument(anyText, 'sources, separated by commas'),
  status: argument(anyText, `one or more of ${EVENT_STATUSES.join(', ')}, separated by commas`),
  type: argument(anyText, 'event type, or a prefix such as invoice.*'),
  cause: argument(anyText, 'cause of death or of the last failure; without status only dead letters'),
  error: argument(anyText, 'last error, whatever numbers and ids are in it; without status only dead letters'),
  since: argument(anyText, 'received since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago'),
  until: argument(anyText, 'received before then'),
} as const;
export type FilterArguments = { readonly [Name in keyof typeof FILTER_ARGUMENTS]?: string };

/** Throws ArgumentError with everything that is wrong. */
export function meantBy(operator: Operator, written: WrittenFilter, now?: number): EventFilter {
  const read = readMeant(operator, written, now);
  if (read.kind === 'wrong') throw new ArgumentError(...read.problems);
  return read.filter;
}

/** One line of a list: what a stranger chose is marked. */
function eventView(item: EventItem) {
  const { status, attempts, receivedAt, cause } = item;
  return {
    id: handle(toEventId(item.pk)),
    source: splitEventPk(item.pk).sourceId,
    type: outside(item.eventType),
    status,
    in_words: stateWord(status),
    attempts,
    received_at: toIso(receivedAt),
    ...given({ cause }),
    ...(cause === undefined ? {} : { cause_in_words: causeWords(cause) }),
    last_error: outside(item.lastError),
    action_taken: outside(item.actionTaken),
  };
}

export function lookTools(operator: Operator): readonly Tool[] {
  return [
    statusTool(operator),
    findTool(operator),
    explainTool(operator),
    refusedTool(operator),
    endpointsTool(operator),
    runbookTool(operator),
    costTool(operator),
  ];
}

const statusTool = (operator: Operator): Tool =>
  tool({
    name: 'status',
    about: 'What needs a person now, the gravest first; rates, backlog, dead letters, alarms, replay jobs.',
    args: {},
    async run() {
      const view = await readSystem(operator);
      const now = operator.clock.now();
      const all = needsOf(view, now);
      const needs = needsAPerson(all);
      const { received, main, openDeadLetters, unfinished, processor, customers } = view;
      return {
        environment: operator.environment,
        at: toIso(now),
        healthy: needs.length === 0,
        // Errors of ours and of AWS are in them.
        needs_a_person: needs.map(text => outside(text)),
        notices: all.flatMap(({ text, isNotice }) => (isNotice ? [outside(text)] : [])),
        unread: view.unread.map(({ part, why }) => ({ part, why: outside(why) })),
        received: received ?? null,
        queue: main ?? null,
        open_dead_letters: openDeadLetters ?? null,
        unfinished: unfinished === undefined ? null : { count: unfinished.count, estimated: unfinished.estimated },
        refused: view.refused?.map(each => ({ ...each, lastAt: toIso(each.lastAt) })) ?? null,
        processor: processor ?? null,
        paused: Object.entries(view.pauses ?? {}).map(([source, { since, by, why }]) => ({
          source,
          since: toIso(since),
          by: outside(by),
          why: outside(why),
        })),
        customers: customers ?? null,
        replay_jobs: (await listJobs(operator, 5)).map(({ id, state, by, why, expected, counts }) => ({
          ...{ id, state, by: outside(by), why: outside(why), expected: expected ?? null, counts },
        })),
        alarms: (view.alarms ?? [])
          .filter(({ state }) => state === 'ALARM')
          .map(({ name, since, description }) => ({
            name: outside(name),
            since: toIso(since),
            description: outside(description, 1_000),
          })),
      };
    },
  });

interface FindArguments extends FilterArguments {
  readonly where?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const findTool = (operator: Operator): Tool =>
  tool<FindArguments>({
    name: 'find',
    about: 'Find events, newest first. Without arguments: those of the last 24 hours.',
    args: {
      ...FILTER_ARGUMENTS,
      where: argument(anyText, 'a field that its source declares as searchable, and its value: order=1234'),
      limit: argument(number(1, MOST_LISTED, 'events'), `at most as many; default ${FEW}`),
      cursor: argument(anyText, 'next_cursor of the answer before, with the same other arguments'),
    },
    async run({ where: written, limit = FEW, cursor, ...filter }, signal) {
      const where = written === undefined ? undefined : readWhere(operator, written);
      const since = filter.since ?? (where && WHERE_SINCE);
      const meant = meantBy(operator, { ...filter, since });
      const until = operator.clock.now() + LOOK_MS;
      const found =
        where === undefined
          ? await listEvents(operator, meant, { limit, cursor, until, signal })
          : await listWhere(operator, meant, where, { limit, cursor });
      return {
        events: found.items.map(eventView),
        looked_back_to: toIso(found.lookedTo),
        next_cursor: found.cursor === undefined ? null : handle(found.cursor),
      };
    },
  });

interface ExplainArguments extends Pick<FilterArguments, 'source' | 'since'> {
  readonly id?: string;
}

const explainTool = (operator: Operator): Tool =>
  tool<ExplainArguments>({
    name: 'explain',
    about:
      'Why events died. Without id: what is dead, grouped by source, cause and error, the largest group first. With id: one event, dead or not, with its attempts and replays, and how many died of the same.',
    args: {
      id: argument(anyText, "our id (evt_…), its short form (..d2e84b06), or the provider's id"),
      source: argument(anyText, 'only this source; with id: where the id exists in several'),
      since: argument(anyText, `without id: received since then; default ${DEATHS_SINCE}`),
    },
    run: ({ id, ...filter }) => (id === undefined ? explainAll(operator, filter) : explainOne(operator, id, filter)),
  });

async function explainAll(operator: Operator, { source, since }: ExplainArguments) {
  const filter = meantBy(operator, { source, since: since ?? DEATHS_SINCE, status: 'dead_letter' });
  const { groups, total } = await groupDeadByError(operator, filter);
  return {
    open_dead_letters: total,
    groups: groups.slice(0, FEW).map(each => ({
      source: each.source,
      count: each.count,
      cause: each.cause,
      cause_in_words: causeWords(each.cause),
      error: outside(each.pattern),
      first_at: toIso(each.firstAt),
      last_at: toIso(each.lastAt),
      sample: eventView(each.sample),
    })),
    more_groups: Math.max(0, groups.length - FEW),
  };
}

async function explainOne(operator: Operator, id: string, { source }: ExplainArguments) {
  const item = await findOne(operator, id, source);
  const { timeline } = await historyOf(operator, item);
  return {
    ...eventView(item),
    provider: item.provider,
    size_bytes: item.size,
    timeline: timeline.map(({ at, step, note }) => ({ at, step, note: outside(note) })),
    died_of_the_same: item.status === 'dead_letter' ? await sameDeaths(operator, item) : null,
  };
}

/** Open dead letters of its source with the same cause and error, itself among them. */
async function sameDeaths(operator: Operator, { pk, cause, lastError }: EventItem) {
  const { sourceId } = splitEventPk(pk);
  const filter = meantBy(operator, { source: sourceId, since: DEATHS_SINCE, status: 'dead_letter' });
  // Not as a person writes it: a stranger's error may hold what no argument may.
  const same = { ...filter, ...given({ cause }), error: errorPattern(lastError ?? '') };
  return (await groupDeadByError(operator, same)).total;
}

interface RefusedArguments extends Pick<FilterArguments, 'source' | 'cause' | 'since'> {
  readonly id?: string;
}

const refusedTool = (operator: Operator): Tool =>
  tool<RefusedArguments>({
    name: 'refused',
    about:
      'Requests that were refused and so are no events: the last 20 of each source and cause, what is likely wrong; with id the headers of one, never signatures or credentials. They cannot be replayed: the provider has to send them again.',
    args: {
      id: argument(anyText, 'its id in this list'),
      source: FILTER_ARGUMENTS.source,
      cause: argument(anyText, 'only this cause, e.g. mismatch'),
      since: argument(anyText, 'refused since then; default 72h'),
    },
    async run({ id, source, cause, since }) {
      if (id !== undefined) {
        const request = await showRefused(operator, id);
        const { headers } = request;
        const texts = headers && Object.entries(headers).map(([name, value]) => outside(`${name}: ${value}`));
        return { ...refusedView(request), headers: texts ?? null };
      }
      const filter = meantBy(operator, { source, since: since ?? '72h' });
      const found = await listRefused(operator, { sources: filter.sources, cause, since: filter.since });
      return { refused: found.slice(0, MOST_LISTED).map(refusedView), more: Math.max(0, found.length - MOST_LISTED) };
    },
  });

function refusedView({ id, source, cause, hint, at, size, likely }: RefusedRequest) {
  return { id, source, cause, hint: outside(hint), at: toIso(at), size_bytes: size, likely };
}

interface EndpointsArguments {
  readonly app?: string;
  readonly endpoint?: string;
}

const endpointsTool = (operator: Operator): Tool =>
  tool<EndpointsArguments>({
    name: 'endpoints',
    about:
      "Customers' endpoints and their health. Without arguments: every endpoint that does not get its webhooks now. With app: its endpoints. With endpoint, too: what waits, its last day, its last deliveries.",
    args: {
      app: argument(anyId, 'application: its id, or uid:<uid>'),
      endpoint: argument(anyId, 'its id, or uid:<uid>; needs app'),
    },
    async run({ app, endpoint }) {
      if (endpoint !== undefined && app === undefined)
        throw new ArgumentError({ path: 'endpoint', given: endpoint, allowed: 'with app', fix: 'give app, too' });
      if (app !== undefined && endpoint !== undefined) return oneEndpoint(operator, app, endpoint);
      if (app !== undefined) return { endpoints: (await listEndpoints(operator, app)).map(endpointView) };
      const { applications, endpoints, unwell } = await readOutbound(operator);
      return {
        applications: applications.length,
        endpoints,
        unwell: (await worstFirst(operator, unwell)).slice(0, MOST_LISTED).map(each => ({
          ...endpointView(each),
          application: handle(each.application),
          ...given({ waiting: each.waiting, dead_now: each.dead, dead_more: each.dead_more }),
        })),
        more_unwell: Math.max(0, unwell.length - MOST_LISTED),
      };
    },
  });

const runbookTool = (operator: Operator): Tool =>
  tool<{ readonly name?: string }>({
    name: 'runbook',
    about: 'What to do about an alarm. Without name: the list of runbooks.',
    args: {
      name: argument(anyText, "an alarm's name, a runbook's, or a page that a message names: docs/operate/alarms.md"),
    },
    async run({ name }) {
      if (name === undefined) return { runbooks: await listGuides('runbooks') };
      const { name: runbook, text: markdown } = await readRunbook(operator, name);
      return { runbook, markdown };
    },
  });

interface CostArguments {
  readonly events_per_day?: number;
  readonly body_bytes?: number;
  readonly sources?: number;
}

const costTool = (operator: Operator): Tool =>
  tool<CostArguments>({
    name: 'cost',
    about:
      'Predict the AWS bill of a month in dollars, line by line, from counted units and list prices. It reads no bill.',
    args: {
      events_per_day: argument(number(1, 10_000_000_000, 'events a day'), 'default: 1000000'),
      body_bytes: argument(number(1, 4_400_000, 'bytes'), 'average size of a body; default: 5000'),
      sources: argument(number(1, 400, 'sources'), 'that receive events; default: those of this environment'),
    },
    async run({ events_per_day: perDay = 1_000_000, body_bytes: bytes = 5_000, sources }) {
      const many = sources ?? Math.max(1, operator.sourceIds.length);
      const { basis, lines, total, perMillion } = predictCost(perDay, bytes, 'all', { sources: many });
      return { predicted: true, basis, lines, total_dollars: total, dollars_per_million_events: perMillion };
    },
  });
