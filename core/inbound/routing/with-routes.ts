/** Handlers and routes answer one question: what runs for this event? The more exact of the two. */

import { exactness, matches } from '#core/event-type.ts';
import type { SourceId } from '#core/glossary.ts';
import type { HandlerRegistration, HandlerRegistry } from '#core/handler/handler-contract.ts';
import { type RoutePorts, routeEvent } from './route-event.ts';
import type { Route } from './target.ts';

/** What it takes to know of a source. */
interface RoutedSource {
  readonly id: SourceId;
  readonly routes?: readonly Route[];
}

/**
 * The registry of handlers with the routes of the configuration in it. A route names its source, so it comes before a
 * handler for every source; else the longer type wins. Alike in both is refused at synth (`findConflicts`); here the
 * handler would run.
 */
export function withRoutes(
  handlers: HandlerRegistry,
  sources: readonly RoutedSource[],
  ports: RoutePorts,
): HandlerRegistry {
  const routed = new Map(sources.map(it => [it.id, registrationsOf(it, ports)]));
  return {
    find(source: SourceId, eventType) {
      const handler = handlers.find(source, eventType);
      const route = routed.get(source)?.find(it => matches(it.type, eventType));
      if (!route || !handler || handler.source === '*') return route ?? handler;
      return exactness(handler.type) >= exactness(route.type) ? handler : route;
    },
  };
}

/** The most exact first. */
function registrationsOf({ id, routes = [] }: RoutedSource, ports: RoutePorts): readonly HandlerRegistration[] {
  return routes
    .map(route => ({
      source: id,
      type: route.type,
      name: `route ${id}:${route.type}`,
      ownBreakers: true,
      handle: routeEvent(route, ports),
    }))
    .sort((a, b) => exactness(b.type) - exactness(a.type));
}

/** Types of a source that have both a handler and a route, which leaves open what should run. */
export function findConflicts({ id, routes = [] }: RoutedSource, handlers: HandlerRegistry): readonly string[] {
  return routes
    .map(route => route.type)
    .filter(type => {
      const handler = handlers.find(id, type);
      return handler?.source === id && handler.type === type;
    });
}
