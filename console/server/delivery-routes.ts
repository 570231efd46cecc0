/** Of webhooks to customers: applications, endpoints, messages, deliveries, attempts; replay, test, pause. */
import { randomUUID } from 'node:crypto';
import { given } from '#core/given.ts';
import { isWellState } from '#core/words.ts';
import { PRICES } from '#operator/cost/prices.ts';
import {
  applicationOf,
  daysOf,
  deliveriesOf,
  endpointOf,
  type GateAct,
  healthOf,
  listAttempts,
  listDeliveries,
  listEndpoints,
  listMessages,
  messageBody,
  muchOutbound,
  readOutbound,
  retryDelivery,
  setGate,
  testEndpoint,
  withCounts,
  worstFirst,
} from '#operator/customers/deliveries.ts';
import { usageError } from '#operator/operator-error.ts';
import type { ReadsFirst } from '../wire.ts';
import { reasonOf, wholeOf } from './read-input.ts';
import type { Asked, Route } from './route.ts';

const APP = '/api/out/apps/:app';
const ENDPOINT = `${APP}/endpoints/:ep`;

export const DELIVERY_ROUTES = [
  { method: 'GET', path: '/api/out', answer: overview },
  { method: 'GET', path: APP, answer: application },
  { method: 'GET', path: `${APP}/messages`, answer: messages },
  { method: 'GET', path: `${APP}/messages/:msg`, answer: message },
  { method: 'GET', path: `${APP}/messages/:msg/body`, answer: body },
  { method: 'GET', path: ENDPOINT, answer: endpoint },
  { method: 'GET', path: `${ENDPOINT}/deliveries`, answer: deliveries },
  { method: 'GET', path: `${ENDPOINT}/deliveries/:msg`, answer: attempts },
  { method: 'POST', path: `${ENDPOINT}/deliveries/:msg/replay`, answer: replay },
  { method: 'POST', path: `${ENDPOINT}/test`, answer: test },
  { method: 'POST', path: `${ENDPOINT}/gate`, answer: gate },
] as const satisfies readonly Route[];

const at = ({ params }: Asked): { app: string; ep: string; message: string } => ({
  app: params['app'] ?? '',
  ep: params['ep'] ?? '',
  message: params['msg'] ?? '',
});

async function overview({ operator, query }: Asked) {
  const much = query.get('read') === 'yes' ? undefined : await muchOutbound(operator);
  if (much !== undefined)
    return { reads: { ...much, dollars: (much.units / 1e6) * PRICES.dynamoReadMillion.dollars } } satisfies ReadsFirst;
  const { applications, endpoints, unwell } = await readOutbound(operator);
  return { applications, endpoints, unwell: await worstFirst(operator, unwell), now: operator.clock.now() };
}

async function application(asked: Asked) {
  const { operator } = asked;
  const { app } = at(asked);
  const [found, listed, days] = await Promise.all([
    applicationOf(operator, app),
    listEndpoints(operator, app),
    daysOf(operator, app),
  ]);
  const unwell = listed.filter(({ state }) => !isWellState(state));
  const counts = new Map((await withCounts(operator, unwell)).map(each => [each.id, each]));
  const endpoints = listed.map(each => ({ ...each, ...counts.get(each.id), ...given({ day: days.get(each.id) }) }));
  return { application: found, endpoints, now: operator.clock.now() };
}

async function messages(asked: Asked) {
  const { operator, query } = asked;
  const limit = wholeOf(query.get('limit') ?? '100', 'limit', 1, 1_000);
  const found = await listMessages(operator, at(asked).app, { type: query.get('type') || undefined, limit });
  return { messages: found, now: operator.clock.now() };
}

async function message(asked: Asked) {
  const { app, message: id } = at(asked);
  const { operator } = asked;
  const [deliveries, endpoints] = await Promise.all([deliveriesOf(operator, app, id), listEndpoints(operator, app)]);
  const urls = Object.fromEntries(endpoints.map(({ id: ep, url }) => [ep, url]));
  return { deliveries, urls, now: operator.clock.now() };
}

async function body(asked: Asked) {
  const { app, message: id } = at(asked);
  const bytes = await messageBody(asked.operator, app, id);
  return { size: bytes.length, text: bytes.toString('utf8') };
}

async function endpoint(asked: Asked) {
  const { operator } = asked;
  const { app, ep } = at(asked);
  const [found, health] = await Promise.all([endpointOf(operator, app, ep), healthOf(operator, app, ep)]);
  return { endpoint: found, health, now: operator.clock.now() };
}

async function deliveries(asked: Asked) {
  const { operator, query } = asked;
  const limit = wholeOf(query.get('limit') ?? '100', 'limit', 1, 1_000);
  const { app, ep } = at(asked);
  const filter = { status: query.get('status') || undefined, type: query.get('type') || undefined, limit };
  return { deliveries: await listDeliveries(operator, { app, ep }, filter), now: operator.clock.now() };
}

async function attempts(asked: Asked) {
  const { operator } = asked;
  const place = at(asked);
  const [tried, all] = await Promise.all([
    listAttempts(operator, place),
    deliveriesOf(operator, place.app, place.message),
  ]);
  return { attempts: tried, delivery: all.find(it => it.endpoint === place.ep), now: operator.clock.now() };
}

async function replay(asked: Asked) {
  await retryDelivery(asked.operator, at(asked), { why: reasonOf(asked.body), requestId: randomUUID() });
  return { replayed: true };
}

function test(asked: Asked) {
  return testEndpoint(asked.operator, at(asked));
}

const ACTS: readonly GateAct[] = ['pause', 'resume', 'disable', 'enable', 'trial'];

function gate(asked: Asked) {
  const act = ACTS.find(each => each === asked.body['act']);
  if (act === undefined) throw usageError(`act: "${String(asked.body['act']).slice(0, 40)}"`, ACTS.join(', '), 'pause');
  return setGate(asked.operator, at(asked), act, act === 'trial' ? {} : { why: reasonOf(asked.body) });
}
