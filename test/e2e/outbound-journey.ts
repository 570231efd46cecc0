/**
 * A customer's endpoints on the local AWS, one healthy, one that fails twice, one that says it is gone: a message, a
 * rotation of secrets, a pause and a resume, a replay. It mostly waits, so it runs beside the other tests.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { systemClock } from '#adapters/system.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { liveRowKey, messageKey, recordKey } from '#core/outbound/protocol/keys.ts';
import { type LocalReceiver, type ReceivedWebhook, startReceiver } from '#local/sample/receiver.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import {
  type Delivery,
  type DeliveryAttempt,
  deliveriesOf,
  healthOf,
  listAttempts,
  retryDelivery,
  setGate,
} from '#operator/customers/deliveries.ts';
import { exportMessages } from '#operator/customers/export-messages.ts';
import { type ImportedMessages, importMessages } from '#operator/customers/import-messages.ts';
import { askDelivery, type DeliveryApi, type DeliveryCall } from '#operator/delivery-api.ts';
import { Operator } from '#operator/operator.ts';
import { type GatewayUnderTest, genericEvent } from './gateway-under-test.ts';

export const APP = 'uid:e2e';
const LIMIT_MS = 120_000;
const ENDPOINTS = {
  healthy: '/verify/healthy',
  failing: '/fail/failing?times=2',
  gone: '/410/gone',
  other: '/ok/other',
} as const;
type Name = keyof typeof ENDPOINTS;
/** The first message, and those after it, which the two that fail do not want: they are on hold by then. */
const FIRST = 'invoice.paid';
const LATER = 'invoice.sent';
/** Of an event that is received, with a route to the customer (test-gateway.config.ts). */
const FORWARDED = 'invoice.forwarded';
const TYPES: Readonly<Record<Name, readonly string[]>> = {
  healthy: [],
  failing: [FIRST],
  gone: [FIRST],
  other: [LATER, FORWARDED],
};

/** How a message stood at each endpoint. */
export type Standing = Readonly<Record<Name, Delivery | undefined>>;

export interface OutboundJourney {
  /** Requests of a message, by endpoint, in the order they came. */
  requests(message: string, name: Name): readonly ReceivedWebhook[];
  readonly first: { readonly id: string; readonly standing: Standing; readonly attempts: readonly DeliveryAttempt[] };
  readonly goneState: string;
  readonly rotated: { readonly id: string; readonly secrets: readonly [before: string, after: string] };
  readonly paused: { readonly id: string; readonly whilePaused: Standing; readonly requestsWhilePaused: number };
  readonly replayed: { readonly id: string; readonly generation: number | undefined };
  /** Requests for an event that was received and went on to the customer. */
  readonly forwarded: { readonly body: string; readonly requests: readonly ReceivedWebhook[] };
  /** Items of two messages, before and after their import, and what it did. */
  readonly moved: {
    readonly waiting: string;
    readonly before: readonly unknown[];
    readonly gone: readonly unknown[];
    readonly after: readonly unknown[];
    readonly first: ImportedMessages;
    readonly again: ImportedMessages;
  };
  /** Publishing with a key that was used: for the same message, and for another one. */
  readonly repeated: { readonly same: { id: string; duplicate: boolean }; readonly other: string };
}

/** A person's tools at the gateway under test. */
export function operatorAt({ aws, deployment }: GatewayUnderTest): Operator {
  const { endpoint, region, credentials } = aws;
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  return new Operator({
    ...{ environment: 'local', clock: systemClock, by: 'e2e', program: 'holdfast' },
    readDeployment: () => deployment,
    openGateway: () => openGateway(deployment, env),
  });
}

