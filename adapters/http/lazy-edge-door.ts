/** Loads what tells requests through CloudFront from others with the first one: environments without an edge never do. */
import type { throughEdge } from './edge-door.ts';

type Through = typeof throughEdge;

export function lazyEdgeDoor(
  edge: Parameters<Through>[1],
  ports: Parameters<Through>[2],
): (request: Parameters<Through>[0]) => ReturnType<Through> {
  return async request => (await import('./edge-door.ts')).throughEdge(request, edge, ports);
}
