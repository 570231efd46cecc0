/** The journeys of the producer's API and of the portal: what was asked for is so, once. */
import type { Stage } from '../stage.ts';
import { answerOf, apiEvent, call } from '../visits.ts';
import type { Journey } from './journey.ts';
import { asked, deliverAll, messageOf, publish } from './sending.ts';

type Visit = readonly [route: string, path: Readonly<Record<string, string>>, body?: unknown];
interface Token {
  readonly token: string;
  readonly application: string;
}

const APP = { app: 'uid:routed' };
const ENDPOINT = '/v1/apps/{app}/endpoints/{ep}';
const REPLAY = `POST ${ENDPOINT}/deliveries/{msg}/replay`;

const endpointId = async (stage: Stage): Promise<string> =>
  (await asked(stage, 'GET /v1/apps/{app}/endpoints', APP)).data[0].id;

/** What a run was prepared with, by its id. */
const prepared = new Map<string, { readonly ep: string; readonly msg: string; readonly token: Token }>();

/** A delivery that is over, and where it went; and a token of its customer. */
async function prepare(stage: Stage, id: string): Promise<void> {
  const msg = await publish(stage, 'routed', messageOf(id, true));
  await deliverAll(stage, 'routed', msg);
  // The producer asks again, and changes nothing.
  await publish(stage, 'routed', messageOf(id, true));
  const token = await asked(stage, 'POST /v1/apps/{app}/portal-tokens', APP, { expires_in_seconds: 86_400 });
  prepared.set(id, { ep: await endpointId(stage), msg, token });
}
const of = (id: string) => prepared.get(id) ?? { ep: '', msg: '', token: { token: '', application: '' } };

/** A call of a customer, who brings a token of its own application. */
async function inPortal(stage: Stage, id: string, [route, path, body]: Visit) {
  const { token, application } = of(id).token;
  const [method, rest = ''] = route.split(' ');
  const bearer = { authorization: `Bearer ${token}` };
  const event = apiEvent(
    `${method} ${rest.replace('/v1/', '/portal/v1/')}`,
    { app: application, ...path },
    body,
    bearer,
  );
  const answer = answerOf(await stage.invoke('Portal', event));
  return { status: answer?.statusCode ?? 0, json: answer?.body ? JSON.parse(answer.body) : undefined };
}

/** As a person does: again until it is answered so. */
async function until(
  work: () => Promise<{ readonly status: number }>,
  ...wanted: readonly number[]
): Promise<string[]> {
  let status = 0;
  for (let n = 0; n < 4; n++) {
    ({ status } = await work());
    if (wanted.includes(status)) return [];
  }
  return [`answered ${status}, not ${wanted.join(' or ')}`];
}

const reader = (id: string): string => `uid:reader-${id}`;
/** What waits, and that it has it. */
async function readOnce(stage: Stage, id: string): Promise<{ readonly status: number }> {
  const ep = reader(id);
  const page = await inPortal(stage, id, [`GET ${ENDPOINT}/messages`, { ep }]);
  if (page.status !== 200 || page.json.cursor === null) return page;
  return inPortal(stage, id, [`POST ${ENDPOINT}/ack`, { ep }, { cursor: page.json.cursor }]);
}

/** A customer who looks at everything, and runs its endpoint through each state. */
const visitsOf = (ep: string, msg: string, id: string): readonly Visit[] => [
  ['GET /v1/session', {}],
  ['GET /v1/apps/{app}/endpoints', {}],
  ['GET /v1/apps/{app}/messages', {}],
  ['GET /v1/apps/{app}/messages/{msg}/body', { msg }],
  ['GET /v1/apps/{app}/feed', {}],
  [`GET ${ENDPOINT}/deliveries`, { ep }],
  [`PATCH ${ENDPOINT}`, { ep }, { description: id }],
  [`POST ${ENDPOINT}/secret/rotate`, { ep }, { request_id: id, grace_seconds: 0 }],
  [`POST ${ENDPOINT}/pause`, { ep }, { why: id }],
  [`POST ${ENDPOINT}/resume`, { ep }, {}],
  [`DELETE ${ENDPOINT}`, { ep }],
];