/** `close` ends the receiver. */
export async function runOutbound(
  gateway: GatewayUnderTest,
): Promise<{ readonly journey: OutboundJourney; readonly receiver: LocalReceiver }> {
  const operator = operatorAt(gateway);
  const api = await (await operator.gateway()).delivery();
  const secrets: string[] = [];
  const receiver = await startReceiver({ secrets: () => secrets });
  const ids = await makeEndpoints(gateway, api, receiver, secrets);
  const publish = (key: string, amount: number, type = LATER) => {
    const body = { key, type, data: { amount } };
    return ask<{ id: string; duplicate: boolean }>(api, { method: 'POST', path: ['apps', APP, 'messages'], body });
  };
  const standingOf = async (id: string): Promise<Standing> => {
    const all = await deliveriesOf(operator, APP, id);
    const at = (name: Name): Delivery | undefined => all.find(each => each.endpoint === ids[name]);
    return { healthy: at('healthy'), failing: at('failing'), gone: at('gone'), other: at('other') };
  };
  const requests = (message: string, name: Name): readonly ReceivedWebhook[] =>
    receiver.received.filter(({ id, path }) => id === message && path === ENDPOINTS[name]);
  const has = (id: string, name: Name, status: string) => async (): Promise<Standing | undefined> => {
    const standing = await standingOf(id);
    return standing[name]?.status === status ? standing : undefined;
  };

  // 1. One message to all three; the same key again, and for another message.
  const key = randomUUID();
  const { id } = await publish(key, 1, FIRST);
  const repeated = {
    same: await publish(key, 1, FIRST),
    other: await publish(key, 2, FIRST).then(
      () => 'accepted',
      (error: Error) => error.message,
    ),
  };
  const early = until('the healthy endpoint to have the first message', has(id, 'healthy', 'delivered'));
  const standing = await until('the failing one to have it in the end', has(id, 'failing', 'delivered'));
  await early;
  const attempts = await listAttempts(operator, { app: APP, ep: ids.failing, message: id });
  const goneState = (await healthOf(operator, APP, ids.gone)).state;

  // 2. Both secrets sign while the old one is still good.
  const before = secrets[0] ?? '';
  const rotation = { request_id: randomUUID(), grace_seconds: 600 };
  const rotate = ['apps', APP, 'endpoints', ids.healthy, 'secret', 'rotate'];
  const { secret: after } = await ask<{ secret: string }>(api, { method: 'POST', path: rotate, body: rotation });
  // Functions that send know the secrets of an endpoint for five seconds.
  await wait(6_000);
  const second = await publish(randomUUID(), 3);
  await until('the message after the rotation', has(second.id, 'healthy', 'delivered'));

  // 3. Paused: it waits, and the others go on.
  await setGate(operator, { app: APP, ep: ids.healthy }, 'pause', { why: 'their deploy' });
  await wait(3_000);
  const third = await publish(randomUUID(), 4);
  const whilePaused = await until(
    'the others to have what the paused one waits for',
    has(third.id, 'other', 'delivered'),
  );
  const requestsWhilePaused = requests(third.id, 'healthy').length;
  await setGate(operator, { app: APP, ep: ids.healthy }, 'resume', { why: 'deployed' });
  await until('the resumed one to have it', has(third.id, 'healthy', 'delivered'));

  // 4. A replay, asked for twice with one wish.
  const wish = { why: 'they lost it', requestId: randomUUID() };
  const place = { app: APP, ep: ids.healthy, message: id };
  await retryDelivery(operator, place, wish);
  await retryDelivery(operator, place, wish);
  const again = await until('the replay', async () => {
    const { healthy } = await standingOf(id);
    return healthy?.generation === 2 && healthy.status === 'delivered' ? healthy : undefined;
  });

  // 5. An event that is received goes on to the same customer.
  const event = genericEvent(FORWARDED);
  await gateway.sendUntilAcknowledged('default', event);
  const ofEvent = () => receiver.received.filter(({ headers }) => headers['x-webhook-event'] === FORWARDED);
  await until('the received event at both endpoints', () => Promise.resolve(ofEvent().length >= 2 || undefined));
  await gateway.waitUntilFinished(event.pk);

  // 6. A message that waits, and one that is delivered, leave and come back by export and import.
  const moved = await moveMessages(operator, { ids, delivered: third.id, publish: () => publish(randomUUID(), 5) });
  await setGate(operator, { app: APP, ep: ids.healthy }, 'resume', { why: 'it stands still elsewhere' });
  await until('the imported one to be sent', has(moved.waiting, 'healthy', 'delivered'));
  const journey = {
    moved,
    ...{ requests, goneState, repeated, first: { id, standing, attempts } },
    rotated: { id: second.id, secrets: [before, after] as const },
    paused: { id: third.id, whilePaused, requestsWhilePaused },
    replayed: { id, generation: again.generation },
    forwarded: { body: String(event.body), requests: ofEvent() },
  };
  return { journey, receiver };
}

