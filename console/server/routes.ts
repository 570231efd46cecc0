/** Everything the page can ask, as a table: each row is one use case of operator/. */

import { toEventId } from '#core/glossary.ts';
import { VERSION } from '#core/version.ts';
import { closeDeaths, meantToClose } from '#operator/close-deaths.ts';
import { compareEvents } from '#operator/compare-events.ts';
import { formatCurl } from '#operator/curl-command.ts';
import { groupDeadByError, moveDeadMessages } from '#operator/dead-letters.ts';
import { findOne } from '#operator/find-one.ts';
import { grepEvents } from '#operator/grep-events.ts';
import { listEvents } from '#operator/list-events.ts';
import { listSources, urlOf } from '#operator/list-sources.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { pause, resume } from '#operator/pauses.ts';
import { readGuide } from '#operator/read-guide.ts';
import { cancelJob, findJob, listJobs, previewOf, replayNow, startReplay } from '#operator/replay.ts';
import { sampleEvent } from '#operator/sample-event.ts';
import { saveAsTest } from '#operator/save-as-test.ts';
import { requestOf, sendToSource } from '#operator/send-request.ts';
import { historyOf, readStoredBody } from '#operator/show-event.ts';
import type { EventBody, EventList, GrepLine, Hello, ReplayPreview, Sent } from '../wire.ts';
import { describeNow, sourceRows } from './describe-now.ts';
import { describeEvent } from './describe-way.ts';
import { meantBy, reasonOf, textOf, wholeOf } from './read-input.ts';
import { alarmRow, jobRow, rowOf } from './rows.ts';

export interface Asked {
  readonly operator: Operator;
  readonly readOnly: boolean;
  readonly program: string;
  /** The variable parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON of a POST. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborted when the page goes away. */
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** `:name` is a variable part. */
  readonly path: string;
  /** Answers an object, or a stream of lines. */
  answer(asked: Asked): Promise<object> | AsyncIterable<object>;
}

/** How long a list looks before it answers with what it has. */
const FIRST_ANSWER_MS = 700;
const MOST_TEXT_BYTES = 4_500_000;

