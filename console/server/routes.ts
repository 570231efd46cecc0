/** Everything the page can ask, as a table: each row is one use case of operator/. */

import { given } from '#core/given.ts';
import { toEventId } from '#core/glossary.ts';
import { signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { closeDeaths, meantToClose } from '#operator/deaths/close-deaths.ts';
import { groupDeadByError, moveDeadMessages } from '#operator/deaths/dead-letters.ts';
import { compareEvents } from '#operator/events/compare-events.ts';
import { mostOf } from '#operator/events/expected-reads.ts';
import { listWhere, readWhere, searchableFields, WHERE_SINCE } from '#operator/events/find-by-field.ts';
import { findOne } from '#operator/events/find-one.ts';
import { grepEvents } from '#operator/events/grep-events.ts';
import { listEvents } from '#operator/events/list-events.ts';
import { cancelJob, findJob, listJobs, previewOf, replayNow, startReplay } from '#operator/events/replay.ts';
import { saveAsTest } from '#operator/events/save-as-test.ts';
import { historyOf, readStoredBody } from '#operator/events/show-event.ts';
import { readEventLog } from '#operator/health/event-log.ts';
import { wordsOf } from '#operator/health/read-logs.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { formatCurl } from '#operator/sources/curl-command.ts';
import { urlOf } from '#operator/sources/list-sources.ts';
import { requestOf } from '#operator/sources/send-request.ts';
import type {
  DeadView,
  EventBody,
  EventList,
  EventLogView,
  GrepLine,
  Hello,
  LogRow,
  ReadsFirst,
  ReplayPreview,
  Sent,
} from '../wire.ts';
import { ALARM_ROUTES } from './alarm-routes.ts';
import { DELIVERY_ROUTES } from './delivery-routes.ts';
import { describeNow } from './describe-now.ts';
import { describeEvent } from './describe-way.ts';
import { meantBy, reasonOf, textOf, wholeOf } from './read-input.ts';
import { readsFirst } from './reads-first.ts';
import type { Asked, Route } from './route.ts';
import { jobRow, rowOf } from './rows.ts';
import { SOURCE_ROUTES } from './source-routes.ts';

/** How long a list looks before it answers with what it has. */
const FIRST_ANSWER_MS = 700;
/** Events of a page of the list: what fits on a screen, for less than fifty read units. */
const PAGE = '30';
const MOST_TEXT_BYTES = 4_500_000;

/** Of POSTs it is known that each changes something, here or there: a read-only console refuses them all. */
export const ROUTES = [
  { method: 'GET', path: '/api/hello', answer: async asked => hello(asked) },
  { method: 'GET', path: '/api/now', answer: ({ operator }) => describeNow(operator) },
  { method: 'GET', path: '/api/events', answer: events },
  { method: 'GET', path: '/api/grep', answer: grep },
  { method: 'GET', path: '/api/events/:id', answer: event },
  { method: 'GET', path: '/api/events/:id/body', answer: body },
  { method: 'GET', path: '/api/events/:id/log', answer: log },
  { method: 'GET', path: '/api/events/:id/curl', answer: curl },
  { method: 'GET', path: '/api/events/:id/compare', answer: compare },
  { method: 'POST', path: '/api/events/:id/replay', answer: replayOne },
  { method: 'POST', path: '/api/events/:id/send', answer: sendOn },
  { method: 'POST', path: '/api/events/:id/save', answer: save },
  { method: 'GET', path: '/api/dead', answer: dead },
  { method: 'POST', path: '/api/dead/purge', answer: purge },
  { method: 'POST', path: '/api/dead/close', answer: closeMany },
  { method: 'GET', path: '/api/replay', answer: preview },
  { method: 'POST', path: '/api/replay', answer: replayMany },
  { method: 'GET', path: '/api/jobs', answer: jobs },
  { method: 'POST', path: '/api/jobs/:id/cancel', answer: cancel },
  ...SOURCE_ROUTES,
  ...ALARM_ROUTES,
  ...DELIVERY_ROUTES,
] as const satisfies readonly Route[];

/** The path of each row that only looks. */
export type LookPath = Extract<(typeof ROUTES)[number], { readonly method: 'GET' }>['path'];

/** The rows of this path, one for each method, with the variable parts of the path. */
export function routesAt(pathname: string): readonly { readonly route: Route; readonly params: Asked['params'] }[] {
  const parts = pathname.split('/');
  return ROUTES.flatMap((route: Route) => {
    const pattern = route.path.split('/');
    const params: Record<string, string> = {};
    const fits =
      pattern.length === parts.length &&
      pattern.every((part, n) => {
        const given = parts[n] ?? '';
        if (!part.startsWith(':')) return part === given;
        try {
          params[part.slice(1)] = decodeURIComponent(given);
          return given !== '';
        } catch {
          return false;
        }
      });
    return fits ? [{ route, params }] : [];
  });
}

async function hello({ operator, readOnly, program }: Asked): Promise<Hello> {
  const { place } = await operator.gateway();
  const { environment, by, sourceIds } = operator;
  const searchable = [...searchableFields(operator).keys()];
  const outbound = operator.deployment.config.outbound !== undefined;
  const now = operator.clock.now();
  return { environment, place, by, readOnly, program, sources: sourceIds, outbound, searchable, now };
}

async function events(asked: Asked): Promise<EventList | ReadsFirst> {
  const { operator, query, signal } = asked;
  const written = query.get('where');
  const where = written ? readWhere(operator, written) : undefined;
  const filter = meantBy(operator, query, where === undefined ? {} : { since: WHERE_SINCE });
  const limit = wholeOf(query.get('limit') ?? PAGE, 'limit', 1, 500);
  const first = where === undefined ? await readsFirst(asked, filter, mostOf(filter, limit)) : undefined;
  if (first !== undefined) return first;
  const until = operator.clock.now() + FIRST_ANSWER_MS;
  const cursor = query.get('cursor') ?? undefined;
  const list = await (where === undefined
    ? listEvents(operator, filter, { limit, cursor, until, signal })
    : listWhere(operator, filter, where, { limit, cursor }));
  return {
    events: list.items.map(rowOf),
    ...given({ cursor: list.cursor }),
    lookedTo: list.lookedTo,
    now: operator.clock.now(),
  };
}

async function* grep(asked: Asked): AsyncGenerator<GrepLine> {
  const { operator, query, signal } = asked;
  const text = textOf(query.get('text'), 'text', 200);
  const path = query.get('path') ?? undefined;
  const cursor = query.get('cursor') ?? undefined;
  const filter = meantBy(operator, query);
  const first = await readsFirst(asked, filter, { each: 2 });
  if (first !== undefined) {
    yield { kind: 'reads', ...first };
    return;
  }
  for await (const step of grepEvents(operator, { text, path, cursor, filter, signal })) {
    if (step.kind === 'hit') yield { kind: 'hit', hit: { row: rowOf(step.item), excerpt: step.excerpt } };
    else {
      const { cursor: goOn, ...tally } = step.tally;
      yield { kind: step.kind, ...tally, ...given({ cursor: goOn }) };
    }
  }
}

async function event({ operator, params }: Asked) {
  const item = await findOne(operator, params['id'] ?? '', undefined);
  return describeEvent(item, await historyOf(operator, item), operator.clock.now());
}

async function body({ operator, params }: Asked): Promise<EventBody> {
  const item = await findOne(operator, params['id'] ?? '', undefined);
  const stored = await readStoredBody(operator, item);
  if (stored === undefined)
    throw new OperatorError('The body of this event is gone: its retention is over. Its history stays', 'not_found');
  const bytes = stored.body.subarray(0, MOST_TEXT_BYTES);
  const { spec } = operator.source(rowOf(item).source);
  return {
    headers: stored.headers,
    dropped: signatureHeadersOf(spec),
    size: stored.body.length,
    ...textIn(bytes),
    base64: bytes.toString('base64'),
  };
}

function textIn(bytes: Buffer): { text?: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return {};
  }
}