/** Out of the tables, and back by what an export wrote of them. */
async function moveMessages(
  operator: Operator,
  {
    ids,
    delivered,
    publish,
  }: {
    readonly ids: Readonly<Record<Name, string>>;
    readonly delivered: string;
    publish(): Promise<{ readonly id: string }>;
  },
): Promise<OutboundJourney['moved']> {
  const { timer, ...gateway } = await operator.gateway();
  const store = await gateway.outbound();
  await setGate(operator, { app: APP, ep: ids.healthy }, 'pause', { why: 'it moves' });
  const { id: waiting } = await publish();
  const keysOf = async (msg: string) => {
    const message = await store.get(messageKey(msg as MessageId), 'consistent');
    const at = { msg: msg as MessageId, createdAt: message?.createdAt ?? 0 };
    const places = [ids.healthy, ids.other].map(ep => ({ ep: ep as EndpointId, ...at }));
    return [messageKey(at.msg), ...places.map(recordKey), ...places.map(liveRowKey)];
  };
  const hasIt = async (): Promise<true | undefined> =>
    (await deliveriesOf(operator, APP, waiting)).some(({ status }) => status === 'delivered') || undefined;
  await until('the other one to have what the paused one waits for', hasIt);
  const keys = [...(await keysOf(delivered)), ...(await keysOf(waiting))];
  // The list of messages is an index, which lags.
  await timer.sleep(1_000);
  const lines: string[] = [];
  for await (const part of exportMessages(operator)) lines.push(...part.map(each => JSON.stringify(each)));
  const bring = () =>
    importMessages(
      operator,
      async function* () {
        yield* lines;
      },
      { dryRun: false },
    );
  const before = await store.getMany(keys);
  for (const key of keys) await store.delete(key);
  const gone = await store.getMany(keys);
  const [first, again] = [await bring(), await bring()];
  return { waiting, before, gone, first, again, after: await store.getMany(keys) };
}

async function makeEndpoints(
  gateway: GatewayUnderTest,
  api: DeliveryApi,
  receiver: LocalReceiver,
  secrets: string[],
): Promise<Readonly<Record<Name, string>>> {
  await ask(api, { method: 'PUT', path: ['apps', APP], body: { name: 'End to end' } });
  const made = await Promise.all(
    Object.entries(ENDPOINTS).map(async ([uid, path]) => {
      const types = TYPES[uid as Name];
      const body = { uid, types, url: `${receiver.url}${path}`, schedule: [1, 1, 1], timeout_seconds: 5 };
      const call: DeliveryCall = { method: 'POST', path: ['apps', APP, 'endpoints'], body };
      const answer = await ask<{ id: string; secret: string }>(api, call).catch(async (error: Error) => {
        await assertKilled(gateway, error);
        return await ask<{ id: string; secret: string }>(api, call);
      });
      return [uid, answer] as const;
    }),
  );
  secrets.push(...made.map(([, { secret }]) => secret));
  return Object.fromEntries(made.map(([uid, { id }]) => [uid, id])) as Record<Name, string>;
}

/** Throws unless the local AWS lost the process of a function that had printed no error: then a caller asks again. */
async function assertKilled({ clients, stacks }: GatewayUnderTest, error: Error): Promise<void> {
  if (!error.message.includes('Worker process died')) throw error;
  for (const { template, physicalIds } of stacks) {
    for (const [id, resource] of Object.entries(template.Resources ?? {})) {
      const logGroupName = physicalIds[id];
      if (resource.Type !== 'AWS::Logs::LogGroup' || !logGroupName) continue;
      const { events = [] } = await clients.logs.send(new FilterLogEventsCommand({ logGroupName }));
      const wrong = events.map(it => it.message ?? '').filter(it => /Error\b/.test(it) && !it.startsWith('{'));
      if (wrong.length > 0) throw new Error(`${error.message}\n${logGroupName}:\n${wrong.join('\n')}`);
    }
  }
  console.log(`Asked again: ${error.message}`);
}

const ask = <T>(api: DeliveryApi, call: DeliveryCall): Promise<T> => askDelivery<T>(api, call);

/** A busy machine may starve the tables: one looks again. Throws any other error. */
function notInTime(error: Error): undefined {
  if (!/ did not answer in time: /.test(error.message)) throw error;
  console.log(`Looked again: ${error.message}`);
}

/** Throws, with what was waited for. */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + LIMIT_MS;
  while (Date.now() < deadline) {
    const found = await look().catch(notInTime);
    if (found !== undefined) return found;
    await wait(250);
  }
  throw new Error(`Waited for ${what} for ${LIMIT_MS / 1_000} s in vain`);
}
