/** The journeys of the sending half: a message reaches its endpoint, as one delivery. */
import type { Receiver } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import { answerOf, apiEvent, call, padding } from '../visits.ts';
import type { Journey } from './journey.ts';

/** A customer and its endpoint: `uid:<name>`, `/<name>`. */
const CUSTOMERS = {
  routed: {},
  filtered: { endpoint: { filter: { all: [{ path: 'data.key', op: 'exists' }] } } },
  flaky: {},
  limited: { limits: { publish_per_second: 1_000 } },
  operations: {},
} as const satisfies Readonly<Record<string, { readonly endpoint?: object; readonly limits?: object }>>;
export type Customer = keyof typeof CUSTOMERS;

const ONE = 'it reached the endpoint, under one webhook-id and with the same bytes';
const JOBS = /DeliveryJobs(?!Dead)/;
export const CHECKED_TYPE = 'invoice.checked';

/** Customers with an endpoint each, and a type whose schema judges what is published. */
export async function openCustomers(stage: Stage, { url }: Receiver): Promise<void> {
  for (const [name, given] of Object.entries(CUSTOMERS)) {
    const { endpoint = {}, limits = {} } = given as { endpoint?: object; limits?: object };
    const app = `uid:${name}`;
    await asked(stage, 'PUT /v1/apps/{app}', { app }, { name, limits });
    await asked(
      stage,
      'POST /v1/apps/{app}/endpoints',
      { app },
      { url: `${url}/${name}`, schedule: [1, 2, 5], ...endpoint },
    );
  }
  const schema = { type: 'object', required: ['key'] };
  await asked(stage, 'PUT /v1/event-types/{name}', { name: CHECKED_TYPE }, { schema, validate: 'reject' });
}

/** A call of the producer that must go well. */
export async function asked(stage: Stage, route: string, path: Record<string, string>, body?: unknown) {
  const answered = await call(stage, 'DeliveryApi', route, path, body);
  if (answered.status >= 300) throw new Error(`${route}: ${answered.status} ${JSON.stringify(answered.json)}`);
  return answered.json;
}

export const messageOf = (key: string, isLarge: boolean, type = 'invoice.paid') => ({
  ...{ key, type },
  data: { key, ...(isLarge ? { padding: padding(key) } : {}) },
});

const publishEvent = (app: Customer, body: unknown): unknown =>
  apiEvent('POST /v1/apps/{app}/messages', { app: `uid:${app}` }, body, { 'content-type': 'application/json' });

/** As a producer does: again until it hears 202. Answers the id. */
export async function publish(stage: Stage, app: Customer, body: unknown): Promise<string> {
  let told = '';
  for (let n = 0; n < 4; n++) {
    const answer = answerOf(await stage.invoke('Publish', publishEvent(app, body)));
    if (answer && answer.statusCode < 300) return JSON.parse(answer.body).id;
    told = JSON.stringify(answer);
  }
  throw new Error(`a message was never accepted: ${told.slice(0, 300)}`);
}

/** Messages and minutes go on until the delivery is over, or long enough. */
export async function deliverAll(stage: Stage, app: Customer, msg: string, stepMinutes = 5): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await stage.deliver(JOBS, 'FanOut');
    await stage.deliver(/WakeFast/, 'DrainFast');
    await stage.deliver(/WakeSlow/, 'DrainSlow');
    const { json } = await call(stage, 'DeliveryApi', 'GET /v1/apps/{app}/messages/{msg}/deliveries', {
      ...{ app: `uid:${app}`, msg },
    });
    const states = (json.data ?? []).map((it: { status: string }) => it.status);
    if (states.length > 0 && states.every((it: string) => it === 'delivered')) return;
    stage.advance(stepMinutes);
    await stage.invoke('Tend', {});
  }
}

interface Way {
  readonly app?: Customer;
  readonly isLarge?: boolean;
  readonly type?: string;
  /** What it is prepared with is published already. @default true */
  readonly published?: boolean;
}

function sending(
  name: string,
  by: string,
  { app = 'routed', isLarge = false, type = 'invoice.paid', published = true }: Way,
  ways: Pick<Journey, 'act'> & { readonly prepare?: Journey['prepare'] },
): Journey {
  return {
    ...{ name, function: by, stage: by === 'Tend' ? 'customers' : 'sending', judged: ONE, act: ways.act },
    prepare: async (stage, id) => {
      if (published) await publish(stage, app, messageOf(id, isLarge, type));
      await ways.prepare?.(stage, id);
    },
    check: async (stage, id, { receiver, calm }) => {
      const msg = await publish(stage, app, messageOf(id, isLarge, type));
      await deliverAll(stage, app, msg);
      return receiver.judge(`/${app}`, id, { calm });
    },
  };
}

/** What publish sent by itself, as it does for few endpoints, is taken away. */
const takeAway = async (stage: Stage): Promise<void> => {
  for (const queue of [JOBS, /WakeFast/, /WakeSlow/]) await stage.drain(queue);
};

/** Ids of messages that nobody publishes again. */
const lostMessages = new Map<string, string>();