const whereOf = (id: string) => ({ ...APP, ep: of(id).ep, msg: of(id).msg });
const extra = (id: string): string => `uid:extra-${id}`;

export const CUSTOMERS: readonly Journey[] = [
  {
    ...{ name: 'a delivery is replayed as a new message', function: 'DeliveryApi', stage: 'customers' },
    judged: 'it reached the endpoint once more, under one further webhook-id',
    prepare,
    act: async (stage, id) =>
      void (await stage.invoke('DeliveryApi', apiEvent(REPLAY, whereOf(id), { request_id: id, as_new: true }))),
    check: async (stage, id, { receiver, calm }) => {
      let copy = '';
      const wrong = await until(async () => {
        const answered = await call(stage, 'DeliveryApi', REPLAY, whereOf(id), { request_id: id, as_new: true });
        copy = answered.json.message;
        return answered;
      }, 202);
      await deliverAll(stage, 'routed', copy);
      return [...wrong, ...receiver.judge('/routed', id, { calm, times: 2 })];
    },
  },
  {
    ...{ name: 'a customer replays a delivery', function: 'Portal', stage: 'customers' },
    judged: 'it is delivered again, under the same webhook-id',
    prepare,
    act: async (stage, id) => void (await inPortal(stage, id, [REPLAY, whereOf(id), { request_id: id }])),
    check: async (stage, id, { receiver }) => {
      const wrong = await until(() => inPortal(stage, id, [REPLAY, whereOf(id), { request_id: id }]), 202);
      await deliverAll(stage, 'routed', of(id).msg);
      const { json } = await call(stage, 'DeliveryApi', 'GET /v1/apps/{app}/messages/{msg}/deliveries', {
        ...{ ...APP, msg: of(id).msg },
      });
      const [{ status, generation }] = json.data;
      const over = status === 'delivered' && generation === 2 ? [] : [`${status} in generation ${generation}`];
      return [...wrong, ...over, ...receiver.judge('/routed', id, { calm: false })];
    },
  },
  {
    ...{ name: 'a customer runs its endpoint', function: 'Portal', stage: 'customers' },
    judged: 'each change is made, and the endpoint is gone at the end',
    prepare: async (stage, id) => {
      await prepare(stage, id);
      await asked(
        stage,
        `PUT ${ENDPOINT}`,
        { ...APP, ep: extra(id) },
        { url: 'http://127.0.0.1:1/', types: ['no.type'] },
      );
    },
    act: async (stage, id) => {
      for (const visit of visitsOf(extra(id), of(id).msg, id)) await inPortal(stage, id, visit);
    },
    check: async (stage, id) => {
      const ep = extra(id);
      const wrong: string[] = [];
      const isThere = (await call(stage, 'DeliveryApi', `GET ${ENDPOINT}`, { ...APP, ep })).status === 200;
      for (const visit of isThere ? visitsOf(ep, of(id).msg, id) : []) {
        const found = await until(() => inPortal(stage, id, visit), 200, 201, 204);
        wrong.push(...found.map(told => `${visit[0]}: ${told}`));
      }
      const { status } = await call(stage, 'DeliveryApi', `GET ${ENDPOINT}`, { ...APP, ep });
      return status === 404 ? wrong : [...wrong, `the endpoint is still there: ${status}`];
    },
  },
  {
    ...{ name: 'a customer reads what waits', function: 'Portal', stage: 'customers' },
    judged: 'what it acknowledged is delivered, and is given no more',
    prepare: async (stage, id) => {
      await asked(stage, `PUT ${ENDPOINT}`, { ...APP, ep: reader(id) }, { kind: 'pull' });
      const token = await asked(stage, 'POST /v1/apps/{app}/portal-tokens', APP, { expires_in_seconds: 86_400 });
      const msg = await publish(stage, 'routed', messageOf(id, true));
      await stage.deliver(/DeliveryJobs(?!Dead)/, 'FanOut');
      prepared.set(id, { ep: '', msg, token });
    },
    act: async (stage, id) => void (await readOnce(stage, id)),
    check: async (stage, id) => {
      const wrong = await until(() => readOnce(stage, id), 200);
      const left = await inPortal(stage, id, [`GET ${ENDPOINT}/messages`, { ep: reader(id) }]);
      const { data } = await asked(stage, `GET ${ENDPOINT}/deliveries`, { ...APP, ep: reader(id) });
      await asked(stage, `DELETE ${ENDPOINT}`, { ...APP, ep: reader(id) });
      // Another journey's message may have been fanned out to it, too.
      const mine = data.filter((it: { message: string }) => it.message === of(id).msg);
      const states = mine.map((it: { message: string; status: string }) => `${it.message} ${it.status}`).join();
      return [
        ...wrong,
        ...(states === `${of(id).msg} delivered` ? [] : [`its deliveries are ${states}`]),
        ...(left.json?.data?.length === 0 ? [] : [`given again: ${JSON.stringify(left.json).slice(0, 300)}`]),
      ];
    },
  },
  {
    ...{ name: 'a customer is erased', function: 'Tend', stage: 'customers' },
    judged: 'its messages, their bodies and its configuration are gone',
    only: /DeleteItem|^s3:|^dynamodb:UpdateItem OutboundRegistry|^dynamodb:Query OutboundOutbox$/,
    prepare: async (stage, id) => {
      const app = `uid:${id}`;
      await asked(stage, 'PUT /v1/apps/{app}', { app }, { name: id });
      const { id: appId } = await asked(stage, 'GET /v1/apps/{app}', { app });
      await asked(stage, 'POST /v1/apps/{app}/endpoints', { app }, { url: 'http://127.0.0.1:1/' });
      const answer = answerOf(
        await stage.invoke('Publish', apiEvent('POST /v1/apps/{app}/messages', { app }, messageOf(id, true))),
      );
      const msg = JSON.parse(answer?.body ?? '{}').id;
      const ref = String((await stage.item(/Outbox/, { pk: `M#${msg}`, sk: 'META' }))?.['ref']);
      erased.set(id, { app: appId, msg, ref });
      if ((await stage.objectSize(ref)) === undefined) throw new Error(`there is no body at ${ref}`);
      await call(stage, 'DeliveryApi', 'DELETE /v1/apps/{app}', { app }, undefined, {}, { erase: 'true' });
      // Its endpoints close; the rest waits for sessions that were at work.
      await stage.invoke('Tend', {});
      stage.advance(12);
    },
    act: async stage => void (await stage.invoke('Tend', {})),
    check: async (stage, id) => {
      const { app = '', msg = '', ref = '' } = erased.get(id) ?? {};
      let state = '';
      for (let n = 0; n < 6 && state !== 'erased'; n++) {
        stage.advance(12);
        await stage.invoke('Tend', {});
        state = (await asked(stage, 'GET /v1/apps/{app}/erasure', { app })).state;
      }
      const item = await stage.item(/Outbox/, { pk: `M#${msg}`, sk: 'META' });
      const there = await call(stage, 'DeliveryApi', 'GET /v1/apps/{app}', { app });
      return [
        ...(state === 'erased' ? [] : [`the erasure is ${state}`]),
        ...(item === undefined ? [] : ['its message is there']),
        ...((await stage.objectSize(ref)) ? ['a body is there'] : []),
        ...(there.status === 404 ? [] : [`the application is there: ${there.status}`]),
      ];
    },
  },
];

const erased = new Map<string, { readonly app: string; readonly msg: string; readonly ref: string }>();
