/** From API Gateway's event to the producer's API and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import type { ApiPorts, ApiRules } from '#core/outbound/api/api-call.ts';
import { DELIVERY_ROUTES } from '#core/outbound/api/api-routes.ts';
import { unknownRoute } from '#core/problem-reply.ts';
import { callOf, toApiReply } from '#lambdas/shared/api-event.ts';

/** `rulesOf`: for the host that was called, which no endpoint may be. */
export function handleDeliveryCall(ports: ApiPorts, rulesOf: (ownHost: string) => ApiRules) {
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const route = DELIVERY_ROUTES.find(it => it === event.routeKey);
    if (route === undefined) return toApiReply(unknownRoute(event.routeKey));
    const rules = rulesOf(event.requestContext.domainName);
    return toApiReply(await answerApi({ route, ports, rules, ...callOf(event) }));
  };
}
