/**
 * Handlers of the end-to-end test. In the copy of the app that is deployed there, this file is handlers/index.ts and the
 * shipped registry is handlers/shipped.ts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  defineHandlers,
  done,
  type Handler,
  type HandlerRegistry,
  handlerEnv,
  PermanentError,
  stateMachine,
} from 'holdfast';
import { trackInvoice } from '#handlers/examples/invoice-states.ts';
import { refreshOrder } from '#handlers/examples/order-fetch.ts';
import { shopOrders } from '#handlers/examples/shop-orders.ts';
import { keepSubscription } from '#handlers/examples/subscription-latest.ts';
import { drill } from '#local/drills/drill-handler.ts';
import { handlers as shipped } from '#test/fixtures/project/handlers/index.ts';

const countEffect: Handler = async (event, context) => {
  context.transact([
    {
      kind: 'update',
      table: handlerEnv('PAYMENTS_TABLE'),
      key: { paymentId: `effect of ${event.id}` },
      set: { attempt: context.attempt },
      add: { timesApplied: 1 },
    },
  ]);
  return done({ actionTaken: 'counted' });
};

/** The address of outside-world.ts takes the place of this one. */
const fetchOrder = refreshOrder(shopOrders('http://127.0.0.1:9', 'token'));

const subscriptions = stateMachine({
  initial: ['created'],
  moves: { created: ['updated', 'cancelled'], updated: ['cancelled'], cancelled: [] },
});
const trackSubscription: Handler = async (event, context) =>
  subscriptions.move(event, context, {
    entity: { table: handlerEnv('SUBSCRIPTIONS_TABLE'), key: { id: event.subject ?? '' } },
    to: event.type.replace('subscription.', '') as 'created',
  });

/** A strategy's handler for events whose type begins with its name: the examples then see the type they know. */
function strategy(name: string, handlers: Readonly<Record<string, Handler>>) {
  return Object.entries(handlers).map(([type, handle]) => ({
    source: 'default',
    type: `${name}.${type}`,
    handle: ((event, context) =>
      handle({ ...event, type: event.type.slice(name.length + 1) }, context)) satisfies Handler,
  }));
}

const own = defineHandlers([
  ...strategy('latest-wins', { '*': keepSubscription }),
  ...strategy('fetch-latest', { '*': fetchOrder }),
  ...strategy('state-machine', { 'invoice.*': trackInvoice, 'subscription.*': trackSubscription }),
  { source: 'default', type: 'test.effect', handle: countEffect },
  { source: 'default', type: 'drill.*', handle: drill({ table: 'PAYMENTS_TABLE', key: 'paymentId' }) },
  {
    source: 'default',
    type: 'test.throws',
    handle: async event => {
      const { order } = event.payload as { order?: { id: string } };
      // The mistake of this handler: not every event has one.
      return done({ actionTaken: `paid ${order!.id}` });
    },
  },
  {
    source: 'default',
    // Refuses for good until somebody fixes it: until the row is there.
    type: 'test.schema*',
    handle: async (event, context) => {
      const fixed = await context.read(handlerEnv('PAYMENTS_TABLE'), { paymentId: 'schema fixed' });
      if (fixed === undefined) throw new PermanentError('the schema has changed', { label: 'schema' });
      return await countEffect(event, context);
    },
  },
  {
    source: 'default',
    // Long enough to be killed in the middle; only the first attempt waits.
    type: 'test.slow',
    handle: async (event, context) => {
      if (context.attempt === 1) await wait(7_000, undefined, { signal: context.signal });
      return await countEffect(event, context);
    },
  },
]);

export const handlers: HandlerRegistry = {
  find: (source, eventType) => own.find(source, eventType) ?? shipped.find(source, eventType),
};
