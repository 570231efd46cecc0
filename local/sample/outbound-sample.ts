/** The sample of sending: a customer with three endpoints on this machine, one message, and what became of it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '#core/time.ts';
import { paint, type Style } from '#local/shell/progress.ts';
import { type Delivery, deliveriesOf } from '#operator/customers/deliveries.ts';
import { askDelivery, type DeliveryApi } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { type LocalReceiver, type ReceivedWebhook, startReceiver } from './receiver.ts';

/** Name of the endpoint, and where on the receiver it leads. */
const ENDPOINTS = [
  { uid: 'healthy', path: '/ok/healthy', about: 'answers' },
  { uid: 'failing-once', path: '/fail/failing-once?times=1', about: 'fails once' },
  { uid: 'hanging', path: '/hang/hanging', about: 'never answers' },
] as const;
/** Those that get it in the end: the sample waits for them, and for nobody who hangs. */
const WAITED_FOR = ENDPOINTS.length - 1;
const TYPE = 'invoice.paid';
const FINISH_LIMIT_MS = MINUTE_MS;
const POLL_MS = 100;

/** A customer's side of this machine. */
export interface SampleCustomer {
  /** `uid:<uid>` of the application. */
  readonly app: string;
  readonly receiver: LocalReceiver;
  /** Names of the endpoints, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** The application and its endpoints, which lead to a receiver that this process runs. */
export async function makeCustomer(
  api: DeliveryApi,
  { uid, onRequest }: { readonly uid: string; readonly onRequest: (received: ReceivedWebhook) => void },
): Promise<SampleCustomer> {
  const secrets: string[] = [];
  const receiver = await startReceiver({ secrets: () => secrets, onRequest });
  const app = `uid:${uid}`;
  try {
    await askDelivery(api, { method: 'PUT', path: ['apps', app], body: { name: 'Sample customer' } });
    const made = await Promise.all(
      ENDPOINTS.map(({ uid: ep, path, about }) => {
        // Waits of seconds: nobody at a terminal waits for minutes. The deadline is that of a customer in a hurry.
        const rules = { schedule: [1, 2, 5, 10, 30], timeout_seconds: 2 };
        const body = { ...rules, uid: ep, url: `${receiver.url}${path}`, description: about };
        const call = { method: 'POST', path: ['apps', app, 'endpoints'], body } as const;
        return askDelivery<{ id: string; secret: string }>(api, call);
      }),
    );
    secrets.push(...made.map(({ secret }) => secret));
    return { app, receiver, names: new Map(made.map(({ id }, at) => [id, ENDPOINTS[at]?.uid ?? ''])) };
  } catch (error) {
    await receiver.stop();
    throw error;
  }
}

export interface OutboundSampleResult {
  readonly message: string;
  readonly deliveries: readonly Delivery[];
  readonly publishedAt: number;
  readonly succeeded: boolean;
  /** What is missing, when it did not succeed. */
  readonly problem?: string;
}

/** Publishes one message and waits until those who answer have it. Throws OperatorError when it is not accepted. */
export async function runOutboundSample(
  operator: Operator,
  api: DeliveryApi,
  customer: SampleCustomer,
  signal: AbortSignal,
): Promise<OutboundSampleResult> {
  const { app, receiver } = customer;
  const body = { key: randomUUID(), type: TYPE, data: { invoice: 'in_1042', amount: 1_200, currency: 'eur' } };
  const publishedAt = Date.now();
  const { id } = await askDelivery<{ id: string }>(api, { method: 'POST', path: ['apps', app, 'messages'], body });
  let deliveries: readonly Delivery[] = [];
  while (!signal.aborted && Date.now() < publishedAt + FINISH_LIMIT_MS) {
    deliveries = await deliveriesOf(operator, app, id);
    if (deliveries.filter(({ status }) => status === 'delivered').length >= WAITED_FOR) break;
    await wait(POLL_MS);
  }
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  const unsigned = receiver.received.find(each => each.id === id && each.signature !== 'verified');
  const succeeded = delivered >= WAITED_FOR && unsigned === undefined;
  const seen = deliveries.map(each => `${customer.names.get(each.endpoint)} ${each.status}`).join(', ');
  const problem = unsigned
    ? `${TYPE}: the receiver says of its signature: ${unsigned.signature}`
    : `${TYPE}: not delivered within ${FINISH_LIMIT_MS / 1_000} s; ${seen || 'no delivery was found'}`;
  return { message: id, deliveries, publishedAt, succeeded, ...(succeeded ? {} : { problem }) };
}

/** Each request of the message as the receiver saw it, and how each delivery stands. */
export function describeDeliveries(customer: SampleCustomer, result: OutboundSampleResult): readonly string[] {
  const requests = customer.receiver.received
    .filter(({ id }) => id === result.message)
    .map(each => `    ${describe(each, `+${each.at - result.publishedAt} ms`.padStart(9))}`);
  const ends = result.deliveries.map(({ endpoint, status, attempt_count: count, held }) => {
    const attempts = count === 0 ? 'waits for its answer' : `${count} attempt${count === 1 ? '' : 's'}`;
    const note = held ? `${attempts}, on hold` : attempts;
    const name = (customer.names.get(endpoint) ?? endpoint).padEnd(13);
    return `    ${paint('dim', '→'.padStart(9))}  ${name} ${paint(styleOf(status), status.padEnd(10))} ${paint('dim', note)}`;
  });
  return [...requests, ...ends];
}

/** One line about a request that came. */
export function describeReceived(received: ReceivedWebhook): string {
  return `  ${describe(received, new Date(received.at).toISOString().slice(11, 19))}`;
}

function describe({ path, headers, signature, answer }: ReceivedWebhook, time: string): string {
  const name = path.split(/[/?]/)[2] ?? path;
  const good = /^2\d\d/.test(answer);
  const attempt = headers['x-webhook-attempt'] ?? '';
  const type = headers['x-webhook-event'] ?? '';
  const said = paint(good ? 'green' : 'yellow', answer.padEnd(10));
  return `${paint('dim', time)}  ${name.padEnd(13)} ${said} ${paint('dim', `${type}, attempt ${attempt}, signature ${signature}`)}`;
}

function styleOf(status: string): Style {
  if (status === 'delivered') return 'green';
  return status === 'dead' || status === 'aborted' ? 'red' : 'cyan';
}
