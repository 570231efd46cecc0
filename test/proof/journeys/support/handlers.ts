import { eventIdToPk, splitEventPk } from '#core/glossary.ts';
import { defineHandlers, done, type Handler } from '#core/handler/handler-contract.ts';
import { EFFECTS, type MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';

export type WorldHandlers = NonNullable<WorldOptions['handlers']>;
export interface HandlerCall {
  /** How often the handler was called for this event before, plus one. */
  readonly nth: number;
  /** The provider's id of the event. */
  readonly id: string;
  readonly world: MemoryWorld;
}

type First = (call: HandlerCall, ...args: Parameters<Handler>) => ReturnType<Handler> | undefined;

/**
 * One handler for everything. What `first` answers is the outcome; when it answers nothing, the event has one
 * transactional effect and one call to the outside (with `onlyTransacts` none), and is done.
 */
export function handlerThat(first: First, options: { readonly onlyTransacts?: true } = {}): WorldHandlers {
  return world => {
    const calls = new Map<string, number>();
    const handle: Handler = async (event, context) => {
      const { eventKey: id } = splitEventPk(eventIdToPk(event.id) ?? '');
      const nth = (calls.get(id) ?? 0) + 1;
      calls.set(id, nth);
      const early = await first({ nth, id, world }, event, context);
      if (early) return early;
      if (!options.onlyTransacts)
        world.outside.push({ eventId: id, key: context.idempotencyKey, at: world.clock.now(), bytes: event.bytes });
      context.transact([{ kind: 'update', table: EFFECTS, key: { id }, add: { times: 1 } }]);
      return done({ actionTaken: 'counted' });
    };
    return defineHandlers([{ source: '*', type: '*', handle, ...options }]);
  };
}
