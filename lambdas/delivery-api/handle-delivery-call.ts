/** From API Gateway's event to the producer's API and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import { unknownRoute } from '#core/outbound/api/answering.ts';
import type { ApiPorts, ApiRules } from '#core/outbound/api/api-call.ts';
import { DELIVERY_ROUTES } from '#core/outbound/api/api-routes.ts';
import { bytesOf, callerOf, pathOf, toApiReply } from '#lambdas/shared/api-event.ts';

/** `rulesOf`: for the host that was called, which no endpoint may be. */
export function handleDeliveryCall(ports: ApiPorts, rulesOf: (ownHost: string) => ApiRules) {
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const route = DELIVERY_ROUTES.find(it => it === event.routeKey);
    if (route === undefined) return toApiReply(unknownRoute(event.routeKey));
    const reply = await answerApi({
      ...{ route, ports, path: pathOf(event), caller: callerOf(event) },
      rules: rulesOf(event.requestContext.domainName),
      query: event.queryStringParameters ?? {},
      body: event.body === undefined ? undefined : new TextDecoder().decode(bytesOf(event)),
    });
    return toApiReply(reply);
  };
}
