/**
 * Handlers of the end-to-end test. In the copy of the app that is deployed there, this file is handlers/index.ts and the
 * shipped registry is handlers/shipped.ts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { defineHandlers, done, type Handler, type HandlerRegistry } from '#core/inbound/handler-contract.ts';
import { handlerEnv } from '#handlers/handler-env.ts';
import { handlers as shipped } from '#handlers/index.ts';

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

const own = defineHandlers([
  { source: 'default', type: 'test.effect', handle: countEffect },
  {
    source: 'default',
    type: 'test.throws',
    handle: () => Promise.reject(new Error('this handler always throws')),
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