export const SENDING: readonly Journey[] = [
  sending(
    'a message is published',
    'Publish',
    { published: false },
    {
      act: async (stage, id) => void (await stage.invoke('Publish', publishEvent('routed', messageOf(id, false)))),
    },
  ),
  sending(
    'a large message is published',
    'Publish',
    { published: false, isLarge: true },
    {
      act: async (stage, id) => void (await stage.invoke('Publish', publishEvent('routed', messageOf(id, true)))),
    },
  ),
  sending(
    'a message is judged by its schema and counted',
    'Publish',
    { published: false, app: 'limited', type: CHECKED_TYPE },
    {
      act: async (stage, id) =>
        void (await stage.invoke('Publish', publishEvent('limited', messageOf(id, false, CHECKED_TYPE)))),
    },
  ),
  sending(
    'a message is fanned out',
    'FanOut',
    {},
    {
      // The job that many endpoints have; publish does without for one.
      prepare: async (stage, id) => {
        const { id: app } = await asked(stage, 'GET /v1/apps/{app}', { app: 'uid:routed' });
        const msg = await publish(stage, 'routed', messageOf(id, false));
        await stage.send(JOBS, JSON.stringify({ v: 1, app, msg }));
      },
      act: async stage => void (await stage.deliver(JOBS, 'FanOut', 1)),
    },
  ),
  sending(
    'a large message is fanned out by its content',
    'FanOut',
    { app: 'filtered', isLarge: true },
    {
      act: async stage => void (await stage.deliver(JOBS, 'FanOut', 1)),
    },
  ),
  {
    ...{ name: 'an operational event is told', function: 'FanOut', stage: 'sending', judged: ONE },
    prepare: async (stage, id) => {
      const data = { endpoint: 'ep_x', application: 'app_x', key: id, padding: padding(id) };
      await stage.send(JOBS, JSON.stringify({ v: 1, op: { type: 'endpoint.disabled', key: id, data } }));
    },
    act: async stage => void (await stage.deliver(JOBS, 'FanOut', 1)),
    check: async (stage, id, { receiver, calm }) => {
      for (let round = 0; round < 3; round++) {
        await stage.deliver(JOBS, 'FanOut');
        await stage.deliver(/WakeFast/, 'DrainFast');
        await stage.deliver(/WakeSlow/, 'DrainSlow');
        stage.advance(5);
        await stage.invoke('Tend', {});
      }
      return receiver.judge('/operations', id, { calm });
    },
  },
  {
    ...{
      name: 'a job of no known form',
      function: 'FanOut',
      stage: 'sending',
      judged: 'in the dead-letter queue, whole',
    },
    prepare: (stage, id) => stage.send(JOBS, `no job: ${id}`),
    act: async stage => void (await stage.deliver(JOBS, 'FanOut', 1)),
    check: async (stage, id) => {
      await stage.deliver(JOBS, 'FanOut');
      return (await stage.drain(/JobsDead/)).includes(`no job: ${id}`) ? [] : ['LOST: not in the dead-letter queue'];
    },
  },
  sending(
    'a delivery is sent',
    'DrainFast',
    {},
    {
      prepare: async stage => void (await stage.deliver(JOBS, 'FanOut')),
      act: async stage => void (await stage.deliver(/WakeFast/, 'DrainFast', 1)),
    },
  ),
  sending(
    'a delivery fails, and is tried again',
    'DrainFast',
    { app: 'flaky' },
    {
      prepare: async stage => void (await stage.deliver(JOBS, 'FanOut')),
      act: async stage => void (await stage.deliver(/WakeFast/, 'DrainFast', 1)),
    },
  ),
  {
    ...{ name: 'a wake-up of no known form', function: 'DrainFast', stage: 'sending' },
    judged: 'in the dead-letter queue, whole',
    prepare: (stage, id) => stage.send(/WakeFast/, `no wake-up: ${id}`),
    act: async stage => void (await stage.deliver(/WakeFast/, 'DrainFast', 1)),
    check: async (stage, id) => {
      await stage.deliver(/WakeFast/, 'DrainFast');
      return (await stage.drain(/WakesDead/)).includes(`no wake-up: ${id}`)
        ? []
        : ['LOST: not in the dead-letter queue'];
    },
  },
  sending(
    'what was left is tended',
    'Tend',
    {},
    {
      prepare: takeAway,
      act: async stage => {
        stage.advance(5);
        await stage.invoke('Tend', {});
      },
    },
  ),
  {
    ...{ name: 'a message whose job was lost is found', function: 'Tend', stage: 'customers', judged: ONE },
    only: /^s3:|^sqs:|^dynamodb:(?:BatchGetItem|GetItem)/,
    prepare: async (stage, id) => {
      lostMessages.set(id, await publish(stage, 'filtered', messageOf(id, true)));
      await takeAway(stage);
      // It is looked for once an hour.
      stage.advance(75);
    },
    act: async stage => void (await stage.invoke('Tend', {})),
    check: async (stage, id, { receiver, calm }) => {
      await deliverAll(stage, 'filtered', String(lostMessages.get(id)), 65);
      return receiver.judge('/filtered', id, { calm });
    },
  },
];
