/** The gateway's own source: events the probe sends to itself, to be handled by nothing of the user's. */
import { PROBE_SOURCE } from '#core/glossary.ts';
import { done, type HandlerRegistration, type HandlerRegistry } from '#core/handler/handler-contract.ts';

const COMPLETE: HandlerRegistration = {
  source: PROBE_SOURCE,
  type: '*',
  handle: async () => done({ actionTaken: 'probed' }),
};

/** The handlers as they are, and for the probe's events one that completes them: not even a `*` handler sees those. */
export function withProbe(handlers: HandlerRegistry): HandlerRegistry {
  return {
    find: (source, eventType) => (source === PROBE_SOURCE ? COMPLETE : handlers.find(source, eventType)),
  };
}
