/** What an agent of a customer sees and does: its own application, over the portal's API and nothing beside it. */
import { readFilter } from '#core/inbound/search/event-filter.ts';
import { number } from '#core/problem.ts';
import { toIso } from '#core/time.ts';
import {
  type Caller,
  type DeliveryFilter,
  deliveriesOf,
  listAttempts,
  listDeliveries,
  listEndpoints,
} from '#operator/customers/deliveries.ts';
import type { PortalSession } from '#operator/customers/portal-api.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import type { Acting } from './act-tools.ts';
import { messageView, most } from './body-tool.ts';
import { attemptView, deliveryView, endpointView, oneEndpoint } from './delivery-views.ts';
import { planRetry, RETRY_ARGUMENTS, type RetryArguments } from './retry-tool.ts';
import { ArgumentError, anyId, anyText, argument, type Tool, tool } from './tool.ts';

/** One application, as its token says. */
export interface Customer extends Caller {
  readonly app: string;
  readonly clock: Operator['clock'];
}

export function customerOf(
  api: DeliveryApi,
  { application, subject }: PortalSession,
  clock: Customer['clock'],
): Customer {
  const gateway = { delivery: async () => api };
  return { app: application.id, by: subject ?? 'customer', gateway: async () => gateway, clock };
}

export function customerTools(customer: Customer): readonly Tool[] {
  return [endpointsTool(customer), deliveriesTool(customer), deliveryTool(customer)];
}

const ENDPOINT = argument(anyId, 'its id, ep_…');
const MESSAGE = argument(anyId, 'its id, msg_…');

const endpointsTool = (customer: Customer): Tool =>
  tool<{ readonly endpoint?: string }>({
    name: 'endpoints',
    about: 'Your endpoints and their health. With endpoint: what waits for it, its last day, its last deliveries.',
    args: { endpoint: ENDPOINT },
    run: async ({ endpoint }) =>
      endpoint === undefined
        ? { endpoints: (await listEndpoints(customer, customer.app)).map(endpointView) }
        : oneEndpoint(customer, customer.app, endpoint),
  });

interface DeliveriesArguments extends DeliveryFilter {
  readonly endpoint?: string;
}

const deliveriesTool = (customer: Customer): Tool =>
  tool<DeliveriesArguments>({
    name: 'deliveries',
    about: 'Deliveries, newest first: what was sent to your endpoints, what came back, what waits.',
    args: {
      endpoint: ENDPOINT,
      status: argument(anyText, 'pending, retrying, delivered, dead, aborted, expired, dropped or canceled'),
      type: argument(anyText, 'event type'),
      class: argument(anyText, 'how the last attempt ended, e.g. timeout, denied, server_error'),
      since: argument(anyText, 'published since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago'),
      limit: argument(number(1, 50, 'deliveries'), 'at most as many; default 20'),
    },
    async run({ endpoint: ep, since: written, limit = 20, ...filter }) {
      const since = written === undefined ? undefined : sinceOf(written, customer.clock.now());
      const found = await listDeliveries(customer, { app: customer.app, ep }, { ...filter, since, limit });
      return { deliveries: found.map(deliveryView) };
    },
  });

function sinceOf(written: string, now: number): string {
  const read = readFilter({ since: written }, [], now);
  if (read.kind === 'wrong') throw new ArgumentError(...read.problems);
  return toIso(read.filter.since);
}

interface DeliveryArguments {
  readonly message: string;
  readonly endpoint?: string;
}

const deliveryTool = (customer: Customer): Tool =>
  tool<DeliveryArguments>({
    name: 'delivery',
    about: 'One message: how far it is at each endpoint. With endpoint, too: each attempt and what came back.',
    args: { message: MESSAGE, endpoint: ENDPOINT },
    required: ['message'],
    async run({ message, endpoint: ep }) {
      const { app } = customer;
      const all = await deliveriesOf(customer, app, message);
      const deliveries = all.filter(({ endpoint }) => ep === undefined || endpoint === ep).map(deliveryView);
      if (ep === undefined) return { deliveries };
      return { deliveries, attempts: (await listAttempts(customer, { app, ep, message })).map(attemptView) };
    },
  });

export const customerBodyTool = (customer: Customer): Tool =>
  tool<{ readonly message: string; readonly most?: number }>({
    name: 'body',
    about: 'The body of one message, as it is sent to you.',
    args: { message: MESSAGE, most },
    required: ['message'],
    run: ({ message, most: size }) => messageView(customer, customer.app, message, size),
  });

export const customerRetryTool = (customer: Customer, { confirmations, limit }: Acting): Tool =>
  tool<Omit<RetryArguments, 'app'>>({
    name: 'retry',
    about: `Send again one message to one endpoint, or what is dead at the endpoint, at most ${limit} in a call. The first call is a dry run.`,
    args: RETRY_ARGUMENTS(limit),
    required: ['endpoint', 'why'],
    acts: true,
    run: (args, signal) =>
      confirmations.run('retry', args, signal, () => planRetry(customer, limit, { ...args, app: customer.app })),
  });
