/** The gateway's own source: events the probe sends to itself, to be handled by nothing of the user's. */
import { toSourceId } from '#core/glossary.ts';
import { done, type HandlerRegistration, type HandlerRegistry } from '#core/handler/handler-contract.ts';

/** Its name is taken: no source of the configuration may have it. */
export const PROBE_SOURCE = toSourceId('holdfast-probe');

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
