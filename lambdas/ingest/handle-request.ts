/** From API Gateway's event (payload format 2.0) to the rules and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { acceptRequest } from '#core/inbound/ingest/accept-request.ts';
import type { IngestPorts, IngestRules } from '#core/inbound/ingest/ingest-ports.ts';
import { refuse } from '#core/inbound/ingest/reply.ts';
import type { Reply } from '#core/reply.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { bytesOf, toApiReply } from '#lambdas/shared/api-event.ts';

/** What is before the front door, and tells where a request really came from; or answers it. */
type Door = (request: RawRequest) => Promise<RawRequest | Reply>;

/** One source per explicit route, found by the route's own path: nothing of the request chooses the source. */
export function handleRequest(sources: readonly ResolvedSource[], ports: IngestPorts, rules: IngestRules, door?: Door) {
  const byPath = new Map(sources.flatMap(source => source.paths.map(path => [path, source] as const)));
  return async (apiEvent: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const source = byPath.get(apiEvent.routeKey.slice(apiEvent.routeKey.indexOf(' ') + 1));
    if (source === undefined) return toApiReply(refuse('unknown_source'));
    const request = toRawRequest(apiEvent);
    const seen = door ? await door(request) : request;
    return toApiReply('status' in seen ? seen : await acceptRequest(source, seen, ports, rules));
  };
}

function toRawRequest(apiEvent: APIGatewayProxyEventV2): RawRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(apiEvent.headers))
    if (value !== undefined) headers[name.toLowerCase()] = value;
  return {
    method: apiEvent.requestContext.http.method,
    rawQuery: apiEvent.rawQueryString,
    headers,
    body: bytesOf(apiEvent),
    sourceIp: apiEvent.requestContext.http.sourceIp,
  };
}
