/** From API Gateway's event to `publishMessage` and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { answering } from '#core/outbound/api/answering.ts';
import { PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { type PublishApiPorts, type PublishApiRules, publishMessage } from '#core/outbound/api/publish-message.ts';
import type { Telemetry } from '#core/ports.ts';
import { unknownRoute } from '#core/problem-reply.ts';
import { bytesOf, pathOf, toApiReply } from '#lambdas/shared/api-event.ts';

const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function handlePublish(ports: PublishApiPorts & { readonly telemetry: Telemetry }, rules: PublishApiRules) {
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const route = PUBLISH_ROUTES.find(it => it === event.routeKey);
    if (route === undefined) return toApiReply(unknownRoute(event.routeKey));
    const given = event.headers['traceparent'];
    const traceId = given !== undefined && TRACE_PARENT.test(given) ? given : undefined;
    const app = route === 'POST /v1/broadcasts' ? undefined : (pathOf(event)['app'] ?? '');
    const request = { app, body: bytesOf(event), traceId };
    return toApiReply(await answering(route, ports, () => publishMessage(ports, rules, request)));
  };
}
