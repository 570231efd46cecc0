/** Of sources: what they are, what was refused, the shapes of their events, samples, pauses. */

import { given } from '#core/given.ts';
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import { pause, resume } from '#operator/events/pauses.ts';
import { refusedText } from '#operator/health/needs.ts';
import { readGuide } from '#operator/health/read-guide.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { listRefused, type RefusedRequest, showRefused } from '#operator/refused/refused.ts';
import { sampleEvent } from '#operator/sources/sample-event.ts';
import { sendToSource } from '#operator/sources/send-request.ts';
import { listShapes } from '#operator/sources/shapes.ts';
import type { RefusedDetail, RefusedRow, Sent, ShapeRow } from '../wire.ts';
import { readSources } from './describe-now.ts';
import { reasonOf } from './read-input.ts';
import type { Asked, Route } from './route.ts';

export const SOURCE_ROUTES = [
  { method: 'GET', path: '/api/sources', answer: sources },
  { method: 'GET', path: '/api/sources/:name', answer: source },
  { method: 'GET', path: '/api/sources/:name/refused', answer: refused },
  { method: 'GET', path: '/api/sources/:name/refused/:id', answer: refusedOne },
  { method: 'GET', path: '/api/sources/:name/shapes', answer: shapes },
  { method: 'GET', path: '/api/sources/:name/sample', answer: sample },
  { method: 'POST', path: '/api/sources/:name/send', answer: sendSample },
  { method: 'POST', path: '/api/sources/:name/pause', answer: pauseOne },
  { method: 'POST', path: '/api/sources/:name/resume', answer: resumeOne },
] as const satisfies readonly Route[];

async function sources({ operator }: Asked) {
  return { sources: (await readSources(operator)).rows, now: operator.clock.now() };
}

async function source({ operator, params }: Asked) {
  const { id, spec, settings, allowList, maxBodyBytes, quarantine, retry, unhandled, routes } = operator.source(
    params['name'] ?? '',
  );
  const all = await readSources(operator);
  const view = all.views.find(each => each.id === id);
  const page = await readGuide('providers', spec.id).catch(() => undefined);
  const throttle = operator.deployment.sources.find(each => each.source.id === id)?.throttle;
  return {
    row: all.rows.find(each => each.id === id),
    secret: view?.secret,
    secretChangedAt: view?.secretChangedAt,
    previousUntil: view?.previousUntil,
    settings: [
      ...Object.entries(settings),
      ['largest body', `${maxBodyBytes.toLocaleString('en')} bytes`],
      ['attempts', `${retry.attempts}, waits of up to ${lengthOf(retry.capSeconds)}`],
      ['events no handler takes', unhandled.replace('_', ' ')],
      ['refused requests', quarantine ? 'kept for a short time' : 'not kept'],
      ...(throttle === undefined ? [] : [['throttle', `${throttle.rate} a second, bursts of ${throttle.burst}`]]),
      ...(allowList === undefined ? [] : [['allow list', allowList.join(', ')]]),
      ...(routes ?? []).map(route => [`route ${route.type}`, route.targets.map(it => it.address).join(', ')]),
    ],
    refused: all.refused
      .filter(each => each.source === id)
      .map(each => ({ cause: each.cause, count: each.count, text: refusedText(each) })),
    page,
    now: operator.clock.now(),
  };
}

async function refused({ operator, params }: Asked) {
  const { id, quarantine } = operator.source(params['name'] ?? '');
  const found = await listRefused(operator, { sources: [id], since: 0 });
  return { kept: quarantine, most: REFUSED_SLOTS, refused: found.map(refusedRow), now: operator.clock.now() };
}

async function refusedOne({ operator, params }: Asked): Promise<RefusedDetail> {
  const { id } = operator.source(params['name'] ?? '');
  const found = await showRefused(operator, params['id'] ?? '');
  if (found.source !== id)
    throw new OperatorError(`${found.id} is a refused request of ${found.source}: open it there`, 'not_found');
  return given({ headers: found.headers, text: found.body?.toString('utf8') });
}

function lengthOf(seconds: number): string {
  const [size, unit] = seconds >= 3_600 ? [3_600, 'h'] : seconds >= 120 ? [60, 'min'] : [1, 's'];
  return `${Number((seconds / size).toFixed(1))} ${unit}`;
}

function refusedRow({ id, cause, hint, at, size, likely }: RefusedRequest): RefusedRow {
  return { id, cause, ...given({ hint }), at, size, likely };
}

async function shapes({ operator, params }: Asked) {
  const found: readonly ShapeRow[] = await listShapes(operator, params['name'] ?? '');
  const watched = operator.source(params['name'] ?? '').schemaDrift !== 'off';
  return { shapes: found, watched, now: operator.clock.now() };
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