async function curl({ operator, params }: Asked) {
  const item = await findOne(operator, params['id'] ?? '', undefined);
  const request = await requestOf(operator, item, { sign: true });
  if (request === undefined)
    throw new OperatorError('The body of this event is gone: its retention is over', 'not_found');
  const url = await urlOf(operator, operator.source(rowOf(item).source));
  return { curl: formatCurl(`${url}${request.query}`, request.headers, Buffer.from(request.body).toString('utf8')) };
}

async function log({ operator, params, query }: Asked): Promise<EventLogView> {
  const item = await findOne(operator, params['id'] ?? '', undefined);
  const at = query.get('at');
  const found = await readEventLog(operator, item, at ? wholeOf(at, 'at', 1, operator.clock.now()) : undefined);
  const lines = found.lines.map((entry): LogRow => {
    const { at, from, fields } = entry;
    const { level = 'INFO', stage, stack } = fields;
    const places = Array.isArray(stack) ? stack.map(String) : [];
    return { at, from, level: String(level), stage: String(stage ?? ''), words: wordsOf(entry), places };
  });
  return { ...found, lines };
}

async function compare({ operator, params, query }: Asked) {
  const left = await findOne(operator, params['id'] ?? '', undefined);
  const right = await findOne(operator, textOf(query.get('with'), 'with', 400), undefined);
  return { differences: await compareEvents(operator, left, right) };
}

async function replayOne({ operator, params, body: given }: Asked) {
  const item = await findOne(operator, params['id'] ?? '', undefined);
  const request = { why: reasonOf(given), newKey: given['newKey'] === true, force: given['force'] === true };
  return { outcome: await replayNow(operator, item, { ...request, face: 'console' }), id: toEventId(item.pk) };
}