/** Of POSTs it is known that each changes something, here or there: a read-only console refuses them all. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/hello', answer: async asked => hello(asked) },
  { method: 'GET', path: '/api/now', answer: ({ operator }) => describeNow(operator) },
  { method: 'GET', path: '/api/events', answer: events },
  { method: 'GET', path: '/api/grep', answer: grep },
  { method: 'GET', path: '/api/events/:id', answer: event },
  { method: 'GET', path: '/api/events/:id/body', answer: body },
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
  { method: 'GET', path: '/api/sources', answer: sources },
  { method: 'GET', path: '/api/sources/:name', answer: source },
  { method: 'GET', path: '/api/sources/:name/sample', answer: sample },
  { method: 'POST', path: '/api/sources/:name/send', answer: sendSample },
  { method: 'POST', path: '/api/sources/:name/pause', answer: pauseOne },
  { method: 'POST', path: '/api/sources/:name/resume', answer: resumeOne },
  { method: 'GET', path: '/api/alarms', answer: alarms },
  { method: 'GET', path: '/api/runbooks/:name', answer: ({ params }) => runbook(params) },
];

async function hello({ operator, readOnly, program }: Asked): Promise<Hello> {
  const { place } = await operator.gateway();
  const { environment, by, sourceIds } = operator;
  return { environment, place, by, version: VERSION, readOnly, program, sources: sourceIds, now: operator.clock.now() };
}

async function events({ operator, query, signal }: Asked): Promise<EventList> {
  const filter = meantBy(operator, query);
  const limit = wholeOf(query.get('limit') ?? '100', 'limit', 1, 500);
  const until = operator.clock.now() + FIRST_ANSWER_MS;
  const cursor = query.get('cursor') ?? undefined;
  const list = await listEvents(operator, filter, { limit, cursor, until, signal });
  return {
    events: list.items.map(rowOf),
    ...(list.cursor === undefined ? {} : { cursor: list.cursor }),
    lookedTo: list.lookedTo,
    now: operator.clock.now(),
  };
}

async function* grep({ operator, query, signal }: Asked): AsyncGenerator<GrepLine> {
  const text = textOf(query.get('text'), 'text', 200);
  const path = query.get('path') ?? undefined;
  const cursor = query.get('cursor') ?? undefined;
  for await (const step of grepEvents(operator, { text, path, cursor, filter: meantBy(operator, query), signal })) {
    if (step.kind === 'hit') yield { kind: 'hit', hit: { row: rowOf(step.item), excerpt: step.excerpt } };
    else {
      const { cursor: goOn, ...tally } = step.tally;
      yield { kind: step.kind, ...tally, ...(goOn === undefined ? {} : { cursor: goOn }) };
    }
  }
}

async function event({ operator, params }: Asked) {
  const item = await findOne(operator, params['id'] ?? '', undefined);
  return describeEvent(item, await historyOf(operator, item), operator.clock.now());
}

async function body({ operator, params }: Asked): Promise<EventBody> {
  const stored = await readStoredBody(operator, await findOne(operator, params['id'] ?? '', undefined));
  if (stored === undefined)
    throw new OperatorError('Its body is gone: its retention is over. Its history stays', 'not_found');
  const bytes = stored.body.subarray(0, MOST_TEXT_BYTES);
  return { headers: stored.headers, size: stored.body.length, ...textIn(bytes), base64: bytes.toString('base64') };
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
  if (request === undefined) throw new OperatorError('Its body is gone: its retention is over', 'not_found');
  const url = await urlOf(operator, operator.source(rowOf(item).source));
  return { curl: formatCurl(`${url}${request.query}`, request.headers, Buffer.from(request.body).toString('utf8')) };
}

async function compare({ operator, params, query }: Asked) {
  const left = await findOne(operator, params['id'] ?? '', undefined);
  const right = await findOne(operator, textOf(query.get('with'), 'with', 400), undefined);
  return { differences: await compareEvents(operator, left, right), left: rowOf(left), right: rowOf(right) };
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
  if (request === undefined) throw new OperatorError('Its body is gone: its retention is over', 'not_found');
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

async function dead({ operator, query }: Asked) {
  const filter = meantBy(operator, query, { since: '90d', status: 'dead_letter' });
  const { groups, total, inQueue } = await groupDeadByError(operator, filter);
  return {
    groups: groups.map(({ sample: item, ...group }) => ({ ...group, sample: rowOf(item) })),
    total,
    inQueue,
    now: operator.clock.now(),
  };
}

async function purge({ operator, query, body: given, signal }: Asked) {
  const filter = meantBy(operator, query, { since: '365d' });
  const limit = wholeOf(String(given['confirm'] ?? ''), 'confirm', 1, 10_000_000);
  return moveDeadMessages(operator, { verb: 'purge', filter, open: true, rate: 50, limit, dryRun: false, signal });
}

async function closeMany({ operator, query, body: given, signal }: Asked) {
  const items = await meantToClose(operator, meantBy(operator, query, { since: '90d', status: 'dead_letter' }));
  const confirmed = wholeOf(String(given['confirm'] ?? ''), 'confirm', 1, 10_000_000);
  if (items.length !== confirmed)
    throw usageError(`${confirmed} were confirmed, ${items.length} are dead now`, 'the present number', 'look again');
  return closeDeaths(operator, items, { why: reasonOf(given), signal });
}

async function preview({ operator, query, signal }: Asked): Promise<ReplayPreview> {
  const asOf = operator.clock.now();
  const {
    count,
    kinds,
    sample: ids,
  } = await previewOf(operator, { filter: meantBy(operator, query), asOf }, { signal });
  const rate = operator.deployment.config.replaysPerSecond;
  return {
    count,
    kinds: Object.entries(kinds).sort((a, b) => b[1] - a[1]),
    sample: ids,
    ratePerSecond: rate,
    seconds: Math.ceil(count / rate),
    asOf,
  };
}

async function replayMany({ operator, query, body: given }: Asked) {
  const { replaysPerSecond, sweepSendsPerSecond } = operator.deployment.config;
  const job = await startReplay(operator, {
    filter: meantBy(operator, query),
    asOf: wholeOf(String(given['asOf']), 'asOf', 1, operator.clock.now()),
    expected: wholeOf(String(given['expected']), 'expected', 1, 10_000_000),
    ratePerSecond: wholeOf(String(given['rate'] ?? replaysPerSecond), 'rate', 1, sweepSendsPerSecond),
    newKey: given['newKey'] === true,
    why: reasonOf(given),
  });
  return jobRow(job);
}

async function jobs({ operator }: Asked) {
  return { jobs: (await listJobs(operator, 50)).map(jobRow), now: operator.clock.now() };
}

async function cancel({ operator, params }: Asked) {
  const { id } = await findJob(operator, params['id'] ?? '');
  const { kind, job } = await cancelJob(operator, id);
  return { kind, job: jobRow(job) };
}

async function sources({ operator }: Asked) {
  return { sources: await sourceRows(operator), now: operator.clock.now() };
}

async function source({ operator, params }: Asked) {
  const { id, spec, settings, allowList, maxBodyBytes, quarantine, retry, unhandled, routes } = operator.source(
    params['name'] ?? '',
  );
  const row = (await sourceRows(operator)).find(each => each.id === id);
  const view = (await listSources(operator)).find(each => each.id === id);
  const page = await readGuide('providers', spec.id).catch(() => undefined);
  const throttle = operator.deployment.sources.find(each => each.source.id === id)?.throttle;
  return {
    row,
    secret: view?.secret,
    secretChangedAt: view?.secretChangedAt,
    previousUntil: view?.previousUntil,
    settings: [
      ...Object.entries(settings),
      ['largest body', `${maxBodyBytes.toLocaleString('en')} bytes`],
      ['attempts', `${retry.attempts}, waits of up to ${retry.capSeconds} s`],
      ['events no handler takes', unhandled.replace('_', ' ')],
      ['refused requests', quarantine ? 'kept for a short time' : 'not kept'],
      ...(throttle === undefined ? [] : [['throttle', `${throttle.rate} a second, bursts of ${throttle.burst}`]]),
      ...(allowList === undefined ? [] : [['allow list', allowList.join(', ')]]),
      ...(routes ?? []).map(route => [`route ${route.type}`, route.targets.map(it => it.address).join(', ')]),
    ],
    page,
    now: operator.clock.now(),
  };
}

async function sample({ operator, params, query }: Asked) {
  const { spec } = operator.source(params['name'] ?? '');
  const made = sampleEvent(spec.id, new Date(operator.clock.now()), query.get('type') ?? undefined);
  return { body: made.body };
}

async function sendSample({ operator, params, body: given }: Asked): Promise<Sent> {
  const found = operator.source(params['name'] ?? '');
  const made = sampleEvent(found.spec.id, new Date(operator.clock.now()));
  const text = typeof given['body'] === 'string' ? given['body'] : made.body;
  const answer = await sendToSource(operator, found, { ...made, body: Buffer.from(text) });
  return { status: answer.status, ms: answer.ms, body: answer.body.slice(0, 10_000) };
}

async function pauseOne({ operator, params, body: given }: Asked) {
  return pause(operator, operator.source(params['name'] ?? ''), reasonOf(given));
}

async function resumeOne({ operator, params }: Asked) {
  return resume(operator, params['name'] ?? '');
}

async function alarms({ operator }: Asked) {
  const all = await (await operator.gateway()).alarms();
  return { alarms: all.map(alarm => alarmRow(alarm, operator.environment)), now: operator.clock.now() };
}

async function runbook(params: Asked['params']) {
  return { markdown: await readGuide('runbooks', params['name'] ?? '') };
}
