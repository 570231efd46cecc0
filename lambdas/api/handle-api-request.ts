/** From API Gateway's event (payload format 2.0) to the status API and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ApiPorts, ApiRules } from '#core/inbound/api/api-call.ts';
import { answerApi } from '#core/inbound/api/api-requests.ts';
import { API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { unknownRoute } from '#core/problem-reply.ts';
import { json } from '#core/reply.ts';
import { VERSION } from '#core/version.ts';
import { callOf, toApiReply } from '#lambdas/shared/api-event.ts';

export function handleApiRequest(ports: ApiPorts, rules: ApiRules) {
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    if (event.routeKey === 'GET /health') return toApiReply(json(200, { version: VERSION }));
    const route = API_ROUTES.find(it => it === event.routeKey);
    if (route === undefined) return toApiReply(unknownRoute(event.routeKey, 'docs/api/openapi.json'));
    return toApiReply(await answerApi({ route, ...callOf(event) }, ports, rules));
  };
}