async function sendOn({ operator, params, body: given }: Asked): Promise<Sent> {
  const url = textOf(given['url'], 'url', 400);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || !isHere(new URL(url).hostname))
    throw usageError(`url: "${url.slice(0, 80)}"`, 'an address of this machine', 'http://localhost:3000/webhooks');
  const item = await findOne(operator, params['id'] ?? '', undefined);
  const request = await requestOf(operator, item, { sign: given['sign'] === true });
  if (request === undefined)
    throw new OperatorError('The body of this event is gone: its retention is over', 'not_found');
  const { http } = await operator.gateway();
  const { status, ms, body: answer } = await http(`${url}${request.query}`, request);
  return { status, ms, body: answer.slice(0, 10_000) };
}

function isHere(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host);
}

async function save({ operator, params }: Asked) {
  return saveAsTest(operator, await findOne(operator, params['id'] ?? '', undefined));
}

async function dead(asked: Asked): Promise<DeadView | ReadsFirst> {
  const { operator, query } = asked;
  const filter = meantBy(operator, query, { since: '90d', status: 'dead_letter' });
  const first = await readsFirst(asked, filter);
  if (first !== undefined) return first;
  const { groups, total, inQueue } = await groupDeadByError(operator, filter);
  return {
    groups: groups.map(({ sample: item, ...group }) => ({ ...group, sample: rowOf(item) })),
    total,
    inQueue,
    now: operator.clock.now(),
  };
}

/** What a message of the dead-letter queue, which may have no event, is chosen by. */
const PURGED_BY = ['source', 'cause', 'error'];

async function purge({ operator, query, body: given, signal }: Asked) {
  const other = [...query.keys()].find(name => !PURGED_BY.includes(name));
  if (other !== undefined) throw usageError(`"${other}" of a purge`, PURGED_BY.join(', '), 'leave it out');
  const filter = meantBy(operator, query, { since: '365d' });
  const limit = wholeOf(String(given['confirm'] ?? ''), 'confirm', 1, 10_000_000);
  return moveDeadMessages(operator, { verb: 'purge', filter, open: true, rate: 50, limit, dryRun: false, signal });
}

async function closeMany({ operator, query, body: given, signal }: Asked) {
  const items = await meantToClose(operator, meantBy(operator, query, { since: '90d', status: 'dead_letter' }));
  const confirmed = wholeOf(String(given['confirm'] ?? ''), 'confirm', 1, 10_000_000);
  if (items.length !== confirmed)
    throw usageError(
      `${confirmed} dead letters were confirmed, but there are ${items.length} now`,
      'the present number',
      'load the list again, then confirm',
    );
  return closeDeaths(operator, items, { why: reasonOf(given), signal });
}

/** A job stores a filter, which knows nothing of searchable fields: it would replay far more than is on the screen. */
function refuseWhere(query: URLSearchParams): void {
  if (query.get('where'))
    throw usageError(
      'a replay job with a searchable field as its filter',
      'the other filters',
      'select the events one by one instead',
    );
}

async function preview(asked: Asked): Promise<ReplayPreview | ReadsFirst> {
  const { operator, query, signal } = asked;
  refuseWhere(query);
  const filter = meantBy(operator, query);
  const first = await readsFirst(asked, filter);
  if (first !== undefined) return first;
  const asOf = operator.clock.now();
  const { count, kinds } = await previewOf(operator, { filter, asOf }, { signal });
  const rate = operator.deployment.config.replaysPerSecond;
  return {
    count,
    kinds: Object.entries(kinds).sort((a, b) => b[1] - a[1]),
    ratePerSecond: rate,
    seconds: Math.ceil(count / rate),
    asOf,
  };
}

async function replayMany({ operator, query, body: given }: Asked) {
  refuseWhere(query);
  const { replaysPerSecond, sweepSendsPerSecond } = operator.deployment.config;
  const { job, waits } = await startReplay(operator, {
    filter: meantBy(operator, query),
    asOf: wholeOf(String(given['asOf']), 'asOf', 1, operator.clock.now()),
    expected: wholeOf(String(given['expected']), 'expected', 1, 10_000_000),
    ratePerSecond: wholeOf(String(given['rate'] ?? replaysPerSecond), 'rate', 1, sweepSendsPerSecond),
    newKey: given['newKey'] === true,
    why: reasonOf(given),
  });
  return { ...jobRow(job, operator.clock.now()), ...(waits === undefined ? {} : { waits }) };
}

async function jobs({ operator }: Asked) {
  const now = operator.clock.now();
  return { jobs: (await listJobs(operator, 50)).map(job => jobRow(job, now)), now };
}

async function cancel({ operator, params }: Asked) {
  const { id } = await findJob(operator, params['id'] ?? '');
  const { kind, job } = await cancelJob(operator, id);
  return { kind, job: jobRow(job, operator.clock.now()) };
}
